// The page end to end: what it shows is what the native engine computes, whatever happens on the way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { THREE_POINTS, commandLine, pickPreset, violations, withPage } from './harness.mjs';

test('the page end to end', (t) =>
  withPage(async ({ page, url, screenshot, step }) => {
    await open(page, url);

    await step(t, 'the heatmaps agree with the native engine to the digit', async () => {
      await assertAgrees(page, 'corrected', [
        ['fully-recompute', 60, 72],
        ['h-cached-v-recompute', 4, 72],
        ['fully-cached', 960, 540],
      ]);
      // The number of mappings differs from run to run, so it is not printed.
      assert.match(await page.getByTestId('kpi-effort').innerText(), /^[\d.]+ s\s+for 108 points$/);
    });

    await step(t, 'a click and the keyboard open a point, which is explained', async () => {
      const cell = await cellOf(page, 'fully-cached', 16, 18);
      const map = page.getByTestId('heatmap-fully-cached').locator('.heatmap');
      await pointAt(page, map, '16 × 18, fully-cached');
      assert.match(await map.locator('.tooltip').innerText(), /Energy\s+1\.87 mJ/);
      await page.mouse.down();
      await page.mouse.up();
      await page.getByTestId('layer-tiles').waitFor();
      assert.equal(await opened(page, 'energy', 'energy-pj'), cell.energyPj);
      assert.equal(await opened(page, 'latency', 'latency-cycles'), cell.latencyCycles);
      assert.match(await page.getByTestId('opened-tile').innerText(), /^16 × 18/);
      for (const figure of ['tile-types', 'top-memories', 'data-sizes', 'accesses', 'energy-by-cause', 'latency-by-cause']) {
        await assertDrawn(page, figure);
      }

      await page.getByTestId('tab-landscape').click();
      await map.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowLeft');
      assert.match(await map.locator('[aria-live]').innerText(), /^4 × 72, fully-cached: Energy 1\.81 mJ/);
      await page.keyboard.press('Enter');
      await page.getByTestId('opened-tile').getByText('4 × 72').waitFor();
    });

    await step(t, 'one tile is no tiles', async () => {
      await page.getByTestId('tab-schedule').click();
      await page.getByTestId('open-layer-by-layer').click();
      await page.getByRole('heading', { name: 'The only tile', exact: true }).waitFor();
      assert.match(await page.getByTestId('stack-facts').innerText(), / · 1 tile · /);
      await page.getByTestId('open-best').click();
      await page.getByRole('heading', { name: /^Tile type \d+ of \d+/ }).waitFor();
      assert.match(await page.getByTestId('stack-facts').innerText(), / · [\d\s]+ tiles of \d+ types · /);
      // The first tile alone fetches the weights, so it has a type of its own.
      const before = page.getByTestId('tile-type-before');
      while (await before.isEnabled()) await before.click();
      await page.getByRole('heading', { name: /^Tile type 1 of / }).waitFor();
      await page.getByText(/, 1 tile from \(0, 0\) on/).waitFor();
    });

    await step(t, 'the page fits a window of 390 px in the dark', async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 900 });
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await screenshot('schedule-390-dark');
      await page.setViewportSize({ width: 1280, height: 800 });
    });

    await step(t, 'a network of several stacks shows each, and the best combination of them', async () => {
      await page.getByTestId('tab-landscape').click();
      await pickPreset(page, 'hardware', 'tpu-like-df');
      await pickPreset(page, 'workload', 'resnet18');
      await page.getByTestId('tiles-x').fill('7 56');
      await page.getByTestId('tiles-y').fill('7 56');
      // The sweep may be over before the test looks.
      await page.getByTestId('kpi-effort').getByText('for 12 points').waitFor();
      await settled(page, 'done');
      assert.match(await page.getByTestId('combination').innerText(), /best combination[^]*best single strategy[^]*stack 2/);
      const comparison = page.getByTestId('comparison-energy').locator('table');
      await comparison.getByText('best combination').waitFor({ state: 'attached' });
      await page.getByTestId('open-best').click();
      await page.getByTestId('stack-2').click();
      await page.getByText('Stack 2 of ').waitFor();
      await page.getByTestId('open-layer-by-layer').click();
      await page.getByTestId('opened-tile').getByText('whole map').waitFor();
    });
  }));

test('mistakes', (t) =>
  withPage(
    async ({ page, url, step }) => {
      await open(page, url);

      await step(t, 'mistakes are listed with line, reason and remedy, and nothing is lost', async () => {
        await page.getByTestId('hardware-as-text').click();
        const text = page.getByTestId('hardware-text');
        const good = await text.inputValue();
        await text.fill(good.replace('size: 32 KiB', 'size: 32 Kib').replace('mac_energy: 0.04 pJ', 'mac_energy: 0.04 pF'));
        const errors = page.getByTestId('hardware-errors');
        await errors.waitFor();
        assert.equal(await errors.locator('li').filter({ hasText: /line \d+/ }).count(), 2, await errors.innerText());
        assert.equal(await root(page).getAttribute('data-status'), 'rejected');
        assert.match(await text.inputValue(), /32 Kib/);
        assert.equal((await allCells(page)).length, 108, 'the last results stay');

        await pickPreset(page, 'hardware', 'tpu-like');
        await settled(page, 'done');
        await pickPreset(page, 'hardware', { label: 'my own hardware' });
        assert.match(await text.inputValue(), /32 Kib/);
        await text.fill(good);
        await settled(page, 'done');

        await page.getByTestId('tiles-x').fill('4 0 x');
        const wrong = page.getByTestId('schedule-errors');
        await wrong.waitFor();
        assert.equal(await wrong.locator('li').count(), 2, await wrong.innerText());
        await page.getByTestId('tiles-x').fill('4 5000');
        await page.getByTestId('schedule-notes').getByText('taken as the whole map').waitFor();
        await wrong.waitFor({ state: 'detached' });
      });

      await step(t, 'what does not fit is explained', async () => {
        await page.getByTestId('tiles-x').fill('4 60');
        await page.getByTestId('tiles-y').fill('72');
        const text = page.getByTestId('hardware-text');
        // The maps alone take 28 MiB.
        await text.fill((await text.inputValue()).replace('size: 10000000000 bit', 'size: 1000 bit'));
        await settled(page, 'done');
        await page.getByTestId('impossible').waitFor();
        assert.match(await page.getByTestId('impossible').innerText(), /6 of 6 points cannot be scheduled/);
        assert.match(await page.getByTestId('impossible').textContent(), /dram/);
      });

      await step(t, 'a click leads from the results to the first error, in the text and in the form', async () => {
        const text = page.getByTestId('hardware-text');
        await text.fill((await text.inputValue()).replace('size: 32 KiB', 'size: -32'));
        await page.getByTestId('first-error').click();
        const selected = await text.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
        assert.match(selected, /size: -32/);
        await page.getByTestId('hardware-as-text').click();
        await page.getByTestId('first-error').click();
        const panel = page.getByTestId('memory-panel');
        await panel.getByText('-32 is negative. It must be positive').waitFor();
        assert.doesNotMatch(await page.getByTestId('hardware-card').innerText(), /`/);
      });
    },
    { viewport: { width: 390, height: 844 } },
  ));

test('what is chosen is taken up at once, and so is a first keystroke; what follows it after a pause', () =>
  withPage(async ({ page, url }) => {
    await page.addInitScript(() => {
      const post = Worker.prototype.postMessage;
      window.editsSent = new Set();
      Worker.prototype.postMessage = function (message, ...rest) {
        // The first message of an edit to a worker is of kind 0, followed by the edit's number.
        if (message instanceof Uint8Array && message[0] === 0) window.editsSent.add(message[1]);
        return post.call(this, message, ...rest);
      };
    });
    await page.clock.install();
    await open(page, url);
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
    const sent = () => page.evaluate(() => window.editsSent.size);
    // While the clock stands, no pause ends, but workers still answer.
    const isSent = (edits) => page.waitForFunction((edits) => window.editsSent.size === edits, edits);
    assert.equal(await sent(), 1, 'the first sweep');

    await page.getByTestId('tiles-x').fill('4');
    await page.clock.runFor(1);
    await isSent(2);
    await page.getByTestId('tiles-x').fill('4 6');
    await page.clock.runFor(150);
    await page.getByTestId('tiles-x').fill('4 60');
    await page.clock.runFor(150);
    assert.equal(await sent(), 2, 'who types is not interrupted');
    await page.clock.runFor(100);
    await isSent(3);

    for (const choose of [
      () => page.getByTestId('mode-fully-recompute').uncheck(),
      () => pickPreset(page, 'hardware', 'tpu-like-df'),
      () => page.getByTestId('figure-12').click(),
    ]) {
      const before = await sent();
      await choose();
      await page.clock.runFor(1);
      await isSent(before + 1);
    }

    // The last keystrokes are part of it, and are sent once.
    const before = await sent();
    await page.getByTestId('tiles-x').fill('4 6 8');
    await page.clock.runFor(1);
    await isSent(before + 1);
    await page.getByTestId('tiles-x').fill('4');
    await page.getByTestId('mode-fully-cached').uncheck();
    await page.clock.runFor(1);
    await isSent(before + 2);
    await page.clock.resume();
    await settled(page, 'done');
    assert.equal(await sent(), before + 2);
    assert.equal(await page.evaluate(() => window.fusescape.state().points), 12);
    // The shown number never covers a control for long while somebody edits, however low the results beside the design
    // are.
    const [control, readout] = await page.evaluate(() => {
      document.querySelector('.answers').style.display = 'none';
      document.querySelector('[data-testid=tiles-x]').focus();
      scrollTo(0, document.documentElement.scrollHeight);
      const placeOf = (name) => document.querySelector(`[data-testid=${name}]`).getBoundingClientRect().toJSON();
      return ['figure-12', 'readout'].map(placeOf);
    });
    assert.ok(control.height > 0 && readout.height > 0 && control.bottom <= readout.top, `${control.bottom} > ${readout.top} px`);
  }));

test('a long sweep stops, goes on when asked, and outlives a worker', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.goto(url + THREE_POINTS);
    await settled(page, 'done');
    const expected = await allCells(page);
    const notices = page.getByTestId('notices');

    await step(t, 'a long sweep stops and goes on when asked', async () => {
      // One problem alone takes LOMA seconds, so only replacing the workers stops them.
      await searchByLoma(page);
      await page.getByTestId('lpf-limit').selectOption('10');
      // Planned, but not all of it is solved.
      await page.waitForFunction(() => {
        const { status, points, pointsDone } = window.fusescape.state();
        return status === 'running' && points > pointsDone && window.fusescape.busy() > 0;
      });
      await page.getByTestId('stop').click();
      await settled(page, 'stopped');
      await page.waitForFunction(() => window.fusescape.busy() === 0);
      const { points, pointsDone } = await page.evaluate(() => window.fusescape.state());
      assert.ok(pointsDone < points, 'it stopped before the end');
      await page.getByTestId('continue').click();
      await settled(page, 'running');
    });

    await step(t, 'a worker that fails is replaced, the page says so, and no number changes', async () => {
      const workers = await page.evaluate(() => window.fusescape.workers());
      await page.evaluate(() => window.fusescape.killWorker(0));
      await notices.waitFor();
      assert.match(await notices.innerText(), /Worker 1 failed .*unreachable.* replaced/);
      // The newest edit wins, whatever is in progress.
      await page.getByTestId('strategy').selectOption('exact, proved optimal');
      await settled(page, 'done');
      assert.deepEqual(await allCells(page), expected);
      assert.equal(await page.evaluate(() => window.fusescape.workers()), workers);
      await page.getByTestId('dismiss').click();
      await notices.waitFor({ state: 'detached' });
    });
  }));

test('a fine landscape refines, is zoomed into by drag, keyboard and buttons, and opens a point', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('mode-fully-recompute').uncheck();
    await page.getByTestId('mode-h-cached-v-recompute').uncheck();
    await page.getByTestId('tiles-x').fill('20..960:20');
    await page.getByTestId('tiles-y').fill('540');
    await page.waitForFunction(() => window.fusescape.state().points === 48);
    await settled(page, 'done');
    const zoomedTo = (range) => page.getByTestId('zoom-range').getByText(range).waitFor();
    const whole = 'Tile widths 20 to 960, heights 540';
    await zoomedTo(whole);
    const map = page.getByTestId('heatmap-fully-cached').locator('.heatmap');
    await map.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const box = await map.locator('canvas').boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.6, { steps: 4 });
    await page.locator('.zoom-frame').waitFor();
    await page.mouse.up();
    // The end of a drag is no click: a part of the landscape is still shown.
    await page.waitForFunction(() => !document.querySelector('[data-testid="zoom-range"]').innerText.includes('to 960'));
    await page.getByTestId('zoom-reset').click();
    await zoomedTo(whole);
    await page.getByTestId('zoom-in').click();
    await zoomedTo(/^Tile widths (?!20 to 960)\d+ to \d+, heights/);
    await map.focus();
    await page.keyboard.press('0');
    await zoomedTo(whole);
    await page.keyboard.press('Home');
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await zoomedTo(/^Tile widths 20 to 240,/);
    // The window follows the cursor.
    await page.keyboard.press('End');
    await zoomedTo(/^Tile widths 740 to 960,/);
    await map.locator('[aria-live]').getByText(/^960 × \d+, fully-cached: Energy/).waitFor({ state: 'attached' });
    const focus = () => page.evaluate(() => document.activeElement.innerText);
    await page.keyboard.press('Enter');
    await page.getByTestId('opened-tile').getByText('960 × ').waitFor();
    await page.waitForFunction(() => document.activeElement !== document.body);
    assert.equal(await focus(), 'Schedule');
  }));

test('two fingers zoom a fine landscape in and out, one scrolls the page', () =>
  withPage(
    async ({ page, url }) => {
      await open(page, url);
      await page.getByTestId('mode-fully-recompute').uncheck();
      await page.getByTestId('mode-h-cached-v-recompute').uncheck();
      await page.getByTestId('tiles-x').fill('20..960:20');
      await page.getByTestId('tiles-y').fill('540');
      await page.waitForFunction(() => window.fusescape.state().points === 48);
      await settled(page, 'done');
      // Cards that are fetched late move the focused field, and the page with it.
      for (const name of ['comparison-energy', 'trade-off', 'mac-counts']) await page.getByTestId(name).waitFor();
      const map = page.getByTestId('heatmap-fully-cached').locator('.heatmap');
      await map.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      // Places of the fingers: the part above the map may grow while it is zoomed.
      const inMap = async () => {
        const { x, y, width, height } = await map.locator('canvas').boundingBox();
        return [x + width / 2, y + height * 0.4];
      };
      const session = await page.context().newCDPSession(page);
      const touch = (type, ...places) => {
        const touchPoints = places.map(([x, y], id) => ({ x, y, id }));
        return session.send('Input.dispatchTouchEvent', { type, touchPoints });
      };
      const pinch = async (from, to) => {
        const [middle, line] = await inMap();
        const fingers = (apart) => [[middle - apart, line], [middle + apart, line]];
        await touch('touchStart', fingers(from)[0]);
        await touch('touchStart', ...fingers(from));
        const step = Math.sign(to - from) * 5;
        for (let apart = from; apart !== to; apart += step) await touch('touchMove', ...fingers(apart + step));
        await touch('touchEnd', fingers(to)[0]);
        await touch('touchEnd');
      };
      const shown = async () => {
        const [, first, last] = /widths (\d+) to (\d+)/.exec(await page.getByTestId('zoom-range').innerText());
        return [Number(first), Number(last)];
      };
      const place = () => page.evaluate(() => [window.scrollY, window.visualViewport.scale]);

      assert.deepEqual(await shown(), [20, 960]);
      const before = await place();
      await pinch(20, 80);
      const [first, last] = await shown();
      assert.ok(first > 20 && last < 960, `${first} to ${last}`);
      await pinch(80, 20);
      const [outer, end] = await shown();
      assert.ok(outer < first && end > last, `${outer} to ${end}`);
      assert.deepEqual(await place(), before, 'the page neither scrolls nor grows');

      const window = await shown();
      const [middle, line] = await inMap();
      await touch('touchStart', [middle, line]);
      for (let moved = 10; moved <= 150; moved += 10) await touch('touchMove', [middle, line - moved]);
      await touch('touchEnd');
      await page.waitForFunction((before) => window.scrollY > before, before[0]);
      assert.deepEqual(await shown(), window);
      await page.getByTestId('tab-landscape').and(page.locator('[aria-current=page]')).waitFor();
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ));

// --- helpers ----------------------------------------------------------------------------------------------

function root(page) {
  return page.getByTestId('root');
}

async function open(page, url) {
  await page.goto(url);
  await settled(page, 'done');
}

async function settled(page, status) {
  await page.locator(`[data-testid=root][data-status=${status}]`).waitFor();
}

/** LOMA instead of the exact search: it takes as long as its limit allows. */
async function searchByLoma(page) {
  const generation = await root(page).getAttribute('data-generation');
  await page.getByTestId('strategy').selectOption('LOMA, loop orders');
  await page.locator(`[data-testid=root]:not([data-generation="${generation}"])`).waitFor();
  await settled(page, 'done');
}

/** The native engine's output for one tile size. The rules of the public tool come with its search. */
function native(rules, mode, x, y) {
  const command = ['depth-first', '--hardware', 'meta-proto-like-df', '--workload', 'fsrcnn-defines'];
  const strategy = rules === 'corrected' ? 'exact' : 'loma';
  const options = ['--mode', mode, '--tile', `${x}x${y}`, '--rules', rules, '--strategy', strategy, '--format', 'json'];
  return JSON.parse(commandLine(...command, ...options)).points[0];
}

async function assertAgrees(page, rules, cells) {
  for (const [mode, x, y] of cells) {
    const here = await cellOf(page, mode, x, y);
    const there = native(rules, mode, x, y);
    const what = `${rules}, ${mode}, ${x} x ${y}`;
    assert.equal(here.energyPj, there.energy_pj, `energy of ${what}`);
    assert.equal(here.latencyCycles, there.latency_cycles, `latency of ${what}`);
    assert.equal(here.macs, there.macs, `MACs of ${what}`);
    assert.equal(here.dramWords, there.dram_words, `DRAM words of ${what}`);
  }
}

async function cellOf(page, mode, x, y) {
  return numbers(page.locator(`table[data-mode=${mode}] td[data-x="${x}"][data-y="${y}"]`));
}

function numbers(cell) {
  return cell.evaluate(({ dataset }) =>
    Object.fromEntries(['energyPj', 'latencyCycles', 'macs', 'dramWords'].map((name) => [name, Number(dataset[name])])),
  );
}

/** All values of all heatmaps, by name: the order in which cells were computed is irrelevant. */
function allCells(page) {
  return page.locator('table[data-mode] td').evaluateAll((cells) => cells.map((cell) => ({ ...cell.dataset })));
}

/** Moves the mouse over a heatmap until the tooltip of a cell is shown. */
async function pointAt(page, map, title) {
  await map.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await map.boundingBox();
  for (let row = 0.1; row < 0.9; row += 0.1) {
    for (let column = 0.1; column < 1; column += 0.1) {
      await page.mouse.move(x + column * width, y + row * height);
      if ((await map.locator('.tooltip b').allInnerTexts()).includes(title)) return;
    }
  }
  assert.fail(`no cell shows ${title}`);
}

async function opened(page, what, attribute) {
  return Number(await page.getByTestId(`opened-${what}`).getAttribute(`data-${attribute}`));
}

/** Checks that the figure's canvas is filled, at the latest after a frame, and described in words and numbers. */
async function assertDrawn(page, figure) {
  const canvas = page.getByTestId(figure).locator('canvas').first();
  await canvas.waitFor();
  const isDrawn = (figure) => {
    const canvas = document.querySelector(`[data-testid=${figure}] canvas`);
    if (!canvas?.width || !canvas.height) return false;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size > 3;
  };
  await page.waitForFunction(isDrawn, figure);
  assert.ok((await canvas.getAttribute('aria-label')).length > 20, `${figure} is not described`);
  assert.ok((await page.getByTestId(figure).locator('table tr').count()) > 1, `${figure} has no table twin`);
}

async function assertAccessible(page) {
  assert.deepEqual(await violations(page), []);
}

async function assertNoSidewaysScroll(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
}
