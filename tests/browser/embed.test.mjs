// One view inside a page of another origin: what it shows, what it says, what it leaves alone.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdableWorkers, pickPreset, violations, withPage } from './harness.mjs';
import { hostPage } from './host-page.mjs';
import { serve } from './server.mjs';

const FIG_6 = '1AT4Awf8AAGlbxUkBAMtS2rEcBWNvbnYyHggCCAMCBwUFAgMCBQ0DDAIgAwUHCAIGCAMDBwgQBWNvbnYyFgIfGRZMhXqe';

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
    await pickPreset(frame, 'hardware', 'eyeriss-like');
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

test('while a design is worked out, the host hears of no best point of the one before', () =>
  withHost('view=landscape', '', async ({ page, frame, say, heard }) => {
    await done(frame);
    const get = async (id) => {
      await say({ fusescape: 1, type: 'get', id });
      return heard('state', id);
    };
    const { link, results: before } = await get('before');
    assert.ok(before.best.energy_pj > 0);
    await frame.evaluate(() => window.hold());
    const told = await page.evaluate(() => window.messages.length);
    // The end of the design before may be told late.
    const changes = async () => {
      const all = await page.evaluate((told) => window.messages.slice(told).filter(({ type }) => type === 'changed'), told);
      return all.filter((change) => change.link !== link);
    };
    await say({ fusescape: 1, type: 'set', id: 'set', hardware: 'tpu-like-df' });
    assert.equal((await heard('state', 'set')).results, null);
    const { results: asked } = await get('asked');
    assert.deepEqual([asked.status, asked.points_done, asked.best], ['running', 0, null]);
    await frame.waitForFunction(() => window.fusescape.state().status === 'running');
    const { results: swept } = await get('swept');
    assert.deepEqual([swept.status, swept.points, swept.points_done, swept.best], ['running', 108, 0, null]);
    await page.waitForFunction(
      ([told, link]) => window.messages.slice(told).some((message) => message.type === 'changed' && message.link !== link),
      [told, link],
    );
    await frame.evaluate(() => window.release());
    await done(frame);
    await page.waitForFunction(() => window.messages.findLast(({ type }) => type === 'changed').results.status === 'done');
    const [start, end, ...more] = await changes();
    assert.deepEqual([start.results.status, start.results.best, end.results.points_done, more], ['running', null, 108, []]);
    assert.ok(end.results.best.energy_pj > 0 && end.results.best.energy_pj !== before.best.energy_pj);
    assert.equal(end.link, start.link);
  }));

test('a document with errors is refused with all of them, and what a reader breaks is told', () =>
  withHost('view=landscape&controls=hardware,text', '', async ({ page, frame, say, heard }) => {
    await done(frame);
    await say({ fusescape: 1, type: 'get', id: 'before' });
    const before = await heard('state', 'before');
    const hardware = before.hardware.replace('memories:', 'memoriez:').replace(/mac_energy: .*/, 'mac_energy: much');
    await say({ fusescape: 1, type: 'set', id: 'broken', hardware, workload: 'name: own\nlayers: 7\n' });
    const { errors } = await heard('error', 'broken');
    const places = errors.map(({ place }) => place);
    assert.ok(places.includes('hardware.array.mac_energy') && places.some((place) => place.startsWith('workload.')), places.join());
    const { line } = errors.find(({ place }) => place === 'hardware.array.mac_energy');
    assert.match(hardware.split('\n')[line - 1], /mac_energy: much/);
    await say({ fusescape: 1, type: 'get', id: 'after' });
    const after = await heard('state', 'after');
    assert.deepEqual([after.link, after.results], [before.link, before.results]);

    await frame.getByTestId('hardware-as-text').click();
    await frame.getByTestId('hardware-text').fill(hardware);
    await page.waitForFunction(() => window.messages.findLast(({ type }) => type === 'changed')?.results.status === 'rejected');
    const { results } = await page.evaluate(() => window.messages.findLast(({ type }) => type === 'changed'));
    assert.equal(results.best, null);
    assert.ok(results.errors.some(({ place }) => place === 'hardware.array.mac_energy'), JSON.stringify(results.errors));
  }));

for (const width of [1440, 700, 390]) {
  test(`at ${width} px the height is told at most twice while a view loads, and once when an edit is worked out`, async () => {
    for (const view of ['landscape', 'comparison', 'trade-off', 'schedule']) {
      await withHost(
        `view=${view}`,
        '',
        async ({ page, frame, say }) => {
          const heights = () =>
            page.evaluate(() => window.messages.filter(({ type }) => type === 'resize').map(({ height }) => height));
          const isTold = (status) =>
            page.waitForFunction(
              (status) => window.messages.findLast(({ type }) => type === 'changed')?.results.status === status,
              status,
            );
          const settled = async () => {
            await isTold('done');
            if (view === 'schedule') {
              await frame.getByTestId('stack-facts').waitFor();
              await frame.getByTestId('neighbours').waitFor();
            }
            await frame.waitForFunction(() => !document.querySelector('[aria-busy]'));
            const height = await frame.getByTestId('root').evaluate((root) => Math.ceil(root.getBoundingClientRect().height));
            await page.waitForFunction((height) => window.messages.findLast(({ type }) => type === 'resize').height === height, height);
          };
          await settled();
          const loading = await heights();
          assert.ok(loading.length <= 2, `${view}: ${loading.join()}`);

          await frame.evaluate(() => window.hold());
          await say({ fusescape: 1, type: 'set', hardware: 'edge-tpu-like-df' });
          await isTold('running');
          assert.deepEqual(await heights(), loading, `${view}, while workers work`);
          if (view === 'schedule') {
            const view = frame.getByTestId('schedule-view');
            assert.equal(await view.getAttribute('aria-busy'), 'true');
            assert.match(await view.getByTestId('stack-facts').innerText(), /of weights/);
          }
          await frame.evaluate(() => window.release());
          await settled();
          const edited = (await heights()).slice(loading.length);
          assert.ok(edited.length <= 1, `${view}: ${loading.join()}, then ${edited.join()}`);
        },
        { viewport: { width, height: 900 } },
      );
    }
  });
}

test('readers get no text to edit unless the host says so', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('hardware-as-text').click();
    await page.getByTestId('hardware-text').waitFor();
    await page.waitForFunction(() => location.hash.length > 2);
    const link = new URL(page.url()).hash;
    const fields = page.locator('textarea, [data-testid$=-as-text], input[type=file]');
    for (const [query, count] of [
      ['view=landscape&controls=hardware,network,schedule', 0],
      ['view=hierarchy&controls=hardware', 0],
      ['view=landscape&controls=hardware,text', 3],
      ['view=hierarchy&controls=text', 1],
    ]) {
      await page.goto('about:blank');
      await page.goto(`${url}embed.html?${query}${link}`);
      await done(page);
      assert.equal(await fields.count(), count, query);
      assert.equal(await page.getByTestId('hardware-preset').count(), query.includes('hardware') ? 1 : 0);
    }
  }));

test('a reader drags the figures that the address names, within their ranges, and changes nothing else', () =>
  withHost('view=landscape&controls=hardware.sram_64KB.size:16..256KiB,hardware.sram_46KB.size:1..2KiB', '', async ({ page, frame, heard, screenshot }) => {
    await done(frame);
    const slider = frame.getByTestId('sram_64KB-size-drag');
    assert.equal(await slider.getAttribute('aria-valuetext'), '64 KiB');
    assert.equal(await frame.locator('[data-testid$=-card], textarea, main input[type=text]').count(), 0);
    // The other names a memory that is not there: that is said, with the name that was meant.
    assert.match(await frame.getByTestId('parameter-errors').innerText(), /Did you mean sram_64KB\?/);

    const changed = (since) =>
      page.waitForFunction(
        (since) => window.messages.slice(since).findLast(({ type, results }) => type === 'changed' && results.status === 'done'),
        since,
      );
    const heardSoFar = () => page.evaluate(() => window.messages.length);
    let since = await heardSoFar();
    await slider.press('End');
    const most = await (await changed(since)).jsonValue();
    assert.equal(await slider.getAttribute('aria-valuetext'), '256 KiB');
    assert.deepEqual(most.results.opened, most.results.best);
    since = await heardSoFar();
    await slider.press('Home');
    const least = await (await changed(since)).jsonValue();
    assert.equal(await slider.getAttribute('aria-valuetext'), '16 KiB');
    assert.ok(least.results.best.energy_pj > most.results.best.energy_pj, 'a smaller memory costs more');
    await screenshot('embed-parameters');
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
        assert.deepEqual(await violations(page, 'iframe'), []);
        await screenshot(`embed-${view}`);
      },
      { viewport: { width: 390, height: 844 } },
    ));
}

test('an address with mistakes shows them, and the rest', () =>
  withHost('view=landscap&controls=schedule', '#1xyz', async ({ frame }) => {
    const text = await frame.getByTestId('embed-wrong').innerText();
    assert.match(text, /landscap cannot be used here\. Did you mean landscape\?[^]*damaged/);
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
    await page.getByTestId('stack-facts').waitFor();
  }));

test('the snippet with a script is as high as its content, and listens to nobody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const host = await serve(folder);
  try {
    await withPage(
      async ({ page, url }) => {
        await page.goto(url);
        await page.getByTestId('embed').click();
        await page.getByTestId('embed-height').selectOption('420');
        await page.getByTestId('embed-fits').check();
        const html = await page.getByTestId('embed-snippet').inputValue();
        const docs = await page.getByTestId('embed-docs').getAttribute('href');
        const answered = await page.request.get(new URL(docs, url).href);
        assert.match(await answered.text(), /^# One view inside another page[^]*postMessage/);

        const two = `${html}<p>Text</p>${html.replace('view=landscape', 'view=comparison')}`;
        await writeFile(join(folder, 'index.html'), `<!doctype html><title>A course</title><link rel="icon" href="data:,">${two}`);
        await page.goto(host.url);
        for (const frame of await page.locator('iframe').all()) {
          await frame.scrollIntoViewIfNeeded();
          const content = await (await frame.elementHandle()).contentFrame();
          await done(content);
          await content.locator('.canvas').first().waitFor();
          await page.waitForFunction(
            ([frame, height]) => frame.style.height === `${height}px`,
            [await frame.elementHandle(), await content.getByTestId('root').evaluate((root) => Math.ceil(root.getBoundingClientRect().height))],
          );
        }
        const heights = () => page.locator('iframe').evaluateAll((frames) => frames.map(({ style }) => style.height));
        const before = await heights();
        assert.notEqual(before[0], before[1]);
        await page.evaluate(() => {
          window.postMessage({ fusescape: 1, type: 'resize', height: 7 }, '*');
          return new Promise((heard) => addEventListener('message', heard, { once: true }));
        });
        assert.deepEqual(await heights(), before);
      },
      { hosts: [host.url] },
    );
  } finally {
    await host.close();
    await rm(folder, { recursive: true });
  }
});

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
        await page.addInitScript(holdableWorkers);
        await page.goto(host.url);
        const frame = await (await page.locator('iframe').elementHandle()).contentFrame();
        await frame.waitForURL(embed);
        const say = (message) => page.evaluate((message) => window.tell(message), message);
        const heard = (type, id) =>
          page
            .waitForFunction(
              ([type, id]) => window.messages.findLast((message) => message.type === type && (id === undefined || message.id === id)),
              [type, id],
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
  await frame.locator('[data-testid=root][data-status=done]').waitFor();
}
