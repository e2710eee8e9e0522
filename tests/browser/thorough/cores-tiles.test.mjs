// The tile size of many cores is searched, shown as a curve, and fixed; files contain the shown values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, mistakes, withPage } from '../harness.mjs';

test('a new design opens in the best tiles found, says what is proved, and stands beside the best single core', () =>
  withPage(async ({ page, url, screenshot }) => {
    await page.goto(url);
    await page.getByTestId('tab-cores').click();
    // The best so far is shown before the search has ended.
    await page.getByTestId('cores-best-tiles').waitFor();
    await done(page);
    assert.equal(await page.getByTestId('cores-tiles').getAttribute('data-done'), 'true');
    const sizes = await savedTable(page, 'cores-tiles');
    const best = sizes.filter((row) => row.mark === 'best');
    assert.equal(best.length, 1);
    const latency = sizes.map((row) => row['latency [cycles]']).filter((value) => typeof value === 'number');
    assert.ok(latency.length > 5, latency.join());
    assert.equal(best[0]['latency [cycles]'], Math.min(...latency), 'no size that was run is better');
    assert.match(await page.getByTestId('cores-best-tiles').innerText(), /^The best of \d+ tile sizes: .*is not proved\.$/);
    assert.match(await page.getByTestId('cores-proof').innerText(), /^Proved, for these tiles: if nothing had to travel/);
    const alone = Math.min(...sizes.map((row) => row['latency of the best core alone [cycles]']).filter((value) => value > 0));
    // The single core is evaluated after the schedule.
    const said = await page.getByTestId('cores-single').filter({ hasText: 'core 0' }).innerText();
    assert.match(said, /cores are .* as core 0 alone|cores are .* than core 0/);
    assert.ok(best[0]['latency [cycles]'] <= alone, 'one core is a way to use four, so that four are never slower');
    await screenshot('cores-tiles');

    // The size is fixed: the link states it, and opens without a search.
    const answer = await page.getByTestId('cores-answer').innerText();
    await page.getByTestId('cores-keep-tiles').click();
    await done(page);
    assert.equal(await page.getByTestId('cores-answer').innerText(), answer);
    assert.equal(await page.getByTestId('cores-tiles').count(), 0);
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await done(page);
    assert.notEqual(await page.getByTestId('core-tiles').inputValue(), '0');
    await page.getByTestId('cores-single').filter({ hasText: 'in the same tiles' }).waitFor();
    assert.deepEqual(await mistakes(page), []);
  }));

test('every figure of many cores leaves as a picture with all that the page shows', () =>
  withPage(async ({ page, url }) => {
    await inRows(page, url, '60');
    for (const testid of ['core-timeline', 'core-time', 'system-energy']) {
      const figure = page.getByTestId(testid);
      const shown = await coloured(page, await figure.locator('canvas').evaluate((canvas) => canvas.toDataURL('image/png').split(',')[1]));
      const png = await fileButton(figure, 'png');
      const waiting = page.waitForEvent('download');
      await png.click();
      const saved = await coloured(page, (await bytesOf(await waiting)).toString('base64'));
      assert.ok(shown > 0.01, `${testid}: ${shown} of the canvas is coloured`);
      // Widths differ, shares hardly.
      assert.ok(saved > shown / 2, `${testid}: ${saved} of the file is coloured, ${shown} of the page`);
    }
  }));

test('who wants no motion has no play', () =>
  withPage(async ({ page, url }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await inRows(page, url, '60');
    await page.getByTestId('cursor-slider').waitFor();
    assert.equal(await page.getByTestId('cursor-play').count(), 0);
  }));

// --- helpers ----------------------------------------------------------------------------------------------

async function inRows(page, url, rows) {
  await page.goto(url);
  await page.getByTestId('tab-cores').click();
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  await page.getByTestId('core-rows').fill(rows);
  await done(page);
  await page.locator('[data-testid=cores-improving][data-done=true]').waitFor();
  await done(page);
}

async function done(page) {
  await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
}

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

/** The table of a card, as saved. */
async function savedTable(page, testid) {
  const place = page.getByTestId(testid);
  await place.locator('details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
  const json = await fileButton(place, 'json');
  const [download] = await Promise.all([page.waitForEvent('download'), json.click()]);
  return JSON.parse(String(await bytesOf(download)));
}
