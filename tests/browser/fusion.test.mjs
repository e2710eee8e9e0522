// Groups of layers: methods side by side, sequences of layers in depth, computed while results are shown, and taken
// over by a click.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL, bytesOf, fileButton, mistakes, pickPreset, withPage } from './harness.mjs';

const METHODS = ['Single layers', "DeFiNES' rule", 'HW-Flow-Fusion', 'Optimus, as published', 'Optimus, exact', 'Jointly optimal'];
const SEQUENCES = ['sequences', 'sequence-facts', 'sequence-resources'];

test('methods of fusion are compared, limited, taken over and looked at in depth', (t) =>
  withPage(async ({ page, url, screenshot, step }) => {
    await page.goto(url + SMALL);

    await step(t, 'the landscape says what stacks, tiles and modes come to together, and leads to the comparison', async () => {
      const joint = page.locator('[data-testid=joint][data-status=done]');
      await joint.filter({ hasText: /Jointly optimal: [\d.]+ .J/ }).waitFor();
      await joint.getByRole('button', { name: 'Compare in Fusion' }).click();
      await done(page);
    });

    const rows = await saved(page);
    const energy = rows.map((row) => row['energy [pJ]']);
    const optimal = rows.at(-1);

    await step(t, 'methods are compared, their stacks drawn and taken over', async () => {
      assert.deepEqual(rows.map((row) => row.method), METHODS);
      assert.ok(energy.every((other) => other >= energy.at(-1)), energy.join(' '));
      assert.match(await page.getByTestId('fusion-answer').innerText(), /ways to cut/);
      // The groups of any method, on the graph.
      await page.getByTestId('fusion-groups-of').selectOption("DeFiNES' rule");
      await page.getByTestId('fusion-graph').locator('summary').click();
      const layers = page.getByTestId('fusion-graph').locator('tbody tr');
      assert.equal(new Set(await layers.locator('td:last-child').allInnerTexts()).size - 1, rows[1].stacks);
      assert.deepEqual(await mistakes(page), []);
      await screenshot('fusion');
      // Its stacks become those of the schedule; the comparison stays.
      await page.getByTestId('use-optimal').click();
      const said = optimal.stacks === 1 ? 'in one stack' : `in ${optimal.stacks} stacks`;
      await page.getByTestId('network-facts').getByText(said).waitFor();
      await done(page);
      assert.deepEqual((await saved(page)).map((row) => row['energy [pJ]']), energy);
    });

    await step(t, 'limits on layers and tiles bind the stacks, and are told when wrong', async () => {
      await page.getByTestId('most-layers').fill('3 layers');
      await page.getByTestId('most-tiles').fill('0');
      await page.locator('[data-testid=fusion-view][data-status=rejected]').waitFor();
      const wrong = page.getByTestId('limit-errors');
      await wrong.getByText('3 layers').first().waitFor();
      assert.equal(await wrong.locator('li').count(), 2);
      assert.equal(await page.getByTestId('most-layers').getAttribute('aria-invalid'), 'true');
      await page.getByTestId('most-layers').fill('1');
      await page.getByTestId('most-tiles').fill('');
      await done(page);
      const limited = (await saved(page)).at(-1);
      assert.equal(limited.stacks, 3, 'three layers, one by one');
      assert.ok(limited['energy [pJ]'] > optimal['energy [pJ]']);
      await page.getByTestId('most-layers').fill('');
      await done(page);
    });

    await step(t, 'sequences of layers are compared, one is looked at in depth, and hardware is scaled', async () => {
      await page.getByTestId('fusion-sequences-part').click();
      await settled(page);
      await unfold(page);
      const costs = await table(page, 'sequence-energy');
      assert.deepEqual(costs.slice(0, 3).map((cells) => cells[1]), ['single layers', 'temporal fusion', 'spatial fusion']);
      for (const [, , ...numbers] of costs.filter((cells) => !cells.at(-1).startsWith('not for'))) {
        const values = numbers.map(Number);
        assert.ok(values.every(Number.isFinite), numbers.join(' '));
        const total = values.pop();
        assert.ok(Math.abs(values.reduce((a, b) => a + b, 0) - total) < 0.02 * total, numbers.join(' '));
      }
      assert.deepEqual(await mistakes(page), []);
      // By choice, and by a click on its bars.
      await page.getByTestId('sequence-from').selectOption({ index: 0 });
      await page.getByTestId('sequence-to').selectOption({ index: 0 });
      await settled(page);
      assert.equal(await page.getByTestId('sequence-shares').locator('tbody tr').count(), 2);
      const heading = page.getByTestId('sequence-facts').locator('h2');
      const title = await heading.innerText();
      const canvas = page.getByTestId('sequence-latency').locator('canvas');
      const { width, height } = await canvas.boundingBox();
      await canvas.click({ position: { x: width / 2, y: height - 40 } });
      await heading.filter({ hasNotText: title }).waitFor();
      await settled(page);
      assert.ok((await table(page, 'resource-array')).length >= 3);
    });

    await step(t, 'an edit is worked out anew, and a design with errors has no stacks', async () => {
      await page.getByTestId('fusion-methods-part').click();
      await done(page);
      const before = await page.getByTestId('fusion-answer').evaluate((answer) => answer.textContent);
      await pickPreset(page, 'hardware', 'tpu-like-df');
      await page.waitForFunction((before) => document.querySelector('[data-testid=fusion-answer]').textContent !== before, before);
      await done(page);
      assert.notDeepEqual((await saved(page)).map((row) => row['energy [pJ]']), energy);
      await page.getByTestId('tiles-x').fill('nothing');
      await page.locator('[data-testid=fusion-view][data-status=rejected]').waitFor();
      await page.getByTestId('fusion-view').getByText('The design has errors').waitFor();
      await page.getByTestId('tiles-x').fill('8');
      await done(page);
    });
  }));

async function done(page) {
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
}

/** Waits until everything about sequences is computed. */
async function settled(page) {
  for (const part of SEQUENCES) await page.locator(`[data-testid=${part}][data-status=done]`).waitFor();
}

/** The table of methods as a file. */
async function saved(page) {
  const json = await fileButton(page.getByTestId('fusion-view'), 'json');
  const download = page.waitForEvent('download');
  await json.click();
  return JSON.parse(String(await bytesOf(await download)));
}

/** Opens every disclosure of the results. */
async function unfold(page) {
  await page.locator('.answers details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
}

/** The cells of a figure's table, row by row. */
function table(page, testid) {
  const rows = page.getByTestId(testid).locator('tbody tr');
  return rows.evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}
