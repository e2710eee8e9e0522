// Terms of every view.

import { test } from 'node:test';
import { withPage } from '../harness.mjs';

test('every view explains its terms', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    for (const tab of ['landscape', 'schedule', 'mapping', 'fusion', 'cores', 'hierarchy', 'compare', 'gallery', 'attention', 'study']) {
      await page.getByTestId(`tab-${tab}`).click();
      const term = page.locator('.answers .term').first();
      await term.click();
      await page.getByTestId('term-entry').waitFor();
      await page.keyboard.press('Escape');
      await page.getByTestId('term-entry').waitFor({ state: 'detached' });
    }
  }));
