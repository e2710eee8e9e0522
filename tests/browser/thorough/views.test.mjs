// Every view and dialog, in both themes, on large and on small screens: accessibility, width, saving, table twins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakes, tooWide, withPage } from '../harness.mjs';
import { everyView, onEveryScreen, settled, unsavedIn } from '../views.mjs';

test('every view on every screen: axe finds nothing, nothing scrolls sideways, all can be saved', () =>
  withPage(async ({ page, url, screenshot }) => {
    await page.goto(url);
    await settled(page);
    const wrong = [];
    const seen = { figures: 0, tables: 0 };
    for (const [name, come] of await everyView(page)) {
      const leave = await come(page);
      const mistaken = await onEveryScreen(page, async (screen) => {
        const unsaved = await page.evaluate(unsavedIn);
        seen.figures += unsaved.figures;
        seen.tables += unsaved.tables;
        const found = [...(await mistakes(page)), ...unsaved.wrong];
        await screenshot(`view-${name}-${screen}`);
        return found;
      });
      wrong.push(...mistaken.map((mistake) => `${name}, ${mistake}`));
      // A large screen, and that of a projector at 150 %.
      for (const [width, height, judge] of [[1920, 1080, mistakes], [853, 480, tooWide]]) {
        await page.setViewportSize({ width, height });
        wrong.push(...(await judge(page)).map((mistake) => `${name}, ${width}: ${mistake}`));
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await leave?.();
    }
    assert.deepEqual(wrong, []);
    assert.ok(seen.figures > 160 && seen.tables > 160, JSON.stringify(seen));
  }));
