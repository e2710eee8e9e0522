// The table of designs, end to end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, bytesOf, fileButton, withPage } from '../harness.mjs';

test('accelerators and networks are compared in one table, which sorts, opens, saves and is kept by a link', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    const table = page.getByTestId('design-table');
    const cells = page.getByTestId('design-cells');
    await page.getByTestId('table-add-hardware').selectOption('tpu-like-df');
    await page.getByTestId('table-add-workload').selectOption('mccnn');
    await worked(page);
    assert.equal(await cells.locator('tbody tr').count(), 2);
    assert.equal(await cells.locator('tbody td').count(), 4);
    // One accelerator is the best for each network.
    assert.equal(await cells.locator('td.least').count(), 2);
    assert.equal(await cells.getByText(/^[\d.]+×$/).count(), 2);

    // Sorted by a column: ascending, then descending.
    const head = cells.locator('thead th').nth(1);
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    assert.match(await cells.locator('tbody tr').first().locator('td').first().getAttribute('class'), /least/);
    const [first, second] = await cells.locator('tbody th').allInnerTexts();
    await head.getByRole('button').press('Enter');
    assert.deepEqual(await cells.locator('tbody th').allInnerTexts(), [second, first]);

    // Another objective; known results are not computed again.
    const energies = await cells.locator('tbody').innerText();
    await table.getByTestId('as-Latency').click();
    await cells.locator('td', { hasText: 'cycles' }).nth(3).waitFor();
    await table.getByTestId('as-Energy').click();
    assert.equal(await cells.locator('tbody').innerText(), energies);

    const button = await fileButton(page.getByTestId('design-cells'), 'csv');
    const download = page.waitForEvent('download');
    await button.click();
    const lines = (String(await bytesOf(await download))).trim().split('\n');
    assert.match(lines[0], /^workload,hardware,energy_pj,latency_cycles,score,stacks,cuts,impossible/);
    assert.equal(lines.length, 1 + 4);
    await table.getByTestId('design-matrix').locator('canvas').waitFor();
    await assertFits(page, 'design-table');

    // A link keeps the choices.
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await table.waitFor();
    assert.deepEqual((await cells.locator('tbody th').allInnerTexts()).sort(), [first, second].sort());
    await worked(page);

    // A cell opens its design; Back returns to the table.
    await cells.locator('tbody tr', { hasText: 'tpu-like-df' }).locator('td').nth(0).getByRole('button').click();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'tpu-like-df');
    assert.equal(await page.getByTestId('workload-preset').inputValue(), 'mccnn');
    await page.getByTestId('tab-compare').click();
    assert.equal(await cells.locator('tbody tr').count(), 2);
  }));

for (const colorScheme of ['light', 'dark']) {
  for (const width of [390, 1440]) {
    test(`the table fits ${width} px, ${colorScheme}`, () =>
      withPage(
        async ({ page, url, screenshot }) => {
          await open(page, url);
          for (const hardware of ['tpu-like-df', 'edge-tpu-like-df', 'eyeriss-like']) {
            await page.getByTestId('table-add-hardware').selectOption(hardware);
          }
          for (const network of ['mccnn', 'resnet18']) await page.getByTestId('table-add-workload').selectOption(network);
          await worked(page);
          await assertFits(page, 'design-table');
          await page.getByTestId('design-table').scrollIntoViewIfNeeded();
          await page.evaluate(() => document.querySelector('[data-testid=design-table]').scrollIntoView());
          await screenshot(`design-table-${width}-${colorScheme}`);
        },
        { viewport: { width, height: 1000 }, colorScheme },
      ));
  }
}

async function open(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-compare').click();
  await page.getByTestId('design-table').waitFor();
}

/** Waits until every pair is known. */
async function worked(page) {
  const start = page.getByTestId('design-table-start');
  if (await start.count()) await start.click();
  await page.locator('[data-testid=design-table][data-status=done]').waitFor();
}
