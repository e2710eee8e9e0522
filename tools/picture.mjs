// Takes the picture of the page that the README shows: `node tools/picture.mjs`, once the page is built.

import { withPage } from '../tests/browser/harness.mjs';

await withPage(
  async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.locator('[data-testid=joint][data-status=done]').waitFor();
    // Figures are drawn in the frame after the last number.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.screenshot({ path: 'docs/page.png' });
  },
  { viewport: { width: 1360, height: 900 } },
);
