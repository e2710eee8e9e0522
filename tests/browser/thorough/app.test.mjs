// The landscape with the rules and the search of the public tool: the page shows the results of the native engine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, withPage } from '../harness.mjs';

test('the heatmaps of figure 12 agree with the native engine to the digit', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page, 'done');
    await page.getByTestId('figure-12').click();
    await settled(page, 'done');
    await assertAgrees(page, 'defines-2022', [
      ['fully-recompute', 1, 1],
      ['h-cached-v-recompute', 16, 18],
      ['fully-cached', 4, 72],
    ]);
    assert.match(await page.getByTestId('kpi-best').innerText(), /1\.81 mJ\s+best energy · 11\.2× less than layer-by-layer/);
    assert.match(await page.getByTestId('kpi-tile').innerText(), /4 × 72/);
  }));

async function settled(page, status) {
  await page.locator(`[data-testid=root][data-status=${status}]`).waitFor();
}

/** The native engine's output for one tile size. The rules of the public tool come with its search. */
function native(rules, mode, x, y) {
  const command = ['depth-first', '--hardware', 'meta-proto-like-df', '--workload', 'fsrcnn-defines'];
  const strategy = rules === 'corrected' ? 'exact' : 'loma';
  const options = ['--mode', mode, '--tile', `${x}x${y}`, '--rules', rules, '--strategy', strategy, '--format', 'json'];
  return JSON.parse(commandLine(...command, ...options)).points[0];
}

async function assertAgrees(page, rules, cells) {
  for (const [mode, x, y] of cells) {
    const here = await cellOf(page, mode, x, y);
    const there = native(rules, mode, x, y);
    const what = `${rules}, ${mode}, ${x} x ${y}`;
    assert.equal(here.energyPj, there.energy_pj, `energy of ${what}`);
    assert.equal(here.latencyCycles, there.latency_cycles, `latency of ${what}`);
    assert.equal(here.macs, there.macs, `MACs of ${what}`);
    assert.equal(here.dramWords, there.dram_words, `DRAM words of ${what}`);
  }
}

async function cellOf(page, mode, x, y) {
  return numbers(page.locator(`table[data-mode=${mode}] td[data-x="${x}"][data-y="${y}"]`));
}

function numbers(cell) {
  return cell.evaluate(({ dataset }) =>
    Object.fromEntries(['energyPj', 'latencyCycles', 'macs', 'dramWords'].map((name) => [name, Number(dataset[name])])),
  );
}
