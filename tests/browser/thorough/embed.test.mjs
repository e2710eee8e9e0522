// Every view inside a page of another origin: height, hidden parts, and edits by readers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage, violations } from '../harness.mjs';
import { assertCalm, done, withHost } from '../host-page.mjs';

const FIG_6 = '1AT4Awf8AAGlbxUkBAMtS2rEcBWNvbnYyHggCCAMCBwUFAgMCBQ0DDAIgAwUHCAIGCAMDBwgQBWNvbnYyFgIfGRZMhXqe';

for (const width of [1440, 700, 390]) {
  test(`at ${width} px the height is told at most twice while a view loads, and once when an edit is worked out`, async () => {
    for (const view of ['landscape', 'comparison', 'trade-off', 'schedule']) {
      await withHost(`view=${view}`, '', (visit) => assertCalm(view, visit), { viewport: { width, height: 900 } });
    }
  });
}

test('readers get no text to edit unless the host says so', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('hardware-as-text').click();
    await page.getByTestId('hardware-text').waitFor();
    await page.waitForFunction(() => location.hash.length > 2);
    const link = new URL(page.url()).hash;
    const fields = page.locator('textarea, [data-testid$=-as-text], input[type=file]');
    for (const [query, count] of [
      ['view=landscape&controls=hardware,network,schedule', 0],
      ['view=hierarchy&controls=hardware', 0],
      ['view=landscape&controls=hardware,text', 3],
      ['view=hierarchy&controls=text', 1],
    ]) {
      await page.goto('about:blank');
      await page.goto(`${url}embed.html?${query}${link}`);
      await done(page);
      assert.equal(await fields.count(), count, query);
      assert.equal(await page.getByTestId('hardware-preset').count(), query.includes('hardware') ? 1 : 0);
    }
  }));

for (const view of ['landscape', 'comparison', 'trade-off', 'schedule', 'mapping', 'hierarchy']) {
  test(`the view ${view} is shown alone, at 390 px in the dark`, () =>
    withHost(
      `view=${view}&theme=dark`,
      view === 'mapping' ? `#${FIG_6}` : '',
      async ({ page, frame, screenshot }) => {
        await done(frame);
        await frame.locator('.card').first().waitFor();
        assert.equal(await frame.locator('nav, header').count(), 0);
        assert.equal(await frame.getByTestId('hardware-card').count(), 0);
        const beyond = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `${beyond} px too wide`);
        assert.deepEqual(await violations(page, 'iframe'), []);
        await screenshot(`embed-${view}`);
      },
      { viewport: { width: 390, height: 844 } },
    ));
}
