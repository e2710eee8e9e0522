// One hover lights everything: what is pointed at in one place is lit wherever it stands, and stays lit after a click.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './harness.mjs';
import { settled } from './views.mjs';

/** How many places are lit, by kind of place. */
const lit = (page) =>
  page.evaluate(() => Object.fromEntries(['.hierarchy', '.graph', '.answers'].map((part) => [part, document.querySelectorAll(`${part} .lit, ${part} .regions svg rect`).length])));

test('on every view with parts a key walks through them, Enter keeps one lit everywhere, and Enter again lets it go', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    let walked = 0;
    for (const tab of ['landscape', 'schedule', 'mapping']) {
      await page.getByTestId(`tab-${tab}`).click();
      // What lies under the pointer is lit before what is pinned.
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
        // Kept by Enter, though nothing points at it.
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

test('what is pinned stays lit in the form, in other figures and in other views', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    await page.getByTestId('tab-schedule').click();
    await page.mouse.move(2, 2);
    const part = (name) => page.locator(`.answers .regions[aria-label^="${name}:"]`);
    await part('accesses').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await part('accesses').blur();
    await page.locator('.hierarchy .lit', { hasText: 'dram' }).waitFor();
    await page.getByTestId('tab-mapping').click();
    await page.mouse.move(2, 2);
    await part('memory energy').locator('svg rect').first().waitFor();
    assert.match(await page.locator('.hierarchy .lit').innerText(), /^dram/);

    // A tile type: on its map and in the strip of its memories.
    await page.getByTestId('tab-schedule').click();
    await page.mouse.move(2, 2);
    await part('tile types').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await part('tile types').blur();
    for (const name of ['tile types', 'top memories']) await part(name).locator('svg rect').first().waitFor();
    assert.equal(await page.locator('.hierarchy .lit').count(), 0, 'one thing is pinned at a time');
  }));
