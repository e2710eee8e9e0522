// Two ways to use many cores side by side, in a link, too.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations, withPage } from '../harness.mjs';

test('two ways to use many cores are compared, in a link, too', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await page.getByTestId('tab-cores').click();
    await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
    await page.getByTestId('core-rows').fill('18');
    await page.getByTestId('tab-compare').click();
    await page.getByTestId('pin').click();
    await page.getByText('A and B are the same').waitFor();
    // B: another system, in larger tiles.
    await page.getByTestId('tab-cores').click();
    await page.getByTestId('core-rows').fill('90');
    await page.getByTestId('system-preset').selectOption('stream-2os');
    await page.getByTestId('tab-compare').click();
    const differences = page.getByTestId('differences').locator('tbody tr');
    assert.ok((await differences.allInnerTexts()).some((text) => /cores\.tiles\s+18 rows\s+90 rows/.test(text)));
    assert.ok((await differences.allInnerTexts()).some((text) => text.startsWith('system.')));
    const worked = async () => {
      await page.getByTestId('compare-cores-start').click();
      await page.locator('[data-testid=compare-cores][data-status=done]').waitFor();
      return page.getByTestId('compare-cores').locator('tbody').innerText();
    };
    const both = await worked();
    assert.match(both, /^A: Four of the accelerator[\s\S]*cycles[\s\S]*\nB: 2 cores, 2 OS \(Table 3\)[\s\S]*cycles/);
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByTestId('compare-cores').waitFor();
    assert.equal(await worked(), both);
    // After swapping, earlier requests have no effect any more.
    await page.getByTestId('swap').click();
    await page.locator('[data-testid=compare-cores][data-status=idle]').waitFor();
    assert.match(await worked(), /^A: 2 cores, 2 OS \(Table 3\)[\s\S]*\nB: Four of the accelerator/);
    assert.deepEqual(await violations(page, '[data-testid=compare-cores]'), []);
  }));

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}
