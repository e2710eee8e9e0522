// Accessibility and width of every embedded view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakes, withPage } from '../harness.mjs';
import { onEveryScreen, settled } from '../views.mjs';

/** The views offered by the dialog. */
async function offered(page, url) {
  await page.goto(url);
  await page.getByTestId('embed').click();
  await page.getByTestId('embed-view').waitFor();
  const options = await page.getByTestId('embed-view').locator('option').all();
  return Promise.all(options.map((option) => option.getAttribute('value')));
}

test('every embedded view on every screen', () =>
  withPage(async ({ page, url }) => {
    const wrong = [];
    const views = await offered(page, url);
    assert.ok(views.length >= 9, views.join());
    for (const view of views) {
      await page.goto('about:blank');
      await page.goto(`${url}embed.html?view=${view}&controls=hardware,network,schedule`);
      await settled(page);
      if (view === 'schedule') await page.getByTestId('layer-tiles').waitFor();
      if (view === 'mapping') await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
      if (view === 'cores') await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
      const mistaken = await onEveryScreen(page, () => mistakes(page));
      wrong.push(...mistaken.map((mistake) => `${view}, ${mistake}`));
    }
    assert.deepEqual(wrong, []);
  }));
