// A view inside a page of another origin: content, messages, and isolation. Every view on every screen is in thorough/.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { THREE_POINTS, pickPreset, withPage } from './harness.mjs';
import { assertCalm, done, isHeight, withHost, withOrigin } from './host-page.mjs';

const FIG_6 = '1AT4Awf8AAGlbxUkBAMtS2rEcBWNvbnYyHggCCAMCBwUFAgMCBQ0DDAIgAwUHCAIGCAMDBwgQBWNvbnYyFgIfGRZMhXqe';

/** Parameters with their ranges; the second names a memory that the design does not have. */
const FIGURES = 'hardware.sram_64KB.size:16..256KiB,hardware.sram_46KB.size:1..2KiB';

test('a view and its host', (t) =>
  withHost('view=landscape&controls=hardware,text', '', async ({ page, frame, say, heard, embed, step }) => {
    const get = async (id) => {
      await say({ fusescape: 1, type: 'get', id });
      return heard('state', id);
    };
    const isTold = (status) =>
      page.waitForFunction((status) => window.messages.findLast(({ type }) => type === 'changed')?.results.status === status, status);

    await step(t, 'the host gets what is shown, sets what it likes, and hears of changes', async () => {
      const ready = await heard('ready');
      assert.deepEqual([ready.fusescape, ready.view], [1, 'landscape']);
      await done(frame);
      const { height } = await heard('resize');
      assert.ok(height > 300, `${height} px`);
      const first = await get('first');
      assert.match(first.hardware, /Meta-prototype-like DF/);
      assert.equal(first.results.status, 'done');
      assert.deepEqual([first.results.points, first.results.best.tile_x > 0], [108, true]);

      await say({ fusescape: 1, type: 'set', id: 2, hardware: 'tpu-like-df', metric: 'latency' });
      const set = await heard('state', 2);
      assert.match(set.hardware, /TPU-like DF/);
      await frame.locator('[data-testid=hardware-preset]').evaluate((field) => field.value === 'tpu-like-df' || Promise.reject(field.value));

      // An edit in the view reaches the host, with a link that opens it.
      await pickPreset(frame, 'hardware', 'eyeriss-like');
      await done(frame);
      // Once the address in the frame is that of the edit, the host has received or will receive it.
      const hash = async () => new URL(await frame.getByTestId('open-in-full').getAttribute('href'), embed).hash.slice(1);
      const of = (link) => link.replace(/^.*#/, '');
      await frame.waitForFunction(
        (before) => !document.querySelector('[data-testid=open-in-full]').href.endsWith(before),
        of(set.link),
      );
      const edited = await page.waitForFunction(
        (full) => window.messages.findLast(({ type, link }) => type === 'changed' && full === link.replace(/^.*#/, ''))?.link,
        await hash(),
      );
      const link = await edited.jsonValue();
      await say({ fusescape: 1, type: 'set', id: 3, link: FIG_6, view: 'mapping' });
      await heard('state', 3);
      await frame.getByTestId('loop-editor').getByText('spad_I').first().waitFor();
      await say({ fusescape: 1, type: 'set', id: 4, link, view: 'landscape' });
      assert.match((await heard('state', 4)).hardware, /Eyeriss-like/);

      // The address is as it was.
      assert.equal(frame.url(), embed);
      const full = await frame.getByTestId('open-in-full').getAttribute('href');
      assert.ok(full.includes('/#1') && !full.includes('embed'), full);
    });

    await step(t, 'while a design is worked out, the host hears of no best point of the one before', async () => {
      await done(frame);
      const { link, results: before } = await get('before');
      assert.ok(before.best.energy_pj > 0);
      await frame.evaluate(() => window.hold());
      const told = await page.evaluate(() => window.messages.length);
      // The end of the previous design may be reported late.
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
      await isTold('done');
      const all = await changes();
      const end = all.pop();
      assert.deepEqual([...new Set(all.map(({ results }) => `${results.status}, ${results.best}`))], ['running, null']);
      assert.deepEqual([end.results.status, end.results.points_done], ['done', 108]);
      assert.ok(end.results.best.energy_pj > 0 && end.results.best.energy_pj !== before.best.energy_pj);
      assert.deepEqual([...new Set(all.map(({ link }) => link))], [end.link]);
    });

    await step(t, 'what is set in several messages at once is all taken, however long the view takes to draw', async () => {
      // Every render seems to take longer than Yew's slice, so that the next message comes before it has ended.
      await frame.evaluate(() => {
        const [begin, now] = [Date.now(), Date.now];
        let calls = 0;
        Date.now = () => begin + 1000 * ++calls;
        window.settle = () => (Date.now = now);
      });
      await page.evaluate(() => {
        const parts = [{ view: 'schedule' }, { hardware: 'eyeriss-like' }, { metric: 'latency' }, { workload: 'three-convs' }];
        for (const part of [...parts, { view: 'landscape' }, { hardware: 'tpu-like-df' }]) {
          window.tell({ fusescape: 1, type: 'set', id: 'part', ...part });
        }
        window.tell({ fusescape: 1, type: 'get', id: 'whole' });
      });
      const { hardware, workload, view, link } = await heard('state', 'whole');
      const names = [hardware, workload].map((document) => /^name: (.*)/m.exec(document)[1]);
      assert.deepEqual([...names, view], ['TPU-like DF', 'Three convolutions', 'landscape']);
      await frame.locator('[data-testid=metric-latency][aria-pressed=true]').waitFor();
      await frame.evaluate(() => window.settle());
      await done(frame);
      assert.equal((await get('settled')).link, link);
    });

    await step(t, 'what makes no sense is answered with all that is wrong, and changes nothing', async () => {
      const answers = () => page.evaluate(() => window.messages.filter(({ type }) => ['state', 'error'].includes(type)).length);
      const before = await answers();
      await say({ fusescape: 1, type: 'set', id: 'bad', hardware: 'tpu-lik', metric: 'joule', link: '1x', more: [] });
      const { errors } = await heard('error', 'bad');
      assert.deepEqual(errors.map(({ place }) => place), ['more', 'link', 'hardware', 'metric']);
      assert.ok(errors.every(({ reason, remedy }) => reason && remedy));
      await say({ fusescape: 1, type: 'set', id: 'long', hardware: 'x'.repeat(5 << 20) });
      assert.match((await heard('error', null)).errors[0].reason, /more than/);
      // Messages for others, or not in JSON: no answer, no effect.
      await page.evaluate(() => {
        const loop = {};
        loop.loop = loop;
        for (const message of ['hello', 7, null, loop, new Map(), { type: 'get' }, 10n]) window.tell(message);
      });
      assert.match((await get('after')).hardware, /TPU-like DF/);
      assert.equal((await answers()) - before, 3);
    });

    await step(t, 'nothing is kept, no other window is listened to, and scrolling is left to the host', async () => {
      assert.deepEqual(await frame.evaluate(() => window.touched), []);
      assert.equal(await frame.evaluate(() => document.cookie), '');
      // A message that the frame sends to itself is not from the host.
      await frame.evaluate(() => {
        const isHeard = new Promise((heard) => addEventListener('message', heard, { once: true }));
        window.postMessage({ fusescape: 1, type: 'set', hardware: 'eyeriss-like' });
        return isHeard.then(() => {});
      });
      assert.match((await get('own')).hardware, /TPU-like DF/);

      await page.evaluate(() => {
        const { height } = window.messages.findLast(({ type }) => type === 'resize');
        document.querySelector('iframe').style.height = `${height}px`;
      });
      await page.evaluate(() => window.scrollTo(0, 300));
      await frame.locator('.heatmap').first().hover();
      const before = await page.evaluate(() => scrollY);
      await page.mouse.wheel(0, 400);
      await page.waitForFunction((before) => scrollY > before, before);
    });

    await step(t, 'a document with errors is refused with all of them, and what a reader breaks is told', async () => {
      const before = await get('unbroken');
      const hardware = before.hardware.replace('memories:', 'memoriez:').replace(/mac_energy: .*/, 'mac_energy: much');
      await say({ fusescape: 1, type: 'set', id: 'broken', hardware, workload: 'name: own\nlayers: 7\n' });
      const { errors } = await heard('error', 'broken');
      const places = errors.map(({ place }) => place);
      assert.ok(places.includes('hardware.array.mac_energy') && places.some((place) => place.startsWith('workload.')), places.join());
      const after = await get('unchanged');
      assert.deepEqual([after.link, after.results], [before.link, before.results]);

      // Documents are edited as text, as `text` is among the controls.
      await frame.getByTestId('hardware-as-text').click();
      await frame.getByTestId('hardware-text').waitFor();
      assert.equal(await frame.locator('textarea, [data-testid$=-as-text], input[type=file]').count(), 3);
      await frame.getByTestId('hardware-text').fill(hardware);
      await isTold('rejected');
      const { results } = await page.evaluate(() => window.messages.findLast(({ type }) => type === 'changed'));
      assert.equal(results.best, null);
      assert.ok(results.errors.some(({ place }) => place === 'hardware.array.mac_energy'), JSON.stringify(results.errors));
    });
  }));

test('a view in a narrow frame', (t) =>
  withHost(
    'view=schedule&theme=dark',
    THREE_POINTS,
    async (visit) => {
      const { frame, screenshot, step } = visit;
      await step(t, 'its height is told at most twice while it loads, and once when an edit is worked out', () =>
        assertCalm('schedule', visit));
      await step(t, 'it is shown alone, at 390 px in the dark', async () => {
        assert.equal(await frame.locator('nav, header').count(), 0);
        assert.equal(await frame.locator('[data-testid=hardware-card], textarea, input[type=file]').count(), 0);
        const beyond = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `${beyond} px too wide`);
        await screenshot('embed-schedule');
      });
    },
    { viewport: { width: 390, height: 844 } },
  ));

test('a reader drags the figures that the address names, within their ranges, and changes nothing else', () =>
  withHost(`view=landscape&controls=${FIGURES}`, THREE_POINTS, async ({ page, frame, screenshot }) => {
    const slider = frame.getByTestId('sram_64KB-size-drag');
    /** The host's message at the end of the sweep of another design. */
    const swept = async (before) => {
      const told = await page.waitForFunction((before) => {
        const told = window.messages.findLast(({ type }) => type === 'changed');
        return told?.results.status === 'done' && told.link !== before && told;
      }, before);
      return told.jsonValue();
    };
    const first = await swept();
    assert.equal(await slider.getAttribute('aria-valuetext'), '64 KiB');
    assert.equal(await frame.locator('[data-testid$=-card], textarea, main input[type=text]').count(), 0);
    // The other parameter names a missing memory: reported, with the closest name.
    assert.match(await frame.getByTestId('parameter-errors').innerText(), /Did you mean sram_64KB\?/);

    await slider.press('End');
    const most = await swept(first.link);
    assert.equal(await slider.getAttribute('aria-valuetext'), '256 KiB');
    assert.deepEqual(most.results.opened, most.results.best);
    await slider.press('Home');
    const least = await swept(most.link);
    assert.equal(await slider.getAttribute('aria-valuetext'), '16 KiB');
    assert.ok(least.results.best.energy_pj > most.results.best.energy_pj, 'a smaller memory costs more');
    await screenshot('embed-parameters');
  }));

test('the snippet of the dialog, in a page', (t) =>
  withOrigin(({ host, folder }) =>
    withPage(
      async ({ page, url, step }) => {
        const snippet = () => page.getByTestId('embed-snippet').inputValue();
        let html;
        await step(t, 'the dialog gives a snippet of what is chosen, and leads to what is written about it', async () => {
          await page.goto(`${url}#${FIG_6}`);
          await page.getByTestId('loop-editor').waitFor();
          await page.getByTestId('embed').click();
          assert.equal(await page.getByTestId('embed-view').inputValue(), 'mapping');
          await page.getByTestId('embed-view').selectOption('schedule');
          await page.getByTestId('embed-control-network').check();
          await page.getByTestId('embed-control-hardware').check();
          await page.getByTestId('embed-theme').selectOption('light');
          assert.match(await snippet(), /embed\.html\?view=schedule&amp;controls=hardware,network&amp;theme=light#1/);
          assert.ok((await snippet()).length < 600, `${(await snippet()).length} characters`);
          await page.getByTestId('embed-height').selectOption('420');
          await page.getByTestId('embed-fits').check();
          html = await snippet();
          const docs = await page.getByTestId('embed-docs').getAttribute('href');
          const answered = await page.request.get(new URL(docs, url).href);
          assert.match(await answered.text(), /^# One view inside another page[^]*postMessage/);
        });

        const mistaken = html.replace('view=schedule', 'view=landscap').replace(/#1[^"]*/, '#1xyz');
        await writeFile(join(folder, 'index.html'), `<!doctype html><title>A course</title><link rel="icon" href="data:,">${html}<p>Text</p>${mistaken}`);
        await page.goto(host.url);
        const frames = await page.locator('iframe').elementHandles();
        const views = await Promise.all(frames.map((frame) => frame.contentFrame()));
        await step(t, 'it shows what was chosen; an address with mistakes shows them, and the rest', async () => {
          await frames[0].scrollIntoViewIfNeeded();
          await views[0].locator('[data-testid=hardware-preset]').waitFor();
          assert.equal(await views[0].getByTestId('hardware-preset').inputValue(), 'eyeriss-like');
          await views[0].getByTestId('stack-facts').waitFor();
          await frames[1].scrollIntoViewIfNeeded();
          const text = await views[1].getByTestId('embed-wrong').innerText();
          assert.match(text, /landscap cannot be used here\. Did you mean landscape\?[^]*damaged/);
          await done(views[1]);
          await views[1].getByTestId('hardware-preset').waitFor();
        });
        await step(t, 'with a script it is as high as its content, and listens to nobody else', async () => {
          for (const [index, view] of views.entries()) {
            await frames[index].scrollIntoViewIfNeeded();
            await view.locator('.canvas').first().waitFor();
            await isHeight(view, () => frames[index].evaluate(({ style }) => Number.parseInt(style.height)));
          }
          const heights = () => page.locator('iframe').evaluateAll((frames) => frames.map(({ style }) => style.height));
          const before = await heights();
          assert.notEqual(before[0], before[1]);
          await page.evaluate(() => {
            const isHeard = new Promise((heard) => addEventListener('message', ({ data }) => data.height === 7 && heard()));
            window.postMessage({ fusescape: 1, type: 'resize', height: 7 }, '*');
            return isHeard;
          });
          assert.ok((await heights()).every((height) => height !== '7px'), (await heights()).join());
        });
      },
      { hosts: [host.url] },
    ),
  ));
