// Many cores: a network is cut into tiles, scheduled while results are shown, examined in time, and changed by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL, bytesOf, fileButton, holdableWorkers, mistakes, withPage } from './harness.mjs';

test('a network runs on many cores: its tiles are searched, drawn in time, placed by hand and compared', (t) =>
  withPage(async ({ page, url, screenshot, step }) => {
    await page.addInitScript(holdableWorkers);
    await page.goto(url + SMALL);
    const answer = page.getByTestId('cores-answer');

    await step(t, 'a new design opens in the best tiles found, which are kept', async () => {
      await page.getByTestId('tab-cores').click();
      await done(page);
      assert.equal(await page.getByTestId('cores-tiles').getAttribute('data-done'), 'true');
      const sizes = await savedTable(page, 'cores-tiles');
      const best = sizes.filter((row) => row.mark === 'best');
      assert.equal(best.length, 1);
      const latency = sizes.map((row) => row['latency [cycles]']).filter((value) => typeof value === 'number');
      assert.ok(latency.length >= 3, latency.join());
      assert.equal(best[0]['latency [cycles]'], Math.min(...latency), 'no size that was run is better');
      assert.match(await page.getByTestId('cores-best-tiles').innerText(), /^The best of \d+ tile sizes: /);
      await improved(page);
      await page.getByTestId('cores-keep-tiles').click();
      await page.getByTestId('cores-tiles').waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.querySelector('[data-testid=core-tiles]').value !== '0');
      await done(page);
    });

    await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
    await page.getByTestId('core-rows').fill('2');
    await done(page);
    await improved(page);
    const found = await answer.innerText();

    await step(t, 'the timeline zooms and moves by every means, and tells of tiles', () => lookedAt(page));

    await step(t, 'a cursor tells which tile runs where, what travels, and what lies in each memory', async () => {
      const slider = page.getByTestId('cursor-slider');
      const table = page.getByTestId('time-cursor').locator('tbody');
      await slider.fill('700');
      const rows = await table.locator('tr').allInnerTexts();
      const cores = rows.filter((row) => /^core \d\s+computes/.test(row));
      assert.equal(cores.length, 4, rows.join('\n'));
      assert.ok(cores.some((row) => /\d+ of \d+, cycles [\d\s]+ to [\d\s]+/.test(row)), cores.join('\n'));
      assert.ok(rows.some((row) => /holds\s+.* of .* \(\d+ %\)/.test(row)), rows.join('\n'));
      // From event to event, and back, by keys.
      const cycle = () => page.getByTestId('cursor-cycle').innerText();
      const before = await cycle();
      await page.getByTestId('cursor-next').click();
      const after = await cycle();
      assert.notEqual(after, before);
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      assert.notEqual(await cycle(), after);
      await slider.fill('960');
      await page.getByTestId('cursor-play').click();
      // It ends at the end.
      await table.getByText('is done').first().waitFor();
      await page.getByTestId('cursor-play').getByText('Play').waitFor();
    });

    await step(t, 'the schedule leaves as a trace, its figure as a picture, and all is fit to be read', async () => {
      const tiles = Number((await view(page).locator('canvas').getAttribute('aria-label')).match(/of ([\d\u202f]+) tiles/)[1].replaceAll('\u202f', ''));
      const trace = JSON.parse((await saved(page, page.getByTestId('save-trace'))).toString());
      assert.equal(trace.traceEvents.filter((event) => event.ph === 'X' && event.pid === 1).length, tiles);
      const figure = page.getByTestId('core-timeline');
      const files = figure.locator('.save[data-of=figure]');
      await files.getByTestId('save').click();
      const png = await saved(page, files.getByTestId('save-png'));
      const shown = await coloured(page, (await figure.locator('canvas').evaluate((canvas) => canvas.toDataURL('image/png'))).split(',')[1]);
      const drawn = await coloured(page, png.toString('base64'));
      assert.ok(shown > 0.01, `${shown} of the canvas is coloured`);
      // Widths differ, shares hardly.
      assert.ok(drawn > shown / 2, `${drawn} of the file is coloured, ${shown} of the page`);
      assert.equal((await savedTable(page, 'core-time')).length, 4, 'a row a core');
      assert.deepEqual(await mistakes(page), []);
      await screenshot('cores');
    });

    await step(t, 'a layer is taken from a core by hand, which outlives mistakes and is undone', async () => {
      // All cores run parts of the last layer; remove one of them.
      const used = page.getByTestId('cores-allocation').locator('tbody tr').last().locator('input:checked').first();
      await used.waitFor({ state: 'attached' });
      const left = await used.getAttribute('data-testid');
      await used.click();
      const byHand = answer.getByText('by hand');
      await byHand.waitFor();
      await done(page);
      const other = await answer.innerText();
      // While a field is invalid, the results of the last valid input are shown.
      await page.getByTestId('core-rows').fill('no');
      await rejected(page);
      assert.equal(await page.getByTestId('core-rows').getAttribute('aria-invalid'), 'true');
      await page.getByTestId('cores-kept').waitFor();
      assert.equal(await byHand.count(), 1, 'it still says where it comes from');
      await page.getByTestId('core-rows').fill('2');
      await isText(page, 'cores-answer', other);
      assert.equal(await page.getByTestId(left).isChecked(), false);
      await page.getByTestId('cores-found').click();
      await isText(page, 'cores-answer', found);
      await page.getByTestId('undo').click();
      await isText(page, 'cores-answer', other);

      // Comparisons with other allocations; the comparison of systems can be stopped.
      await page.getByTestId('compare-allocations').click();
      await page.locator('[data-testid=cores-compared][data-status=done]').waitFor();
      const rows = await savedTable(page, 'cores-compared');
      assert.ok(rows.some((row) => row.allocation === 'chosen by hand' && row['latency [cycles]'] > 0));
      const [shared, single, better] = rows.map((row) => row['latency [cycles]']);
      assert.ok(better <= Math.min(shared, single), 'better cores for single layers are never worse');
      await page.evaluate(() => window.hold());
      await page.getByTestId('sweep-systems').click();
      await page.getByTestId('stop-systems').click();
      await page.locator('[data-testid=cores-systems][data-status=stopped]').waitFor();
      await page.evaluate(() => window.release());
    });

    await step(t, 'a system is edited as text: all that is wrong is told at once, nothing is lost, and what is right is scheduled', async () => {
      await page.getByTestId('system-as-text').click();
      const text = page.getByTestId('system-text');
      const good = await text.inputValue();
      const bad = good.replace('{ name: core 1 }', '{ name: core 0, runs: [convolution] }').replace('width: 64 bit', 'width: none');
      await text.fill(bad);
      await rejected(page);
      const errors = page.getByTestId('cores-errors');
      for (const reason of ['Two cores are called', 'There is no layer type', 'none']) await errors.getByText(reason).first().waitFor();
      // A preset, and back to the text written by hand.
      await page.getByTestId('system-preset').selectOption('ws-pair');
      await done(page);
      await page.getByTestId('system-preset').selectOption('my own system');
      await rejected(page);
      assert.equal(await text.inputValue(), bad);
      const kept = await answer.innerText();
      await text.fill(good.replace(/ {2}- \{ name: core [23] \}\n/g, '').replace('[[core 0, core 1], [core 2, core 3]]', '[[core 0, core 1]]'));
      await page.waitForFunction((kept) => document.querySelector('[data-testid=cores-answer]').innerText !== kept, kept);
      await done(page);
      assert.equal((await savedTable(page, 'core-time')).length, 2);
      await page.getByTestId('core-tiles').selectOption('by hand');
      await page.getByTestId('core-tiles-text').fill('OY 2; cnv1: OY 2');
      await errors.getByText('cnv1').first().waitFor();
      await page.getByTestId('core-tiles-text').fill('OY 2; conv1: OY 4');
      await done(page);
    });
  }));

// --- helpers ----------------------------------------------------------------------------------------------

async function lookedAt(page) {
  const canvas = view(page);
  await canvas.scrollIntoViewIfNeeded();
  // The current schedule, whose last cycle is read from the cursor.
  const slider = page.getByTestId('cursor-slider');
  await slider.fill(await slider.getAttribute('max'));
  const last = (await page.getByTestId('cursor-cycle').innerText()).replace(/[^\d.]/g, '');
  await is(canvas, { start: 0, end: last });
  const whole = await shown(canvas);
  assert.deepEqual([whole.start, whole.end], [0, whole.all]);
  assert.ok(await page.getByTestId('timeline-out').isDisabled(), 'there is no more to see');

  // Buttons and keys.
  await page.getByTestId('timeline-in').click();
  const half = await changed(canvas, whole);
  assert.ok(Math.abs(length(half) - length(whole) / 2) <= 2);
  await page.getByTestId('timeline-later').click();
  const later = await changed(canvas, half);
  assert.ok(later.start > half.start && Math.abs(length(later) - length(half)) <= 2);
  await canvas.focus();
  await page.keyboard.press('End');
  const end = later.end === whole.all ? later : await changed(canvas, later);
  assert.equal(end.end, whole.all);
  await page.keyboard.press('Home');
  assert.equal((await changed(canvas, end)).start, 0);
  await page.keyboard.press('0');
  await is(canvas, whole);

  // The first tile of all, and the next on its core.
  const said = canvas.locator('[aria-live]');
  await page.keyboard.press('.');
  await said.filter({ hasText: /: on / }).waitFor({ state: 'attached' });
  const first = await said.textContent();
  await page.keyboard.press('.');
  await isNot(page, first);
  const second = await said.textContent();
  assert.equal(core(second), core(first));
  assert.ok(begins(second) > begins(first));
  await page.keyboard.press(',');
  await isNot(page, second);
  assert.equal(await said.textContent(), first);
  await page.keyboard.press('ArrowDown');
  await isNot(page, first);
  assert.notEqual(core(await said.textContent()), core(first));
  await page.keyboard.press('Enter');
  assert.ok(length(await changed(canvas, whole)) < length(whole));
  await page.keyboard.press('Escape');
  await said.filter({ hasText: /^Timeline of/ }).waitFor({ state: 'attached' });
  await page.keyboard.press('0');
  await is(canvas, whole);

  // A hover describes the item; a click keeps it.
  const box = await canvas.boundingBox();
  const at = await placeOfTile(page, canvas, box);
  const name = await canvas.locator('.tooltip b').innerText();
  assert.deepEqual(await canvas.locator('.tooltip dt').allInnerTexts().then((names) => names.slice(0, 3)), ['on', 'time', 'waits for']);
  await page.mouse.down();
  await page.mouse.up();
  await said.filter({ hasText: `${name}: on ` }).waitFor({ state: 'attached' });
  await page.mouse.move(box.x + box.width / 2, box.y + box.height + 30);
  assert.equal(await canvas.locator('.tooltip b').innerText(), name, 'it stays without a pointer');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.up();
  await said.filter({ hasText: /^Timeline of/ }).waitFor({ state: 'attached' });

  // Ctrl with the wheel zooms, a plain wheel scrolls the page, a drag moves.
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  const closer = await changed(canvas, whole);
  await page.keyboard.up('Control');
  assert.ok(length(closer) < length(whole));
  const share = (at.x - box.x) / box.width;
  assert.ok(closer.start > 0 && closer.start < share * whole.all, 'about the pointer');
  await page.mouse.down();
  await page.mouse.move(at.x - 60, at.y);
  await page.mouse.up();
  const dragged = await changed(canvas, closer);
  assert.ok(dragged.start > closer.start, 'what was at the right comes');
  assert.ok(Math.abs(length(dragged) - length(closer)) <= 2);
  const scrolled = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 100);
  await page.waitForFunction((before) => scrollY !== before, scrolled);
  assert.deepEqual(await shown(canvas), dragged);

  // Two fingers zoom.
  await canvas.scrollIntoViewIfNeeded();
  const { x, y } = await canvas.boundingBox();
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const touch = (type, xs) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((right, id) => ({ x: x + right, y: y + 160, id })) });
  await touch('touchStart', [120]);
  await touch('touchStart', [120, 200]);
  for (const apart of [10, 20, 30, 40]) await touch('touchMove', [120 - apart, 200 + apart]);
  await touch('touchEnd', []);
  await changed(canvas, dragged, 0.7 * length(dragged));
  await client.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await canvas.focus();
  await page.keyboard.press('0');
  await is(canvas, whole);
}

const view = (page) => page.getByTestId('core-timeline-view');

async function done(page) {
  await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
}

async function rejected(page) {
  await page.locator('[data-testid=cores-view][data-status=rejected]').waitFor();
}

async function improved(page) {
  await done(page);
  // The effect is drawn.
  await page.mouse.move(0, 0);
  await page.locator('[data-testid=cores-improving][data-done=true]').waitFor();
  await done(page);
}

/** Waits until an element has exactly this text. */
function isText(page, testid, text) {
  return page.waitForFunction(([testid, text]) => document.querySelector(`[data-testid=${testid}]`).innerText === text, [testid, text]);
}

/** Waits until the timeline's description changes. */
function isNot(page, text) {
  return page.waitForFunction((text) => document.querySelector('[data-testid=core-timeline-view] [aria-live]').textContent !== text, text);
}

/** The visible cycles, as the canvas describes itself once it rests. */
async function shown(view) {
  const label = await view.locator('canvas').getAttribute('aria-label');
  const [start, end, all] = label.match(/cycles ([\d\u202f.]+) to ([\d\u202f.]+) of ([\d\u202f.]+)\.$/).slice(1).map((text) => Number(text.replaceAll('\u202f', '')));
  return { start, end, all };
}

/** Waits until these cycles are visible. */
async function is(view, { start, end }) {
  await view.page().waitForFunction(
    ([start, end]) => {
      const label = document.querySelector('[data-testid=core-timeline-view] canvas').ariaLabel.replaceAll('\u202f', '');
      return label.includes(`cycles ${start} to ${end} of `);
    },
    [start, end],
  );
}

/** The visible cycles, once they have changed and are at most `most`. */
async function changed(view, before, most = Number.MAX_VALUE) {
  await view.page().waitForFunction(
    ([before, most]) => {
      const label = document.querySelector('[data-testid=core-timeline-view] canvas').ariaLabel.replaceAll('\u202f', '');
      const [start, end] = label.match(/cycles ([\d.]+) to ([\d.]+) of /).slice(1).map(Number);
      return (start !== before.start || end !== before.end) && end - start <= most;
    },
    [before, most],
  );
  return shown(view);
}

/** Moves the pointer over a lane until it is at a tile. */
async function placeOfTile(page, view, box) {
  for (let y = 60; y < 260; y += 8) {
    const at = { x: box.x + box.width * 0.75, y: box.y + y };
    await page.mouse.move(at.x, at.y);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const name = view.locator('.tooltip b');
    if ((await name.count()) > 0 && / of \d+$/.test(await name.innerText())) return at;
  }
  throw new Error('there is no tile');
}

const length = ({ start, end }) => end - start;
const core = (sentence) => sentence.match(/: on (.*?), time/)[1];
const begins = (sentence) => Number(sentence.match(/time ([\d\u202f]+) to/)[1].replaceAll('\u202f', ''));

/** The share of the pixels of a picture that have a colour, neither grey nor the background. */
function coloured(page, base64) {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, alpha] = data.subarray(at, at + 4);
      if (alpha > 128 && Math.max(red, green, blue) - Math.min(red, green, blue) > 30) count += 1;
    }
    return count / (data.length / 4);
  }, base64);
}

/** The file downloaded by a button. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return bytesOf(download);
}

/** The table of a figure or of a card, as saved. */
async function savedTable(page, testid) {
  const place = page.getByTestId(testid);
  await place.locator('details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
  return JSON.parse((await saved(page, await fileButton(place, 'json'))).toString());
}
