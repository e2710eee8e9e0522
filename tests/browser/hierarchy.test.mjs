// The hierarchy view end to end: it finds what the native engine finds, stops when told to, and hands a hierarchy on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, violations, withPage } from './harness.mjs';

test('the front is that of the native engine, and a hierarchy can be opened, compared and used', () =>
  withPage(async ({ page, url }) => {
    await openStudy(page, url);
    await page.getByTestId('hierarchy-levels').selectOption('1');
    await page.getByTestId('hierarchy-start').click();
    await settled(page, 'done');
    const native = JSON.parse(
      commandLine(
        ...['hierarchy', '--workload', 'mobilenet-v2-study', '--layer', 'L46', '--max-levels', '1'],
        ...['--budget', '1.2mm2', '--format', 'json'],
      ),
    );
    const front = page.getByTestId('hierarchy-front');
    const names = await front.locator('tbody button').allInnerTexts();
    const byEnergy = [...native.front].sort((a, b) => a.energy_pj - b.energy_pj).map((point) => point.name);
    assert.deepEqual(names, byEnergy);
    assert.match(await page.getByTestId('hierarchy-best').innerText(), new RegExp(escaped(native.best.name)));
    assert.match(
      await page.getByTestId('hierarchy-progress').innerText(),
      new RegExp(`^${native.counts.generated} hierarchies`),
    );

    // By keyboard, as a list of links.
    await front.locator('tbody button').nth(1).focus();
    await page.keyboard.press('Enter');
    const facts = page.getByTestId('hierarchy-facts');
    await facts.getByRole('heading', { name: byEnergy[1] }).waitFor();
    assert.match(await facts.locator('table').innerText(), /L46/);
    await page.getByTestId('hierarchy-estimated').waitFor();

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
    await page.locator('[data-testid=root][data-status=done]').waitFor();
  }));

test('a study stops and goes on when asked, and mistakes are explained', () =>
  withPage(async ({ page, url }) => {
    await openStudy(page, url);
    await page.getByTestId('hierarchy-budget').fill('1.2.3');
    assert.match(await page.getByTestId('hierarchy-errors').innerText(), /not an area/);
    assert.equal(await page.getByTestId('hierarchy-start').isDisabled(), true);
    await page.getByTestId('hierarchy-budget').fill('0.1');
    await page.getByTestId('hierarchy-start').click();
    await settled(page, 'rejected');
    assert.match(await page.getByTestId('hierarchy-errors').innerText(), /Allow more area/);
    // Tens of thousands of hierarchies on four layers take a while.
    await page.getByTestId('hierarchy-budget').fill('');
    await page.getByTestId('hierarchy-layer').selectOption({ label: 'the whole network' });
    await page.getByTestId('hierarchy-start').click();
    await page.getByTestId('hierarchy-best').waitFor();
    await page.getByTestId('hierarchy-stop').click();
    await settled(page, 'stopped');
    await page.waitForFunction(() => window.fusescape.busy() === 0);
    const stopped = await decided(page);
    await page.getByTestId('hierarchy-continue').click();
    await page.waitForFunction(
      (stopped) => {
        const text = document.querySelector('[data-testid=hierarchy-progress]').textContent.replace(/\u202f/g, '');
        const numbers = text.match(/: (\d+) searched, (\d+) left out/);
        return numbers && Number(numbers[1]) + Number(numbers[2]) > stopped;
      },
      stopped,
    );
    await page.getByTestId('hierarchy-stop').click();
    await settled(page, 'stopped');
  }));

async function openStudy(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-hierarchy').click();
  await page.getByTestId('case-study-2').click();
}

async function settled(page, status) {
  await page.locator(`[data-testid=hierarchy-view][data-status=${status}]`).waitFor();
}

/** Hierarchies that were searched or left out. */
async function decided(page) {
  const text = (await page.getByTestId('hierarchy-progress').innerText()).replaceAll('\u202f', '');
  const [, searched, pruned] = text.match(/: (\d+) searched, (\d+) left out/);
  return Number(searched) + Number(pruned);
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
