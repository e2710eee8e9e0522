// Highlighting across figures: the subject under the pointer lights up everywhere, and stays lit after a click.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from '../harness.mjs';
import { settled } from '../views.mjs';

/** Number of lit places, by kind. */
const lit = (page) =>
  page.evaluate(() => Object.fromEntries(['.hierarchy', '.graph', '.answers'].map((part) => [part, document.querySelectorAll(`${part} .lit, ${part} .regions svg rect`).length])));

test('on every view with parts a key walks through them, Enter keeps one lit everywhere, and Enter again lets it go', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    let walked = 0;
    for (const [tab, last] of [['landscape', 'mac-counts'], ['schedule', 'motion-figure'], ['mapping', 'loop-nest']]) {
      await page.getByTestId(`tab-${tab}`).click();
      await page.locator(`.answers [data-testid=${last}]`).waitFor();
      // The subject under the pointer has priority over the pinned one.
      await page.mouse.move(2, 2);
      const parts = page.locator('.answers .regions');
      await parts.first().waitFor();
      for (const part of await parts.all()) {
        if (!(await part.isVisible())) continue;
        walked += 1;
        const before = await lit(page);
        await part.focus();
        await page.keyboard.press('Home');
        await part.locator('svg rect').first().waitFor();
        const name = await part.locator('[aria-live]').innerText();
        assert.ok(name.length > 0, 'the part is named');
        await page.keyboard.press('Enter');
        await part.blur();
        // Pinned by Enter, although nothing points at it.
        await part.locator('svg rect').first().waitFor();
        await part.focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('Enter');
        await part.blur();
        await page.waitForFunction((count) => document.querySelectorAll('.answers .regions svg rect').length === count, before['.answers']);
        assert.deepEqual(await lit(page), before, `${tab}, ${name}`);
      }
    }
    assert.ok(walked > 5, `${walked} figures with parts`);
  }));

