// A point in depth stays on screen until the next one is computed, so that the layout does not jump.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdableWorkers, pickPreset, withPage } from '../harness.mjs';

for (const [width, colorScheme] of [[1440, 'light'], [390, 'dark']]) {
  test(`undo leaves the schedule in its place until its numbers are there, at ${width} px`, () =>
    withPage(
      async ({ page, url, screenshot }) => {
        await page.addInitScript(holdableWorkers);
        await page.goto(url);
        await page.getByTestId('tab-schedule').click();
        await settled(page);
        const first = await energy(page);
        await pickPreset(page, 'hardware', 'edge-tpu-like-df');
        await page.waitForFunction((first) => document.querySelector('[data-testid=opened-energy]')?.dataset.energyPj !== first, first);
        await settled(page);
        const second = await energy(page);
        assert.notEqual(second, first);

        const facts = page.getByTestId('stack-facts');
        await facts.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        const place = () => facts.evaluate((element) => [element.getBoundingClientRect().top, element.innerText]);
        const before = await place();
        await page.evaluate(() => window.hold());
        await page.keyboard.press('Control+z');
        await page.locator('[data-testid=schedule-view][aria-busy=true].old').waitFor();
        await page.waitForFunction(() => window.fusescape.state().status === 'running');
        assert.deepEqual(await place(), before);
        assert.equal(await energy(page), second);
        await screenshot(`schedule-busy-${width}`);

        await page.evaluate(() => window.release());
        await settled(page);
        assert.equal(await energy(page), first);
        await screenshot(`schedule-settled-${width}`);
      },
      { viewport: { width, height: 900 }, colorScheme },
    ));
}

test('where no point of the next design fits, nothing of the one before is left', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-schedule').click();
    await settled(page);
    await page.getByTestId('hardware-as-text').click();
    const text = page.getByTestId('hardware-text');
    const hardware = await text.inputValue();
    // Not even DRAM has space for a tile.
    await text.fill(hardware.replace(/size: \d+ .*/g, 'size: 2 B'));
    await page.locator('[data-testid=schedule-view]').getByText('No point is known').waitFor();
  }));

async function settled(page) {
  await page.locator('[data-testid=root][data-status=done] [data-testid=schedule-view]:not([aria-busy])').waitFor();
  await page.getByTestId('stack-facts').waitFor();
}

function energy(page) {
  return page.getByTestId('opened-energy').getAttribute('data-energy-pj');
}
