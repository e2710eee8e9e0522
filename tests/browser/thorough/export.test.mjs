// Figures and tables are saved as files that other programs can open.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, commandLine, pickPreset, withPage } from '../harness.mjs';

test('the report of the page is that of the command line, to the letter', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.getByTestId('tiles-x').fill('16 60');
    await page.getByTestId('tiles-y').fill('18 5000');
    await page.waitForFunction(() => window.fusescape.state().points === 12);
    await done(page);
    await page.getByTestId('files').click();
    await page.locator('[data-testid=save-report]:enabled').waitFor();
    const report = await saved(page, page.getByTestId('save-report'));
    assert.equal(report.name, 'tpu-like-df-fsrcnn-defines-report.md');
    const text = report.bytes.toString('utf8');
    const link = new RegExp(`<${url}#(\\S+)>`).exec(text)?.[1];
    const native = commandLine('report', link, '--site', url);
    // The two may be of different commits.
    const untold = (report) => report.replace(/^Scheduled by Fusescape [^:]*/m, '');
    assert.equal(untold(text), untold(native));
    assert.match(text, /^# FSRCNN \(DeFiNES\) on TPU-like DF$/m);
    await page.keyboard.press('Escape');
    const best = await page.getByTestId('kpi-best').locator('b').innerText();
    assert.ok(text.includes(`| Energy | ${best} |`), best);
  }));

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}

/** The file downloaded by a button. */
async function saved(page, button) {
  const waits = page.waitForEvent('download');
  await button.click();
  const download = await waits;
  return { name: download.suggestedFilename(), bytes: await bytesOf(download) };
}
