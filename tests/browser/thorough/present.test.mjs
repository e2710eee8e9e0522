// A presentation on every screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations, withPage } from '../harness.mjs';

for (const [what, options] of [
  ['1440 px, light', { viewport: { width: 1440, height: 900 } }],
  ['1440 px, dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['1280 x 720 at 150 %', { viewport: { width: 853, height: 480 }, deviceScaleFactor: 1.5 }],
  ['390 px, light', { viewport: { width: 390, height: 844 } }],
]) {
  test(`a presentation shows the heatmaps and nothing beside them: ${what}`, () =>
    withPage(async ({ page, url, screenshot }) => {
      await page.goto(url);
      await done(page);
      await page.keyboard.press('d');
      await page.getByTestId('presenter').waitFor();
      for (const hidden of ['.tools', '#design', '.save']) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(beyond <= 0, `${beyond} px too wide`);
      const maps = page.locator('.maps');
      const end = await maps.evaluate((maps) => maps.getBoundingClientRect().bottom);
      if (what.startsWith('1280')) assert.ok(end <= 480, `without scrolling the heatmaps end at ${end} px`);
      const { y, height } = await maps.evaluate((maps) => {
        maps.scrollIntoView({ block: 'start' });
        return maps.getBoundingClientRect();
      });
      if (options.viewport.width > 800) assert.ok(y + height <= options.viewport.height + 1, `heatmaps end at ${y + height} px`);
      assert.deepEqual(await violations(page), []);
      await screenshot(`present-${what}`);
      await page.keyboard.press('Escape');
      await page.locator('#design').waitFor();
      assert.equal(await page.getByTestId('presenter').count(), 0);
    }, options));
}

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}
