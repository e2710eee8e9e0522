// HW-Flow-Fusion in its own terms: sequences of layers, their costs in either mode, on-chip storage, and other
// hardware.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakes, pickPreset, withPage } from '../harness.mjs';

const PARTS = ['sequences', 'sequence-facts', 'sequence-resources'];
const FIGURES = ['sequence-energy', 'sequence-latency', 'sequence-volume', 'sequence-ctc', 'sequence-storage', 'sequence-traffic'];
const OF_RESOURCES = ['resource-array', 'resource-buffer', 'resource-registers'];

test('sequences are compared, one is looked at in depth, and hardware is scaled', () =>
  withPage(async ({ page, url, screenshot }) => {
    await open(page, url, 'vgg16-e');
    // Temporal fusion makes the choice that the comparison of methods shows.
    const methods = page.getByTestId('fusion-view').locator('table').first().locator('tbody tr');
    const row = methods.filter({ hasText: 'HW-Flow-Fusion' });
    const groups = Number(await row.locator('td').first().innerText());
    const said = (await page.getByTestId('sequences-answer').innerText()).match(/(\d+) sequences?\s+fused, (\d+) of (\d+) layers/);
    const [sequences, fused] = said.slice(1).map(Number);
    const layers = (await table(page, 'fusion-map')).length;
    assert.ok(sequences > 0, said[0]);
    assert.equal(layers - fused + sequences, groups);

    // Single layers, temporal and spatial fusion of every sequence; the sums equal those of their parts.
    await unfold(page);
    const energy = await table(page, 'sequence-energy');
    assert.deepEqual(energy.slice(0, 3).map((cells) => cells[1]), ['single layers', 'temporal fusion', 'spatial fusion']);
    // A sequence of more than 4 layers has no partition, which is reported.
    for (const [, , ...numbers] of energy.filter((cells) => !cells.at(-1).startsWith('not for'))) {
      const values = numbers.map(Number);
      assert.ok(values.every(Number.isFinite), numbers.join(' '));
      const total = values.pop();
      assert.ok(Math.abs(values.reduce((a, b) => a + b, 0) - total) < 0.02 * total, numbers.join(' '));
    }
    const all = page.getByTestId('sequences').getByText(/all \d+ sequences that fit/);
    const count = Number((await all.innerText()).match(/\d+/)[0]);
    assert.equal(await all.locator('..').locator('tbody tr').count(), count);
    assert.ok(count >= sequences);
    for (const figure of [...FIGURES, ...OF_RESOURCES]) assert.ok((await table(page, figure)).length >= 3, figure);
    assert.deepEqual(await mistakes(page), []);
    await page.getByTestId('sequences').scrollIntoViewIfNeeded();
    await screenshot('interlayer');

    // Spatial fusion makes another choice, and the better of both is no worse.
    const total = async (sharing) => {
      await page.getByTestId('sequence-sharing').selectOption(sharing);
      const kpi = page.getByTestId('sequences-answer').getByText('energy of all layers');
      return Number((await kpi.innerText()).match(/([\d.]+) mJ/)[1]);
    };
    const [temporal, spatial, both] = [await total('temporal'), await total('spatial'), await total('the better of both')];
    assert.ok(both <= temporal && both <= spatial, `${both} ${temporal} ${spatial}`);
  }));

test('a sequence of choice: its storage grows with every layer, its partitions are counted', () =>
  withPage(async ({ page, url }) => {
    await open(page, url, 'vgg16-e');
    await page.getByTestId('sequence-from').selectOption({ index: 0 });
    await page.getByTestId('sequence-to').selectOption({ index: 1 });
    await settled(page);
    await unfold(page);
    const storage = (await table(page, 'sequence-storage')).map((cells) => Number(cells.at(-1)));
    assert.equal(storage.length, 8);
    assert.deepEqual(storage, storage.toSorted((a, b) => a - b));
    // For any tile, Alwani et al. need more.
    const reuse = async () => (await table(page, 'sequence-reuse')).map((cells) => Number(cells.at(-1)));
    const before = await reuse();
    for (let index = 0; index < before.length; index += 2) assert.ok(before[index] >= before[index + 1], before.join(' '));
    await page.getByTestId('reuse-tile').selectOption('16');
    assert.notDeepEqual(await reuse(), before);
    // Every layer of the sequence has its share, and every remaining partition is in the figure.
    assert.equal(await page.getByTestId('sequence-shares').locator('tbody tr').count(), 3);
    const pruned = (await page.getByTestId('sequence-pruning').innerText()).match(/[\d\s]+\d/g).map((text) => Number(text.replace(/\D/g, '')));
    const [considered, wide, placed] = pruned;
    assert.ok(considered >= wide && wide >= placed, pruned.join(' '));
    assert.equal((await table(page, 'sequence-partitions')).length, pruned.at(-1));
    // A click on its bars selects another sequence, or number of layers.
    const heading = page.getByTestId('sequence-facts').locator('h2');
    const last = (await table(page, 'sequence-latency')).at(-1)[0];
    await click(page, 'sequence-latency', (height) => height - 40);
    await heading.getByText(last).waitFor();
    await page.getByTestId('sequence-from').selectOption({ index: 0 });
    await settled(page);
    await click(page, 'sequence-storage', (height) => height - 30);
    await heading.getByText('(8 layers)').waitFor();
    await page.getByTestId('sequence-to').selectOption({ index: 1 });
    // The whole network, or this sequence, on more or less hardware.
    await page.getByTestId('resource-layers').selectOption('one');
    await settled(page);
    await page.getByTestId('resource-quantity').selectOption('Energy');
    const array = await table(page, 'resource-array');
    assert.equal(array.length, 5);
  }));

test('an edit is followed, a network without chains is refused with its reason', () =>
  withPage(async ({ page, url }) => {
    await open(page, url, 'vgg16-e');
    const answer = page.getByTestId('sequences-answer');
    const before = await answer.innerText();
    await pickPreset(page, 'hardware', 'ascend-like-df');
    await page.waitForFunction((before) => (document.querySelector('[data-testid=sequences-answer]')?.innerText ?? before) !== before, before);
    await settled(page);
    // No two consecutive layers are known to the method.
    await pickPreset(page, 'workload', 'alexnet-eyeriss');
    await page.getByTestId('sequences-wrong').getByText('HW-Flow-Fusion fuses convolutions').waitFor();
    assert.equal(await page.getByTestId('sequence-facts').count(), 0);
  }));

/** Opens the view and waits until everything is computed. */
async function open(page, url, workload) {
  await page.goto(url);
  await pickPreset(page, 'workload', workload);
  await page.getByTestId('tiles-x').fill('7 28');
  await page.getByTestId('tiles-y').fill('7 28');
  await page.getByTestId('tab-fusion').click();
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
  // Each question has its own section of the view; opened sections keep running.
  await page.getByTestId('fusion-sequences-part').click();
  await settled(page);
}

async function settled(page) {
  for (const part of PARTS) await page.locator(`[data-testid=${part}][data-status=done]`).waitFor();
}

/** Clicks somewhere in the bars of a figure. */
async function click(page, testid, down) {
  const canvas = page.getByTestId(testid).locator('canvas');
  const { width, height } = await canvas.boundingBox();
  await canvas.click({ position: { x: width / 2, y: down(height) } });
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
