// One view inside a page of another origin: what it shows, what it says, what it leaves alone.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { withPage } from './harness.mjs';
import { serve } from './server.mjs';

const FIG_6 = '1AT4Awf8AAGlbxUkBAMtS2rEcBWNvbnYyHggCCAMCBwUFAgMCBQ0DDAIgAwUHCAIGCAMDBwgQBWNvbnYyFgIfGRZMhXqe';
const MINUTE = 60_000;

test('the host gets what is shown, sets what it likes, and hears of changes', () =>
  withHost('view=landscape&controls=hardware', '', async ({ page, frame, say, heard, embed }) => {
    const ready = await heard('ready');
    assert.deepEqual([ready.fusescape, ready.view], [1, 'landscape']);
    await done(frame);
    const { height } = await heard('resize');
    assert.ok(height > 300, `${height} px`);

    await say({ fusescape: 1, type: 'get', id: 'first' });
    const first = await heard('state', 'first');
    assert.match(first.hardware, /Meta-prototype-like DF/);
    assert.equal(first.results.status, 'done');
    assert.deepEqual([first.results.points, first.results.best.tile_x > 0], [108, true]);

    await say({ fusescape: 1, type: 'set', id: 2, hardware: 'tpu-like-df', metric: 'latency' });
    const set = await heard('state', 2);
    assert.match(set.hardware, /TPU-like DF/);
    await frame.locator('[data-testid=hardware-preset]').evaluate((field) => field.value === 'tpu-like-df' || Promise.reject(field.value));
    await done(frame);

    // A reader's edit reaches the host, with a link that opens it.
    const before = await page.evaluate(() => window.messages.length);
    await frame.getByTestId('hardware-preset').selectOption('eyeriss-like');
    await page.waitForFunction((before) => window.messages.slice(before).some(({ type }) => type === 'changed'), before);
    await done(frame);
    const { link } = await page.evaluate(() => window.messages.findLast(({ type }) => type === 'changed'));
    await say({ fusescape: 1, type: 'set', id: 3, link: FIG_6, view: 'mapping' });
    await heard('state', 3);
    await frame.getByTestId('loop-editor').getByText('spad_I').first().waitFor();
    await say({ fusescape: 1, type: 'set', id: 4, link, view: 'landscape' });
    assert.match((await heard('state', 4)).hardware, /Eyeriss-like/);

    // The address is as it was.
    assert.equal(frame.url(), embed);
    const full = await frame.getByTestId('open-in-full').getAttribute('href');
    assert.ok(full.includes('/#1') && !full.includes('embed'), full);
  }));

test('what makes no sense is answered with all that is wrong, and changes nothing', () =>
  withHost('view=comparison', '', async ({ page, frame, say, heard }) => {
    await done(frame);
    await say({ fusescape: 1, type: 'set', id: 'bad', hardware: 'tpu-lik', metric: 'joule', link: '1x', more: [] });
    const { errors } = await heard('error', 'bad');
    assert.deepEqual(errors.map(({ place }) => place), ['more', 'link', 'hardware', 'metric']);
    assert.ok(errors.every(({ reason, remedy }) => reason && remedy));
    assert.match(errors[2].remedy, /Did you mean `tpu-like/);
    await say({ fusescape: 1, type: 'set', id: 'long', hardware: 'x'.repeat(5 << 20) });
    assert.match((await heard('error', null)).errors[0].reason, /more than/);
    // Not for us, or not even JSON: no answer, no harm.
    await page.evaluate(() => {
      const loop = {};
      loop.loop = loop;
      for (const message of ['hello', 7, null, loop, new Map(), { type: 'get' }, 10n]) window.tell(message);
    });
    await say({ fusescape: 1, type: 'get', id: 'after' });
    assert.match((await heard('state', 'after')).hardware, /Meta-prototype-like DF/);
    const answers = await page.evaluate(() => window.messages.filter(({ type }) => ['state', 'error'].includes(type)).length);
    assert.equal(answers, 3);
  }));

test('nothing is kept, no other window is listened to, and scrolling is left to the host', () =>
  withHost('view=landscape', '', async ({ page, frame, heard }) => {
    await done(frame);
    await heard('resize');
    assert.deepEqual(await frame.evaluate(() => window.touched), []);
    assert.equal(await frame.evaluate(() => document.cookie), '');
    // A message that the frame sends to itself is not the host's.
    await frame.evaluate(() => window.postMessage({ fusescape: 1, type: 'set', hardware: 'tpu-like' }));
    await frame.evaluate(() => new Promise((next) => setTimeout(next)));
    assert.match(await frame.locator('footer').innerText(), /Meta-prototype-like DF/);

    await page.evaluate(() => {
      const height = window.messages.findLast(({ type }) => type === 'resize').height;
      document.querySelector('iframe').style.height = `${height}px`;
      window.scrollTo(0, 300);
    });
    const heatmap = frame.locator('.heatmap').first();
    await heatmap.hover();
    const before = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 400);
    await page.waitForFunction((before) => scrollY > before, before);
  }));

for (const view of ['landscape', 'comparison', 'trade-off', 'schedule', 'mapping', 'hierarchy']) {
  test(`the view ${view} is shown alone, at 390 px in the dark`, () =>
    withHost(
      `view=${view}&theme=dark`,
      view === 'mapping' ? `#${FIG_6}` : '',
      async ({ page, frame, screenshot }) => {
        await done(frame);
        await frame.locator('.card').first().waitFor();
        assert.equal(await frame.locator('nav, header').count(), 0);
        assert.equal(await frame.getByTestId('hardware-card').count(), 0);
        const beyond = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `${beyond} px too wide`);
        const { violations } = await new AxeBuilder({ page }).include('iframe').analyze();
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
        await screenshot(`embed-${view}`);
      },
      { viewport: { width: 390, height: 844 } },
    ));
}

test('an address with mistakes shows them, and the rest', () =>
  withHost('view=landscap&controls=schedule', '#1xyz', async ({ frame }) => {
    const text = await frame.getByTestId('embed-wrong').innerText();
    assert.match(text, /`landscap` cannot be used here\. Did you mean `landscape`\?[^]*damaged/);
    await done(frame);
    await frame.getByTestId('tiles-x').waitFor();
  }));

test('the dialog gives a snippet that shows what was chosen', () =>
  withPage(async ({ page, url }) => {
    await page.goto(`${url}#${FIG_6}`);
    await page.getByTestId('loop-editor').waitFor();
    await page.getByTestId('embed').click();
    assert.equal(await page.getByTestId('embed-view').inputValue(), 'mapping');
    await page.getByTestId('embed-view').selectOption('schedule');
    await page.getByTestId('embed-control-network').check();
    await page.getByTestId('embed-control-hardware').check();
    await page.getByTestId('embed-theme').selectOption('light');
    const html = await page.getByTestId('embed-snippet').inputValue();
    assert.match(html, /embed\.html\?view=schedule&amp;controls=hardware,network&amp;theme=light#1/);
    assert.ok(html.length < 600, `${html.length} characters`);
    const address = /src="([^"]*)"/.exec(html)[1].replaceAll('&amp;', '&');
    await page.goto(address);
    await page.locator('[data-testid=hardware-preset]').waitFor();
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'eyeriss-like');
    await page.getByTestId('stack-facts').waitFor({ timeout: MINUTE });
  }));

/** A page of another origin with the view in it; `say` sends a message, `heard` waits for one by type and id. */
async function withHost(query, link, visit, options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const host = await serve(folder);
  try {
    await withPage(
      async ({ page, url, screenshot }) => {
        const embed = `${url}embed.html?${query}${link}`;
        await writeFile(join(folder, 'index.html'), hostPage(embed));
        await page.addInitScript(watchStorage);
        await page.goto(host.url);
        const frame = await (await page.locator('iframe').elementHandle()).contentFrame();
        await frame.waitForURL(embed);
        const say = (message) => page.evaluate((message) => window.tell(message), message);
        const heard = (type, id) =>
          page
            .waitForFunction(
              ([type, id]) => window.messages.findLast((message) => message.type === type && (id === undefined || message.id === id)),
              [type, id],
              { timeout: MINUTE },
            )
            .then((found) => found.jsonValue());
        await visit({ page, frame, say, heard, embed, screenshot });
      },
      { ...options, hosts: [host.url] },
    );
  } finally {
    await host.close();
    await rm(folder, { recursive: true });
  }
}

function hostPage(embed) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A course</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body style="margin: 8px"><h1>A course</h1><div style="height: 300px">Text</div>
<iframe src="${embed.replaceAll('&', '&amp;')}" title="Fusescape" width="100%" height="700" style="border: 0"></iframe>
<div style="height: 2000px">More text</div>
<script>
window.messages = [];
const frame = document.querySelector('iframe');
addEventListener('message', ({ data, source }) => source === frame.contentWindow && messages.push(data));
window.tell = (message) => frame.contentWindow.postMessage(message, '*');
</script></body></html>`;
}

/** Notes every use of storage, and refuses it. */
function watchStorage() {
  window.touched = [];
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
    Object.defineProperty(window, name, {
      get: () => {
        window.touched.push(name);
        throw new DOMException('Access is denied', 'SecurityError');
      },
    });
  }
  for (const name of ['pushState', 'replaceState']) {
    const original = history[name];
    history[name] = function (...values) {
      window.touched.push(name);
      return original.apply(this, values);
    };
  }
}

async function done(frame) {
  await frame.locator('[data-testid=root][data-status=done]').waitFor({ timeout: MINUTE });
}
