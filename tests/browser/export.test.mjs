// Figures and tables leave the page as files that other programs open.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { withPage } from './harness.mjs';

test('a figure is saved as SVG and PNG, its table as CSV and JSON', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const heatmap = page.getByTestId('heatmap-fully-cached');

    const drawing = await saved(page, heatmap.getByTestId('save-svg'));
    assert.equal(drawing.name, 'energy-mj-fully-cached.svg');
    const parsed = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      return { error: document.querySelector('parsererror') !== null, text: document.documentElement.textContent };
    }, drawing.bytes.toString('utf8'));
    assert.equal(parsed.error, false);
    assert.match(parsed.text, /tile width X, columns/);

    const picture = await saved(page, heatmap.getByTestId('save-png'));
    const size = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const { width, height } = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      return { width, height };
    }, picture.bytes.toString('base64'));
    assert.equal(size.width, 1800);

    await heatmap.locator('summary').click();
    const csv = (await saved(page, heatmap.getByTestId('save-csv'))).bytes.toString('utf8').trim().split('\r\n');
    assert.equal(csv.length, 7, 'a header and six tile heights');
    const best = await page.getByTestId('kpi-best').locator('b').innerText();
    const objects = JSON.parse((await saved(page, heatmap.getByTestId('save-json'))).bytes.toString('utf8'));
    const values = objects.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'number');
    assert.ok(values.includes(Number.parseFloat(best)), `${best} is among the values`);
  }));

/** The file that a button gives. */
async function saved(page, button) {
  const waits = page.waitForEvent('download');
  await button.click();
  const download = await waits;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
