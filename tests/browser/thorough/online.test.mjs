// Optimus on the current design: groups are chosen anew as the buffer is dragged, for other arrays, and timed in this
// browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, mistakes, pickPreset, withPage } from '../harness.mjs';

const STEPS = 33;

test('the buffer is dragged, and groups are decided anew: the newest place wins', () =>
  withPage(async ({ page, url, screenshot }) => {
    await fusion(page, url, 'resnet18', 'buffer');
    const card = page.getByTestId('fusion-online');
    await at(page, 0);
    await page.locator('[data-testid=fusion-online][data-status=done]').waitFor();
    const sweep = await saved(page, 'online-sweep');
    assert.equal(sweep.length, STEPS);
    for (const row of sweep) {
      const online = row['decided on line [B]'];
      if (typeof online !== 'number') continue;
      assert.ok(online >= row['exact search [B]'] && row['exact search [B]'] >= row['oracle [B]'], JSON.stringify(row));
    }
    assert.match(await answer(page), /the same as with this design's own buffer/);

    // By keys, step by step; the text is that of the step in the sweep.
    const slider = page.getByTestId('online-buffer');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await at(page, -1);
    await page.keyboard.press('Home');
    await at(page, -STEPS / 2 + 0.5);
    // By a drag: many steps in short order, of which only the last counts.
    await slider.evaluate((slider) => {
      for (const step of [-12, -3, 7, 12, 5, -2, -8, -7]) {
        slider.value = step;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
      }
    });
    await at(page, -7);
    const row = sweep[-7 + (STEPS - 1) / 2];
    const shown = await answer(page);
    const [, mebibytes] = shown.match(/^([\d.]+) MiB an image/);
    assert.ok(Math.abs(mebibytes / (row['decided on line [B]'] / 2 ** 20) - 1) < 0.01, shown);
    assert.match(shown, /\d+ differ from those of this design's own buffer/);
    assert.match(shown, /ms\nto decide; [\w. ]+ ms from the slider to the answer/);
    assert.equal(await slider.getAttribute('aria-valuetext'), await card.locator('output').innerText());

    // The strips: as many groups as in the text, and in the table.
    await page.getByTestId('online-groups').locator('summary').click();
    const layers = await saved(page, 'online-groups');
    const column = Object.keys(layers[0]).find((name) => name.endsWith('at the slider'));
    assert.equal(new Set(layers.map((layer) => layer[column])).size, Number(shown.match(/(\d+) groups?\n/)[1]));
    assert.deepEqual(await mistakes(page), []);
    await screenshot('online');
    await card.getByRole('button', { name: 'this design’s' }).click();
    await at(page, 0);

    // Another accelerator has other buffers; the card and the slider stay until they are known.
    await slider.fill('3');
    await at(page, 3);
    const before = await slider.getAttribute('aria-valuetext');
    const whole = await card.elementHandle();
    await pickPreset(page, 'hardware', 'tpu-like');
    await page.locator(`[data-testid=online-buffer]:not([aria-valuetext="${before}"])`).waitFor();
    await page.locator('[data-testid=fusion-online][data-status=done]').waitFor();
    await at(page, 3);
    assert.ok(await whole.evaluate((card) => card.isConnected), 'the card disappeared in between');
    // A short error takes nothing away.
    await page.getByTestId('fusion-methods-part').click();
    await page.getByTestId('most-layers').fill('few');
    await page.locator('[data-testid=fusion-view][data-status=rejected]').waitFor();
    assert.ok(await whole.evaluate((card) => card.isConnected), 'an error took the card away');
    await page.getByTestId('most-layers').fill('');
    await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
    assert.equal(await slider.inputValue(), '3');
    assert.ok(await whole.evaluate((card) => card.isConnected));
  }));

test('other dataflows and array sizes are worked out, stopped, and gone on with', () =>
  withPage(async ({ page, url }) => {
    await fusion(page, url, 'resnet18', 'what-if');
    const card = page.getByTestId('fusion-dataflows');
    await page.getByTestId('dataflows-start').click();
    await page.getByTestId('dataflows-energy').waitFor();
    await page.getByTestId('dataflows-stop').click();
    await page.getByTestId('dataflows-start').click();
    await page.locator('[data-testid=fusion-dataflows][data-status=done]').waitFor();
    await card.locator('details:has([data-testid=dataflows-table]) > summary').click();
    const rows = await saved(page, 'dataflows-table');
    const arrays = new Map();
    for (const row of rows) {
      const name = `${row.PEs} ${row.dataflow}`;
      arrays.set(name, [...(arrays.get(name) ?? []), row]);
    }
    assert.deepEqual([...new Set(rows.map((row) => row.PEs))], ['32 × 32', '16 × 16', '64 × 64']);
    assert.equal(arrays.size, 12);
    for (const [name, methods] of arrays) {
      const energy = methods.map((row) => row['energy [pJ]']).filter((cell) => typeof cell === 'number');
      assert.ok(energy.length > 4 && energy.every((other) => other >= energy.at(-1)), `${name}: ${energy}`);
    }
    // The figures are of the chosen method.
    await page.getByTestId('dataflows-method').selectOption('Jointly optimal');
    const bars = await saved(page, 'dataflows-energy');
    const optimal = rows.filter((row) => row.method === 'Jointly optimal').map((row) => row['energy [pJ]']);
    bars.forEach((bar, index) => assert.ok(Math.abs(bar['total [pJ]'] / optimal[index] - 1) < 1e-9));
    assert.deepEqual(await mistakes(page), []);
  }));

test("the paper's networks are searched and timed in this browser", () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-fusion').click();
    await page.getByTestId('fusion-times-part').click();
    await page.getByTestId('times-start').click();
    await page.locator('[data-testid=fusion-times][data-status=done]').waitFor();
    const rows = await saved(page, 'fusion-times');
    assert.equal(rows.length, 18);
    for (const network of new Set(rows.map((row) => row.network))) {
      const [algorithm1, exact, online] = rows.filter((row) => row.network === network);
      assert.deepEqual([algorithm1, exact, online].map((row) => row.search), ['Algorithm 1', 'exact', 'on line']);
      assert.ok(exact['DRAM, 4 images [B]'] <= algorithm1['DRAM, 4 images [B]']);
      assert.ok([algorithm1, exact, online].every((row) => row['here [ms]'] >= 0), JSON.stringify(exact));
      assert.match(exact.proof, network.startsWith('NASNet') ? /too wide to prove/ : /nothing is cheaper/);
    }
    assert.equal(rows.find((row) => row.network === 'GoogLeNet')['published [ms]'], 27.89);
  }));

/** Optimus only supports networks with one input map. */
const TWO_INPUTS = `name: two inputs
layers:
  - { name: image, type: input, K: 8, size: 16 x 16 }
  - { name: other, type: input, K: 8, size: 16 x 16 }
  - { name: a, type: conv, K: 8, from: image, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 8, from: other, kernel: 3 x 3, padding: 1 }
`;

test('a network that Optimus cannot express is not asked for', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('workload-as-text').click();
    await page.getByTestId('workload-text').fill(TWO_INPUTS);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-fusion').click();
    await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
    await page.getByTestId('fusion-what-if-part').click();
    await page.getByTestId('fusion-dataflows').waitFor();
    await page.getByTestId('fusion-buffer-part').click();
    await page.waitForFunction(() => window.fusescape.busy() === 0);
    assert.equal(await page.getByTestId('fusion-online').count(), 0);
  }));

async function fusion(page, url, network, part) {
  await page.goto(url);
  await pickPreset(page, 'workload', network);
  await page.getByTestId('tiles-x').fill('7 28');
  await page.getByTestId('tiles-y').fill('7 28');
  await page.getByTestId('tab-fusion').click();
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
  await page.getByTestId(`fusion-${part}-part`).click();
}

/** Waits for the answer for a step of the slider. */
function at(page, step) {
  return page.locator(`[data-testid=fusion-online][data-step="${step}"]`).waitFor();
}

function answer(page) {
  return page.getByTestId('online-answer').innerText();
}

/** The table of a figure or a card, as saved. */
async function saved(page, testid) {
  const place = page.getByTestId(testid);
  await place.locator('details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
  const json = await fileButton(place, 'json');
  const download = page.waitForEvent('download');
  await json.click();
  return JSON.parse(String(await bytesOf(await download)));
}
