// The forms of the network on every screen.

import { test } from 'node:test';
import { assertFits, pickPreset, withPage } from '../harness.mjs';

for (const [width, colorScheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [360, 'dark']]) {
  test(`the forms of the network fit ${width} px, ${colorScheme}`, () =>
    withPage(
      async ({ page, url, screenshot }) => {
        await open(page, url);
        await pickPreset(page, 'workload', 'resnet18');
        await status(page, 'done');
        await page.getByTestId('layer-5').click();
        await page.getByTestId('cut-2').click();
        await assertFits(page, 'workload-card');
        await page.getByTestId('workload-card').scrollIntoViewIfNeeded();
        await screenshot(`graph-${width}-${colorScheme}`);
        await page.getByTestId('network-settings').click();
        await page.getByTestId('as-table').click();
        await page.getByTestId('row-3').click();
        await assertFits(page, 'workload-card');
        await screenshot(`layers-${width}-${colorScheme}`);
      },
      { viewport: { width, height: 1000 }, colorScheme },
    ));
}

async function open(page, url) {
  await page.goto(url);
  await page.getByTestId('network-graph').waitFor();
  await status(page, 'done');
}

const status = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector('[data-testid=root]').dataset.status === wanted, wanted);
