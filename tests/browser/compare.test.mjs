// Two designs side by side, end to end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, violations, withPage } from './harness.mjs';

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
    // Swapped, what was asked before says nothing of it any more.
    await page.getByTestId('swap').click();
    await page.locator('[data-testid=compare-cores][data-status=idle]').waitFor();
    assert.match(await worked(), /^A: 2 cores, 2 OS \(Table 3\)[\s\S]*\nB: Four of the accelerator/);
    assert.deepEqual(await violations(page, '[data-testid=compare-cores]'), []);
  }));

test('a pinned design is compared with the one at hand, number by number', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await page.getByTestId('tab-compare').click();
    await page.getByTestId('pin').click();
    await page.getByText('A and B are the same').waitFor();
    const [energy] = await costs(page);
    const same = await page.getByTestId('whole-costs').locator('tbody').innerText();

    // B: a smaller buffer.
    await page.getByTestId('hardware-as-text').click();
    const text = await page.getByTestId('hardware-text').inputValue();
    await page.getByTestId('hardware-text').fill(text.replace('size: 64 KiB', 'size: 16 KiB'));
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=differences] tbody tr').length === 1);
    await done(page);
    const difference = page.getByTestId('differences').locator('tbody tr');
    assert.deepEqual(await difference.locator('th, td').allInnerTexts(), ['hardware.memories.sram_64KB.size', '64 KiB', '16 KiB']);
    await page.waitForFunction(
      (same) => document.querySelector('[data-testid=whole-costs] tbody')?.innerText !== same,
      same,
    );
    const tops = ['whole-costs', 'differences'].map((testid) => page.getByTestId(testid).evaluate((card) => card.getBoundingClientRect().top));
    const [answer, reason] = await Promise.all(tops);
    assert.ok(answer < reason, 'what both cost comes first');
    const rows = await costs(page);
    const changed = rows.find(([name]) => name === energy[0]);
    assert.equal(changed[1], energy[1], 'A stays what it was');
    assert.notEqual(changed[2], energy[2], 'B costs something else');

    // Swapped, each is in the other's place.
    await page.getByTestId('swap').click();
    await done(page);
    await page.waitForFunction(
      (value) => document.querySelector('[data-testid=whole-costs] tbody')?.innerText.includes(value) ?? false,
      changed[2],
    );
    await page.waitForFunction(
      ([name, value]) =>
        [...document.querySelectorAll('[data-testid=whole-costs] tbody tr')].some(
          (row) => row.cells[0].innerText === name && row.cells[1].innerText === value,
        ),
      [changed[0], changed[2]],
    );
    const swapped = (await costs(page)).find(([name]) => name === changed[0]);
    assert.deepEqual(swapped.slice(1, 3), [changed[2], changed[1]]);

    assert.deepEqual(await violations(page, '[data-testid=compare-view]'), []);
    await page.getByTestId('unpin').click();
    await page.getByText('Compare two designs').waitFor();
  }));

test('a design with errors has no numbers to compare', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await page.getByTestId('tab-compare').click();
    await page.getByTestId('pin').click();
    await page.getByTestId('whole-costs').waitFor();
    await page.getByTestId('hardware-as-text').click();
    const text = await page.getByTestId('hardware-text').inputValue();
    await page.getByTestId('hardware-text').fill(text.replace('size: 64 KiB', 'size: 64 Kib'));
    const view = page.getByTestId('compare-view');
    await view.getByText('Design B has errors, so it has no numbers').waitFor();
    assert.equal(await page.getByTestId('whole-costs').count(), 0);
    assert.equal(await page.getByTestId('ratios').count(), 0);
    // In the other place it has none, either.
    await page.getByTestId('swap').click();
    await view.getByText('Design A has errors, so it has no numbers').waitFor();
    await page.getByTestId('swap').click();
    await page.getByTestId('hardware-text').fill(text);
    await page.getByTestId('whole-costs').waitFor();
  }));

test('a pinned design whose sweep was stopped is not called impossible', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await page.getByTestId('strategy').selectOption('LOMA, loop orders');
    await done(page);
    // One problem alone takes seconds.
    await page.getByTestId('lpf-limit').selectOption('10');
    await page.waitForFunction(() => window.fusescape.state().status === 'running' && window.fusescape.busy() > 0);
    await page.getByTestId('stop').click();
    await page.locator('[data-testid=root][data-status=stopped]').waitFor();
    await page.getByTestId('tab-compare').click();
    await page.getByTestId('pin').click();
    const view = page.getByTestId('compare-view');
    await view.getByText('The sweep of design A was stopped').waitFor();
    // B is swept all the same.
    await page.getByTestId('lpf-limit').selectOption('3');
    await done(page);
    await view.getByText('The sweep of design A was stopped').waitFor();
    assert.doesNotMatch(await view.innerText(), /cannot be scheduled/);
    // Once more is known of A, it is compared.
    await page.getByTestId('swap').click();
    await page.getByTestId('lpf-limit').selectOption('4');
    await page.getByTestId('whole-costs').waitFor();
  }));

test('on a small screen the comparison fits', () =>
  withPage(
    async ({ page, url }) => {
      await page.goto(url);
      await done(page);
      await page.getByTestId('tab-compare').click();
      await page.getByTestId('pin').click();
      await page.getByTestId('whole-costs').waitFor();
      await assertFits(page, 'compare-view');
    },
    { viewport: { width: 360, height: 800 } },
  ));

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}

/** The table of whole costs, row by row. */
async function costs(page) {
  await page.getByTestId('whole-costs').waitFor();
  const rows = await page.getByTestId('whole-costs').locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}
