// Two designs side by side, and a table of several, end to end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_COMPARE, assertFits, bytesOf, fileButton, holdableWorkers, violations, withPage } from './harness.mjs';

test('designs are compared: two side by side, their use of many cores, and several in a table', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.addInitScript(holdableWorkers);
    await page.goto(url + SMALL_COMPARE);
    await done(page);
    const view = page.getByTestId('compare-view');
    const hardware = page.getByTestId('hardware-text');

    await step(t, 'a pinned design is compared with the one at hand, number by number', async () => {
      await page.getByTestId('pin').click();
      await page.getByText('A and B are the same').waitFor();
      const [energy] = await costs(page);

      // B: a more expensive multiplication.
      await page.getByTestId('hardware-as-text').click();
      const text = await hardware.inputValue();
      await hardware.fill(text.replace('mac_energy: 0.04 pJ', 'mac_energy: 4 pJ'));
      const difference = page.getByTestId('differences').locator('tbody tr');
      await difference.filter({ hasText: 'mac_energy' }).waitFor();
      assert.deepEqual(await difference.locator('th, td').allInnerTexts(), ['hardware.array.mac_energy', '0.04 pJ', '4 pJ']);
      await waitForCosts(page, energy[0], energy.slice(1, 3));
      const tops = ['whole-costs', 'differences'].map((testid) => page.getByTestId(testid).evaluate((card) => card.getBoundingClientRect().top));
      const [answer, reason] = await Promise.all(tops);
      assert.ok(answer < reason, 'what both cost comes first');
      const changed = (await costs(page)).find(([name]) => name === energy[0]);
      assert.equal(changed[1], energy[1], 'A stays what it was');

      // Swapped, each is in the place of the other.
      await page.getByTestId('swap').click();
      await waitForCosts(page, energy[0], changed.slice(1, 3), true);
      assert.deepEqual(await violations(page, '[data-testid=compare-view]'), []);
      await page.getByTestId('swap').click();
    });

    await step(t, 'a design with errors has no numbers to compare', async () => {
      const text = await hardware.inputValue();
      await hardware.fill(text.replace('size: 64 KiB', 'size: 64 Kib'));
      await view.getByText('Design B has errors, so it has no numbers').waitFor();
      assert.equal(await page.getByTestId('whole-costs').count(), 0);
      assert.equal(await page.getByTestId('ratios').count(), 0);
      // In the other place it has none, either.
      await page.getByTestId('swap').click();
      await view.getByText('Design A has errors, so it has no numbers').waitFor();
      await page.getByTestId('swap').click();

      // The table gives the reason.
      const table = page.getByTestId('design-table');
      await page.getByTestId('design-table-start').click();
      await page.getByTestId('design-reasons').getByText(/no unit `Kib`/).waitFor();
      assert.equal(await table.getByText('impossible', { exact: true }).count(), 1);
      await hardware.fill(text);
      await page.getByTestId('whole-costs').waitFor();
    });

    await step(t, 'a pinned design whose sweep was stopped is not called impossible', async () => {
      await page.getByTestId('unpin').click();
      await view.getByText('Compare two designs').waitFor();
      // During the sweep of A.
      await page.evaluate(() => window.hold());
      const text = await hardware.inputValue();
      await hardware.fill(text.replace('size: 64 KiB', 'size: 16 KiB'));
      await page.waitForFunction(() => window.fusescape.state().status === 'running');
      await page.getByTestId('tab-landscape').click();
      await page.getByTestId('stop').click();
      await page.locator('[data-testid=root][data-status=stopped]').waitFor();
      await page.getByTestId('tab-compare').click();
      await page.evaluate(() => window.release());
      await page.getByTestId('pin').click();
      await view.getByText('The sweep of design A was stopped').waitFor();
      // B is swept all the same.
      await hardware.fill(text);
      await done(page);
      await view.getByText('The sweep of design A was stopped').waitFor();
      assert.doesNotMatch(await view.innerText(), /cannot be scheduled/);
      await page.getByTestId('unpin').click();
    });

    await step(t, 'two ways to use many cores are compared', async () => {
      await page.getByTestId('tab-cores').click();
      await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
      await page.getByTestId('core-rows').fill('8');
      await page.getByTestId('tab-compare').click();
      await page.getByTestId('pin').click();
      await page.getByText('A and B are the same').waitFor();
      // B: another system, in larger tiles.
      await page.getByTestId('tab-cores').click();
      await page.getByTestId('core-rows').fill('16');
      await page.getByTestId('system-preset').selectOption('stream-2os');
      await page.getByTestId('tab-compare').click();
      const differences = page.getByTestId('differences').locator('tbody tr');
      await differences.filter({ hasText: /cores\.tiles\s*8 rows\s*16 rows/ }).waitFor();
      await differences.filter({ hasText: /^system\./ }).first().waitFor();
      const worked = async () => {
        await page.getByTestId('compare-cores-start').click();
        await page.locator('[data-testid=compare-cores][data-status=done]').waitFor();
        return page.getByTestId('compare-cores').locator('tbody').innerText();
      };
      assert.match(await worked(), /^A: Four of the accelerator[\s\S]*cycles[\s\S]*\nB: 2 cores, 2 OS \(Table 3\)[\s\S]*cycles/);
      // After swapping, earlier requests have no effect any more.
      await page.getByTestId('swap').click();
      await page.locator('[data-testid=compare-cores][data-status=idle]').waitFor();
      assert.match(await worked(), /^A: 2 cores, 2 OS \(Table 3\)[\s\S]*\nB: Four of the accelerator/);
      await page.setViewportSize({ width: 360, height: 800 });
      await assertFits(page, 'compare-view');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByTestId('unpin').click();
    });

    await step(t, 'accelerators and networks are compared in one table, which sorts, stops, saves and opens', async () => {
      const table = page.getByTestId('design-table');
      const cells = page.getByTestId('design-cells');
      await page.getByTestId('table-add-hardware').selectOption('tpu-like-df');
      await page.getByTestId('table-add-workload').selectOption('fsrcnn-60');
      await worked(page);
      assert.equal(await cells.locator('tbody td').count(), 4);
      // One accelerator is the best for each network.
      assert.equal(await cells.locator('td.least').count(), 2);
      assert.equal(await cells.getByText(/^[\d.]+×$/).count(), 2);

      // Sorted by a column: ascending, then descending.
      const head = cells.locator('thead th').nth(1);
      await head.getByRole('button').click();
      assert.equal(await head.getAttribute('aria-sort'), 'ascending');
      assert.match(await cells.locator('tbody tr').first().locator('td').first().getAttribute('class'), /least/);
      const [first, second] = await cells.locator('tbody th').allInnerTexts();
      await head.getByRole('button').press('Enter');
      assert.deepEqual(await cells.locator('tbody th').allInnerTexts(), [second, first]);

      const button = await fileButton(cells, 'csv');
      const download = page.waitForEvent('download');
      await button.click();
      const lines = (String(await bytesOf(await download))).trim().split('\n');
      assert.match(lines[0], /^workload,hardware,energy_pj,latency_cycles,score,stacks,cuts,impossible/);
      assert.equal(lines.length, 1 + 4);
      await table.getByTestId('design-matrix').locator('canvas').waitFor();
      await assertFits(page, 'design-table');

      // During the work on another network.
      await page.evaluate(() => window.hold());
      await page.getByTestId('table-add-workload').selectOption('mccnn');
      await page.getByTestId('design-table-stop').click();
      await page.locator('[data-testid=design-table][data-status=stopped]').waitFor();
      await page.getByRole('button', { name: 'mccnn: leave it out' }).click();
      await page.evaluate(() => window.release());
      await worked(page);

      // A cell opens its design; Back returns to the table.
      await cells.locator('tbody tr', { hasText: 'tpu-like-df' }).locator('td').first().getByRole('button').click();
      await page.locator('[data-testid=hardware-card][data-preset=tpu-like-df]').waitFor({ state: 'attached' });
      await page.locator('[data-testid=workload-card][data-preset=fsrcnn-60]').waitFor({ state: 'attached' });
      await page.getByTestId('tab-compare').click();
      assert.equal(await cells.locator('tbody tr').count(), 2);
    });
  }));

/** Waits until every pair of the table is known. */
async function worked(page) {
  const start = page.getByTestId('design-table-start');
  if (await start.count()) await start.click();
  await page.locator('[data-testid=design-table][data-status=done]').waitFor();
}

/** Waits until the costs with this name are no longer `a` and `b`, but `a` and another value, or `b` and `a`. */
async function waitForCosts(page, name, [a, b], isSwapped = false) {
  await page.waitForFunction(
    ([name, isSwapped, a, b]) => {
      const rows = [...document.querySelectorAll('[data-testid=whole-costs] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText));
      const [, first, second] = rows.find(([title]) => title === name) ?? [];
      return isSwapped ? first === b && second === a : first === a && second !== b;
    },
    [name, isSwapped, a, b],
  );
}

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}

/** The table of total costs, row by row. */
async function costs(page) {
  await page.getByTestId('whole-costs').waitFor();
  const rows = await page.getByTestId('whole-costs').locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}
