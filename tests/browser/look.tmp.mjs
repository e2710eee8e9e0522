import { withPage } from './harness.mjs';
const [,, width, scheme, what] = process.argv;
await withPage(async ({ page, url }) => {
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(url);
  await page.getByTestId('tab-gallery').click();
  const entry = page.getByTestId(`entry-${what}`);
  await entry.locator('summary').click();
  await page.locator(`[data-testid=entry-${what}][data-status=done]`).waitFor({ timeout: 120000 });
  await entry.scrollIntoViewIfNeeded();
  await entry.screenshot({ path: `/tmp/g-${what}-${width}-${scheme}.png` });
  await page.getByTestId(`open-${what}`).click();
  await page.locator('[data-testid=cores-view][data-status=done]').waitFor({ timeout: 120000 });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/o-${what}-${width}-${scheme}.png`, fullPage: true });
}, { viewport: { width: Number(width), height: 900 } });
