// The page in Firefox: the landscape, every view and dialog, every frozen link, an embedded view, a visit offline.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchFirefox, withTab } from '../firefox.mjs';
import { pickPreset, tooWide, withPage } from '../harness.mjs';
import { hostPage } from '../host-page.mjs';
import { serve } from '../server.mjs';
import { allFetched, everyView, settled, unsavedIn } from '../views.mjs';

const BUILD_SITE = fileURLToPath(new URL('../../../tools/build-site', import.meta.url));
/** Lines of `NAME LINK`. */
const LINKS = linesOf('links.txt');
/** Presets by the hashes of their texts. */
const PRESETS = new Map(linesOf('frozen.txt').map((line) => line.split(' ')));

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
      for (const [name, come] of await everyView(page)) {
        const leave = await come(page);
        await page.waitForFunction(allDrawn).catch((cause) => {
          throw new Error(`${name}: a figure stays empty`, { cause });
        });
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
    for (const [name, link] of LINKS.map((line) => line.split(' '))) {
      const { view, fields, tile } = meaningOf(name);
      await page.goto('about:blank');
      await page.goto(`${url}#${link}`);
      await page.locator(`[data-testid=tab-${view}][aria-current=page]`).waitFor();
      if (Object.keys(fields).some((id) => id.startsWith('rule-'))) await page.getByText('what the rules switch').click();
      // The fields of some views are fetched late; the comparison reports missing ones.
      await page.waitForFunction((ids) => ids.every((id) => document.querySelector(`[data-testid="${id}"]`)), Object.keys(fields)).catch(() => {});
      assert.deepEqual(await page.evaluate(valuesOf, Object.keys(fields)), fields, name);
      if (tile) await page.getByTestId('opened-tile').getByText(tile).waitFor();
      if (name === 'draft-with-errors') await page.getByTestId('schedule-errors').waitFor();
      assert.equal(await page.getByTestId('notices').count(), 0, name);
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

        // An edit in the view reaches the host, with its best point.
        const before = await page.evaluate(() => window.messages.length);
        await pickPreset(frame, 'hardware', 'eyeriss-like');
        const best = await page.waitForFunction((before) => {
          const told = window.messages.slice(before).findLast(({ type }) => type === 'changed');
          return told?.results.status === 'done' && told.results.best;
        }, before);
        assert.ok(best.energy_pj > 0, JSON.stringify(best));
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
        await allFetched(page);
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
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.waitForFunction(() => window.fusescape.state().generation > 1);
    await settled(page);
    assert.equal(await page.evaluate(() => window.fusescape.state().pointsDone), 108);
    assert.equal(await page.evaluate(() => window.fusescape.workers()), workers);
  }));

// --- helpers ----------------------------------------------------------------------------------------------

/** In the page: every visible figure has more than one colour. One figure is drawn per frame. */
function allDrawn() {
  const seen = [...document.querySelectorAll('canvas')].filter((canvas) => canvas.checkVisibility() && canvas.width * canvas.height > 0);
  return seen.every((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    return pixels.some((pixel) => pixel !== pixels[0]);
  });
}

/** The lines of a file in tests/links. */
function linesOf(name) {
  return readFileSync(new URL(`../../links/${name}`, import.meta.url), 'utf8').trim().split('\n');
}

/** Parts of a link's description (src/state/describe.rs): view, values of fields by test id, tile of the open point. */
function meaningOf(name) {
  const says = Object.fromEntries(linesOf(`${name}.txt`).map((line) => /^(.*?): (.*)$/.exec(line).slice(1)));
  const view = says.view.split(',')[0].toLowerCase();
  const fields = { ...designFields(says), ...(view === 'hierarchy' ? hierarchyFields(says) : {}) };
  if (view === 'mapping') fields['mapping-layer'] = says.layer;
  if (says.gallery) fields.origin = null;
  if (says.lesson) fields.lesson = says.lesson;
  // A point outside of the sweep is replaced by the best one.
  const [, x, y] = /^(\w+) x (\w+)/.exec(says.point) ?? [];
  const isSwept = fields['tiles-x'].split(' ').includes(x) && fields['tiles-y'].split(' ').includes(y);
  return { view, fields, tile: view === 'schedule' && isSwept ? `${x} × ${y}` : undefined };
}

function designFields(says) {
  const [hardware, workload] = says.documents.split(' ').map((hash) => PRESETS.get(hash) ?? '(own)');
  const [, x, y] = /^(.*) x (.*)$/.exec(says.tiles);
  const fields = { 'hardware-preset': hardware, 'workload-preset': workload, 'tiles-x': x, 'tiles-y': y, fuse: says['fuse depth'] };
  if (says['stacks end after']) fields.cuts = says['stacks end after'];
  for (const mode of ['fully-recompute', 'h-cached-v-recompute', 'fully-cached']) {
    fields[`mode-${mode}`] = says.modes.split(', ').includes(mode);
  }

  const [objective, weights] = says.objective.split(', ');
  fields.objective = objective;
  weights?.split(' : ').forEach((weight, index) => (fields[['weight-energy', 'weight-latency', 'weight-dram'][index]] = weight));

  const [, limit] = /^LOMA, (\d+)/.exec(says.mappings) ?? [];
  fields.strategy = limit ? 'LOMA, loop orders' : 'exact, proved optimal';
  if (limit) fields['lpf-limit'] = limit;

  const [rules, ...switched] = says.rules.split(', ');
  fields.rules = switched.length > 0 ? 'my own mixture' : rules;
  for (const [rule, on] of switched.map((one) => one.split('='))) fields[`rule-${rule}`] = on === 'true';
  return fields;
}

function hierarchyFields(says) {
  const pattern = /layer (.*), area (.*), up to (\d+) levels, ratio (\d+), (\w+) widths/;
  const [, layer, area, levels, ratio, widths] = pattern.exec(says.hierarchies);
  return {
    'pool-preset': PRESETS.get(says.documents.split(' ')[2]) ?? '(own)',
    'hierarchy-layer': layer,
    'hierarchy-budget': area === 'any' ? '' : area,
    'hierarchy-levels': levels,
    'hierarchy-ratio': ratio,
    'hierarchy-widths': widths === 'all',
  };
}

/** In the page: the values of the fields with these test ids; `null` for an element that is no field. */
function valuesOf(ids) {
  const valueOf = (element) => (element.type === 'checkbox' ? element.checked : (element.value ?? element.dataset.step ?? null));
  const entries = ids.map((id) => [id, document.querySelector(`[data-testid="${id}"]`)]);
  return Object.fromEntries(entries.map(([id, element]) => [id, element ? valueOf(element) : 'is not there']));
}
