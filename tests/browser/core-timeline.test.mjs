// The timeline of many cores end to end: it moves and zooms by every means, tells what a tile has to do with, and leaves as a trace.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { mistakes, withPage } from './harness.mjs';

const MINUTE = 60_000;

test('keys and buttons zoom, move and lead from tile to tile', () =>
  withPage(async ({ page, url }) => {
    const { view } = await opened(page, url);
    const whole = await shown(view);
    assert.equal(whole.start, 0);
    assert.equal(whole.end, whole.all);
    assert.ok(await page.getByTestId('timeline-out').isDisabled(), 'there is no more to see');

    await page.getByTestId('timeline-in').click();
    const half = await changed(view, whole);
    assert.ok(Math.abs(length(half) - length(whole) / 2) <= 2);
    await page.getByTestId('timeline-later').click();
    const later = await changed(view, half);
    assert.ok(later.start > half.start && Math.abs(length(later) - length(half)) <= 2);
    await view.focus();
    await page.keyboard.press('Home');
    const beginning = await changed(view, later);
    assert.equal(beginning.start, 0);
    await page.keyboard.press('End');
    assert.equal((await changed(view, beginning)).end, whole.all);
    await page.keyboard.press('0');
    await changed(view, half, (now) => now.end === whole.all && now.start === 0);

    // The first tile of all, the next on its core, and what it has to do with.
    const said = view.locator('[aria-live]');
    await page.keyboard.press('.');
    const first = await read(said, /: on .*, time 0 to|: on /);
    await page.keyboard.press('.');
    const second = await read(said, /: on /, first);
    assert.equal(core(second), core(first));
    assert.ok(begins(second) > begins(first));
    await page.keyboard.press(',');
    assert.equal(await read(said, /: on /, second), first);
    await page.keyboard.press('ArrowDown');
    assert.notEqual(core(await read(said, /: on /, first)), core(first));
    await page.keyboard.press('Enter');
    const around = await changed(view, whole);
    assert.ok(length(around) < length(whole));
    await page.keyboard.press('Escape');
    await read(said, /^Timeline of/);
  }));

test('a wheel with Ctrl zooms, a plain one scrolls the page, a drag moves, a pointer is told about what it is at', () =>
  withPage(async ({ page, url }) => {
    const { view } = await opened(page, url);
    await view.scrollIntoViewIfNeeded();
    const box = await view.boundingBox();
    const at = await placeOfTile(page, view, box);
    const whole = await shown(view);

    const text = await view.locator('.tooltip b').innerText();
    assert.match(text, /^\S+ \d+ of \d+$/);
    assert.deepEqual(await view.locator('.tooltip dt').allInnerTexts().then((names) => names.slice(0, 3)), ['on', 'time', 'waits for']);

    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    const closer = await changed(view, whole);
    await page.keyboard.up('Control');
    assert.ok(length(closer) < length(whole));
    const share = (at.x - box.x) / box.width;
    assert.ok(closer.start > 0 && closer.start < share * whole.all, 'about the pointer');

    await page.mouse.down();
    await page.mouse.move(at.x - 60, at.y, { steps: 3 });
    await page.mouse.up();
    const dragged = await changed(view, closer);
    assert.ok(dragged.start > closer.start, 'what was at the right comes');
    assert.ok(Math.abs(length(dragged) - length(closer)) <= 2);

    const scrolled = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((before) => scrollY !== before, scrolled);
    assert.deepEqual(await shown(view), dragged);
  }));

test('a click brings a tile out until the next one', () =>
  withPage(async ({ page, url }) => {
    const { view } = await opened(page, url);
    await view.scrollIntoViewIfNeeded();
    const box = await view.boundingBox();
    const at = await placeOfTile(page, view, box);
    await page.mouse.down();
    await page.mouse.up();
    const name = await view.locator('.tooltip b').innerText();
    await read(view.locator('[aria-live]'), new RegExp(`^${name}: on `));
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 30);
    assert.equal(await view.locator('.tooltip b').innerText(), name, 'it stays without a pointer');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.up();
    await read(view.locator('[aria-live]'), /^Timeline of/);
  }));

test('two fingers zoom, one moves', () =>
  withPage(
    async ({ page, url }) => {
      const { view } = await opened(page, url);
      await view.scrollIntoViewIfNeeded();
      const box = await view.boundingBox();
      const whole = await shown(view);
      const client = await page.context().newCDPSession(page);
      const y = box.y + 160;
      const touch = (type, xs) =>
        client.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y, id })) });
      await touch('touchStart', [120]);
      await touch('touchStart', [120, 200]);
      for (const apart of [10, 20, 30, 40]) await touch('touchMove', [120 - apart, 200 + apart]);
      await touch('touchEnd', []);
      const closer = await changed(view, whole);
      assert.ok(length(closer) < 0.7 * length(whole), JSON.stringify(closer));
      await touch('touchStart', [200]);
      for (const x of [180, 160, 140, 120]) await touch('touchMove', [x]);
      await touch('touchEnd', []);
      const later = await changed(view, closer);
      assert.ok(later.start > closer.start);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ));

test('the trace holds every tile, and the table all of them together', () =>
  withPage(async ({ page, url }) => {
    const { view, figure } = await opened(page, url);
    const tiles = Number((await view.locator('canvas').getAttribute('aria-label')).match(/of ([\d\u202f]+) tiles/)[1].replaceAll('\u202f', ''));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-trace').click()]);
    assert.match(download.suggestedFilename(), /-trace\.json$/);
    const trace = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(trace.traceEvents.filter((event) => event.ph === 'X' && event.pid === 1).length, tiles);

    await figure.getByText('links as a table').click();
    await figure.getByRole('cell', { name: /cycles$/ }).first().waitFor();
    await figure.getByText('memories as a table').click();
    await figure.getByText('table', { exact: true }).click();
    const table = figure.getByRole('table', { name: /^Tiles/ });
    await table.waitFor();
    const counts = await table.locator('tbody tr td:nth-of-type(2)').allInnerTexts();
    assert.equal(counts.reduce((sum, count) => sum + Number(count.replaceAll('\u202f', '')), 0), tiles);
    assert.deepEqual(await mistakes(page), []);
  }));

/** The view of many cores with its timeline, once a schedule is known. */
async function opened(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-cores').click();
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  const done = page.locator('[data-testid=cores-view][data-status=done]');
  await done.waitFor();
  // Nothing may change while somebody looks.
  const improving = page.getByTestId('cores-improving');
  const stop = improving.getByRole('button', { name: 'Stop' });
  const rests = improving.and(page.locator('[data-done=true]')).or(improving.getByRole('button', { name: 'Continue' }));
  await Promise.any([rests.waitFor(), stop.click()]);
  await rests.waitFor();
  await done.waitFor();
  const figure = page.getByTestId('core-timeline');
  const view = page.getByTestId('core-timeline-view');
  await view.locator('canvas[width]').waitFor();
  return { figure, view };
}

/** Cycles that are shown, as the canvas describes itself once it rests. */
async function shown(view) {
  const label = await view.locator('canvas').getAttribute('aria-label');
  const [start, end, all] = label.match(/cycles ([\d\u202f.]+) to ([\d\u202f.]+) of ([\d\u202f.]+)\.$/).slice(1).map((text) => Number(text.replaceAll('\u202f', '')));
  return { start, end, all };
}

/** The same once it is another. */
async function changed(view, before, is = () => true) {
  for (const started = Date.now(); Date.now() - started < MINUTE; ) {
    const now = await shown(view);
    if ((now.start !== before.start || now.end !== before.end) && is(now)) return now;
    await view.page().evaluate(() => new Promise(requestAnimationFrame));
  }
  throw new Error(`nothing but ${JSON.stringify(before)} is shown`);
}

/** What an element says once it matches and is not `before`. */
async function read(element, pattern, before) {
  for (const started = Date.now(); Date.now() - started < MINUTE; ) {
    const text = await element.textContent();
    if (pattern.test(text) && text !== before) return text;
    await element.page().evaluate(() => new Promise(requestAnimationFrame));
  }
  throw new Error(`${await element.textContent()} does not match ${pattern}`);
}

/** Moves the pointer over a lane until it is at a tile. */
async function placeOfTile(page, view, box) {
  for (let y = 60; y < 260; y += 8) {
    const at = { x: box.x + box.width * 0.6, y: box.y + y };
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
