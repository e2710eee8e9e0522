// The page in Firefox: the landscape, every view and dialog, every frozen link, an embedded view, a visit offline.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchFirefox, withTab } from './firefox.mjs';
import { tooWide, withPage } from './harness.mjs';
import { hostPage } from './host-page.mjs';
import { serve } from './server.mjs';
import { settled, unsavedIn, VIEWS } from './views.mjs';

const BUILD_SITE = fileURLToPath(new URL('../../tools/build-site', import.meta.url));
const LINKS = fileURLToPath(new URL('../links', import.meta.url));

let firefox;
before(async () => (firefox = await launchFirefox()));
after(() => firefox?.close());

/** Opens a tab in the one Firefox of this file. */
const visiting = (visit, options) => withTab(firefox, visit, options);

test('all numbers of the landscape are those of Chromium', async () => {
  const cells = async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    return page.evaluate(() => [...document.querySelectorAll('table[data-mode] td')].map(({ dataset }) => ({ ...dataset })));
  };
  let here;
  await visiting(async (visit) => (here = await cells(visit)));
  assert.equal(here.length, 108);
  assert.deepEqual(here, await withPage(cells));
});

test('every view and dialog shows its figures and tables, and fits large and small windows', () =>
  visiting(
    async ({ page, url }) => {
      await page.goto(url);
      await settled(page);
      const wrong = [];
      const seen = { figures: 0, tables: 0 };
      for (const [name, come] of Object.entries(VIEWS)) {
        const leave = await come(page);
        await page.waitForFunction(allDrawn).catch((error) => wrong.push(`${name}: a figure is empty, ${error.message}`));
        const { figures, tables, wrong: unsaved } = await page.evaluate(unsavedIn);
        seen.figures += figures;
        seen.tables += tables;
        const found = [...unsaved, ...(await tooWide(page))];
        await page.setViewportSize({ width: 390, height: 900 });
        found.push(...(await tooWide(page)));
        await page.setViewportSize({ width: 1440, height: 900 });
        wrong.push(...found.map((mistake) => `${name}: ${mistake}`));
        await leave?.();
      }
      assert.deepEqual(wrong, []);
      assert.ok(seen.figures > 40 && seen.tables > 40, JSON.stringify(seen));
    },
    { viewport: { width: 1440, height: 900 } },
  ));

test('every frozen link opens as what it says, and stays as it is', () =>
  visiting(async ({ page, url }) => {
    for (const [name, link] of linesOf('links.txt')) {
      await page.goto('about:blank');
      await page.goto(`${url}#${link}`);
      await page.getByTestId('design').getByText('on').waitFor();
      const { view, expected } = meaningOf(name);
      await page.locator(`[data-testid=tab-${view}][aria-current=page]`).waitFor();
      await page.locator('[data-testid=root]:is([data-status=done], [data-status=rejected])').waitFor();
      assert.deepEqual(await page.evaluate(shownIn), expected, name);
      assert.equal(await page.evaluate(() => location.hash), `#${link}`, name);
    }
  }));

test('an embedded view hears its host, and is heard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const host = await serve(folder);
  try {
    await visiting(
      async ({ page, url }) => {
        const embed = `${url}embed.html?view=landscape&controls=hardware`;
        await writeFile(join(folder, 'index.html'), hostPage(embed));
        await page.goto(host.url);
        const frame = await page.frameAt(embed);
        await settled(frame);
        const heard = (type) => page.waitForFunction((type) => window.messages.findLast((message) => message.type === type), type);
        assert.equal((await heard('ready')).view, 'landscape');
        assert.ok((await heard('resize')).height > 300);

        await page.evaluate(() => window.tell({ fusescape: 1, type: 'set', id: 'set', hardware: 'tpu-like-df' }));
        assert.match((await heard('state')).hardware, /TPU-like DF/);
        await settled(frame);
        assert.equal(await frame.getByTestId('hardware-preset').inputValue(), 'tpu-like-df');

        await frame.getByTestId('hardware-preset').selectOption('eyeriss-like');
        await page.waitForFunction(() => {
          const told = window.messages.findLast(({ type }) => type === 'changed');
          return /Eyeriss-like/.test(told?.hardware) && told.results.status === 'done' && told.results.points === 108;
        });
      },
      { hosts: [host.url] },
    );
  } finally {
    await host.close();
    await rm(folder, { recursive: true });
  }
});

test('a published page opens again when its host is gone, with what is fetched late', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fusescape-site-'));
  const folder = join(root, 'courses', 'fusescape');
  try {
    execFileSync(BUILD_SITE, [folder], { stdio: 'ignore' });
    await visiting(
      async ({ page, url, server }) => {
        await page.goto(`${url}courses/fusescape/`);
        await settled(page);
        await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
        await server.close();
        await page.reload();
        await settled(page);
        await page.getByTestId('tab-gallery').click();
        await page.getByTestId('gallery').waitFor();
        await page.goto(`${url}courses/fusescape/embed.html?view=landscape`);
        await settled(page);
      },
      { root },
    );
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a worker that fails is replaced, and the page says so', () =>
  visiting(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    const workers = await page.evaluate(() => window.fusescape.workers());
    await page.evaluate(() => window.fusescape.killWorker(0));
    await page.getByTestId('notices').getByText('Worker 1 failed').waitFor();
    assert.match(await page.getByTestId('notices').innerText(), /unreachable.* replaced/);
    await page.getByTestId('hardware-preset').selectOption('tpu-like-df');
    await page.waitForFunction(() => window.fusescape.state().generation > 1);
    await settled(page);
    assert.equal(await page.evaluate(() => window.fusescape.state().pointsDone), 108);
    assert.equal(await page.evaluate(() => window.fusescape.workers()), workers);
  }));

// --- what the tests are made of ---------------------------------------------------------------------------

/** In the page: every figure that can be seen has more than one colour. They are drawn once a frame. */
function allDrawn() {
  const seen = [...document.querySelectorAll('canvas')].filter((canvas) => canvas.checkVisibility() && canvas.width * canvas.height > 0);
  return seen.every((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    return pixels.some((pixel) => pixel !== pixels[0]);
  });
}

/** The lines of a file in tests/links, as words. */
function linesOf(name) {
  return readFileSync(join(LINKS, name), 'utf8').trim().split('\n').map((line) => line.split(' '));
}
