// Every view and dialog on a small and a large screen: names and roles, width, saving, table twins. Colours, more
// screens, and slow results are tested by tests/browser/thorough/views.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_POINTS, tooWide, violations, withPage } from './harness.mjs';
import { everyView, unsavedIn } from './views.mjs';

/** Views that compute for seconds: only their first screen is tested. */
const LONG = ['mapping', 'compare', 'fusion', 'cores', 'study', 'hierarchy'];

/** Contrast takes axe longer than all other rules. */
const STRUCTURE = { rules: { 'color-contrast': { enabled: false } } };

/** Places outside of the answers, by the first word of the name. */
const PLACES = {
  hardware: '[data-testid=hardware-card]',
  network: '[data-testid=workload-card]',
  rules: '[data-testid=schedule-card]',
  dialog: 'dialog',
};

test('every view and dialog has names and roles, can be saved, and scrolls nothing sideways', (t) =>
  withPage(async ({ page, url, step }) => {
    await step(t, 'the first page, in its colours, too', async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(url + FEW_POINTS);
      await page.locator('[data-testid=root][data-status=done]').waitFor();
      assert.deepEqual(await violations(page), []);
    });

    for (const [name, come] of await everyView(page)) {
      const isLong = LONG.some((long) => name.startsWith(long));
      if ((isLong && name.includes(',')) || name === 'landscape, tables') continue;
      await step(t, name, async () => {
        // Forms are beside every view; this view is drawn at once.
        if (name.startsWith('hardware')) await page.getByTestId('tab-lessons').click();
        const leave = await (isLong ? page.getByTestId(`tab-${name}`).click() : come(page));
        const wrong = [];
        for (const width of [360, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          // Charts are drawn for another width one frame later.
          await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
          wrong.push(...(await tooWide(page)), ...(await page.evaluate(unsavedIn)).wrong);
        }
        const place = PLACES[/^\w+/.exec(name)[0]] ?? '.answers';
        // The landscape was tested together with the first page.
        if (name !== 'landscape') wrong.push(...(await violations(page, place, STRUCTURE)));
        assert.deepEqual(wrong, []);
        if (typeof leave === 'function') await leave();
      });
    }
  }));
