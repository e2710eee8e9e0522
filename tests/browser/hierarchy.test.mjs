// The hierarchy view end to end: it finds the results of the native engine, can be stopped, and takes a hierarchy over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_COMPARE, commandLine, holdableWorkers, violations, withPage } from './harness.mjs';

test('the front of a study is that of the native engine, however it was stopped, and a hierarchy can be opened, compared and used', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.addInitScript(holdableWorkers);
    await page.goto(url + SMALL_COMPARE);
    await page.getByTestId('tab-hierarchy').click();
    await page.getByTestId('case-study-2').click();
    await page.getByTestId('hierarchy-levels').selectOption('1');

    await step(t, 'mistakes are explained', async () => {
      await page.getByTestId('hierarchy-budget').fill('1.2.3');
      await page.getByTestId('hierarchy-errors').getByText(/not an area/).waitFor();
      assert.equal(await page.getByTestId('hierarchy-start').isDisabled(), true);
      await page.getByTestId('hierarchy-budget').fill('0.1');
      await page.getByTestId('hierarchy-start').click();
      await settled(page, 'rejected');
      await page.getByTestId('hierarchy-errors').getByText(/Allow more area/).waitFor();
    });

    await step(t, 'a study stops and goes on when asked, and finds what the native engine finds', async () => {
      await page.getByTestId('hierarchy-budget').fill('1.2');
      // During the work, however fast it is.
      await page.evaluate(() => window.hold());
      await page.getByTestId('hierarchy-start').click();
      await page.getByTestId('hierarchy-stop').click();
      await settled(page, 'stopped');
      await page.evaluate(() => window.release());
      await page.getByTestId('hierarchy-continue').click();
      await settled(page, 'done');
    });

    const native = JSON.parse(
      commandLine(
        ...['hierarchy', '--workload', 'mobilenet-v2-study', '--layer', 'L46', '--max-levels', '1'],
        ...['--budget', '1.2mm2', '--format', 'json'],
      ),
    );
    const byEnergy = [...native.front].sort((a, b) => a.energy_pj - b.energy_pj).map((point) => point.name);
    const front = page.getByTestId('hierarchy-front');
    await step(t, 'its front is a table that leads to hierarchies by keyboard', async () => {
      assert.deepEqual(await front.locator('tbody button').allInnerTexts(), byEnergy);
      await page.getByTestId('hierarchy-best').getByText(native.best.name).first().waitFor();
      assert.match(await page.getByTestId('hierarchy-progress').innerText(), new RegExp(`^${native.counts.generated} hierarchies`));
      await front.locator('tbody button').nth(1).focus();
      await page.keyboard.press('Enter');
      const facts = page.getByTestId('hierarchy-facts');
      await facts.getByRole('heading', { name: byEnergy[1] }).waitFor();
      assert.match(await facts.locator('table').innerText(), /L46/);
      await page.getByTestId('hierarchy-estimated').waitFor();
    });

    await step(t, 'it is held against other unrollings, and used', async () => {
      await page.getByTestId('compare-unrollings').click();
      await page.waitForFunction(() => {
        const table = document.querySelector('[data-testid=unrolling-matrix] table');
        return table && !table.textContent.includes('not computed');
      });
      assert.deepEqual(await violations(page, '[data-testid=hierarchy-view]'), []);
      await page.getByTestId('use-hierarchy').click();
      await page.getByTestId('design').getByText(byEnergy[1].slice(0, 20)).waitFor();
      await page.getByTestId('hardware-as-text').click();
      assert.match(await page.getByTestId('hardware-text').inputValue(), /^name: .*ZigZag 8 x 8/);
    });
  }));

async function settled(page, status) {
  await page.locator(`[data-testid=hierarchy-view][data-status=${status}]`).waitFor();
}
