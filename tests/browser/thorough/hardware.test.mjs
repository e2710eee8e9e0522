// The forms of the hardware on every screen.

import { test } from 'node:test';
import { assertFits, withPage } from '../harness.mjs';

for (const [width, colorScheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [360, 'dark']]) {
  test(`the forms of the hardware fit ${width} px, ${colorScheme}`, () =>
    withPage(
      async ({ page, url, screenshot }) => {
        await open(page, url);
        await page.getByTestId('memory-3').click();
        await page.getByTestId('size').fill('64 KB');
        await page.getByTestId('ports').locator('summary').click();
        await page.getByTestId('ports-state').click();
        await assertFits(page, 'hardware-card');
        await screenshot(`memory-${width}-${colorScheme}`);
        await page.getByTestId('array').click();
        await page.getByTestId('array-panel').waitFor();
        await assertFits(page, 'hardware-card');
        await screenshot(`array-${width}-${colorScheme}`);
      },
      { viewport: { width, height: 1000 }, colorScheme },
    ));
}

async function open(page, url) {
  await page.goto(url);
  await page.getByTestId('memory-0').waitFor();
  await done(page);
}

const status = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector('[data-testid=root]').dataset.status === wanted, wanted);
const done = (page) => status(page, 'done');
