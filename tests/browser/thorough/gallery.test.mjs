// The gallery end to end: numbers are computed when an entry is opened, and equal those of the native engine; an entry
// opens its state.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, violations, withPage } from '../harness.mjs';

test('the numbers of an entry are those of the native engine', () =>
  withPage(async ({ page, url }) => {
    await openGallery(page, url);
    for (const id of ['zigzag-fig-6', 'defines-table-1', 'optimus-table-5', 'hwff-table-6-resnet18']) {
      const rows = await computed(page, id);
      const native = commandLine('gallery', id);
      for (const [, published, ours, deviation, fidelity] of rows) {
        assert.ok(
          native.split('\n').some((line) => line.replace(/ {2,}/g, '|').endsWith(`|${published}|${ours}|${deviation}|${fidelity}`)),
          `${id}: ${published}, ${ours}, ${deviation}, ${fidelity}`,
        );
      }
    }
    assert.deepEqual(await violations(page, '[data-testid=gallery]'), []);
  }));

test('an entry opens the state that shows it', () =>
  withPage(async ({ page, url }) => {
    await openGallery(page, url);
    // By keyboard.
    await page.getByTestId('open-zigzag-fig-6').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('design').getByText('Eyeriss-like').waitFor();
    // Its own mapping is in force, not the best.
    await page.getByRole('button', { name: 'Back to the best' }).waitFor();
    await page.getByTestId('loop-information').waitFor();

    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('open-defines-fig-9').click();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('stack-facts').waitFor();
    await page.getByText('60 × 72').first().waitFor();
  }));

test('on a small screen nothing of the gallery scrolls the page sideways', () =>
  withPage(
    async ({ page, url }) => {
      await openGallery(page, url);
      await computed(page, 'zigzag-fig-3');
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(beyond, 0);
    },
    { viewport: { width: 360, height: 800 } },
  ));

async function openGallery(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-gallery').click();
  await page.getByTestId('gallery').waitFor();
}

/** Opens an entry and waits for its numbers; returns the texts of its table, row by row. */
async function computed(page, id) {
  const entry = page.getByTestId(`entry-${id}`);
  await entry.locator('summary').click();
  await page.locator(`[data-testid=entry-${id}][data-status=done]`).waitFor();
  const rows = await entry.locator('table.wrapped tbody tr:has(th)').all();
  return Promise.all(
    rows.map(async (row) => [await row.locator('th').innerText(), ...(await row.locator('td').allInnerTexts())]),
  );
}
