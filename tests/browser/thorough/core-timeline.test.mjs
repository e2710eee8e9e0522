// The timeline of many cores on a small screen with fingers, and its tables.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, mistakes, withPage } from '../harness.mjs';

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
      const closer = await later(view, whole, 0.7 * whole.all);
      await touch('touchStart', [200]);
      for (const x of [180, 160, 140, 120]) await touch('touchMove', [x]);
      await touch('touchEnd', []);
      await later(view, closer);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ));

test('the trace holds every tile, and the table all of them together', () =>
  withPage(async ({ page, url }) => {
    const { figure } = await opened(page, url);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-trace').click()]);
    assert.match(download.suggestedFilename(), /-trace\.json$/);
    const trace = JSON.parse(String(await bytesOf(download)));
    const tiles = trace.traceEvents.filter((event) => event.ph === 'X' && event.pid === 1).length;
    // A figure describes itself once it is drawn, which may be a frame later.
    const tells = (tiles) =>
      document.querySelector('[data-testid=core-timeline-view] canvas').ariaLabel.replaceAll('\u202f', '').includes(`of ${tiles} tiles`);
    await page.waitForFunction(tells, tiles);

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

/** Opens the view of many cores and waits for a schedule. */
async function opened(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-cores').click();
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  await page.getByTestId('core-rows').fill('4');
  // The schedule must not change during the test.
  await page.locator('[data-testid=cores-improving][data-done=true]').waitFor();
  await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
  const figure = page.getByTestId('core-timeline');
  const view = page.getByTestId('core-timeline-view');
  await view.locator('canvas[width]').waitFor();
  return { figure, view };
}

/** The visible part of all cycles, as the canvas describes itself once it rests. */
async function shown(view) {
  const label = await view.locator('canvas').getAttribute('aria-label');
  const [start, end, all] = label.match(/cycles ([\d\u202f.]+) to ([\d\u202f.]+) of ([\d\u202f.]+)\.$/).slice(1).map((text) => Number(text.replaceAll('\u202f', '')));
  return { start, end, all };
}

/** The visible part once it begins later and is at most `most`. */
async function later(view, { start }, most = Number.MAX_VALUE) {
  await view.page().waitForFunction(
    ([from, most]) => {
      const label = document.querySelector('[data-testid=core-timeline-view] canvas').ariaLabel.replaceAll('\u202f', '');
      const [start, end] = label.match(/cycles ([\d.]+) to ([\d.]+) of /).slice(1).map(Number);
      return start > from && end - start <= most;
    },
    [start, most],
  );
  return shown(view);
}
