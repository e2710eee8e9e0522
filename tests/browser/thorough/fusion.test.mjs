// Groups of layers: methods side by side, computed while results are shown, and taken over by a click.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, mistakes, pickPreset, withPage } from '../harness.mjs';

const METHODS = ['Single layers', "DeFiNES' rule", 'HW-Flow-Fusion', 'Optimus, as published', 'Optimus, exact', 'Jointly optimal'];

test('methods are compared, their stacks drawn and taken over, and a link shows the same', () =>
  withPage(async ({ page, url, screenshot }) => {
    await page.goto(url);
    await pickPreset(page, 'workload', 'resnet18');
    await page.getByTestId('tiles-x').fill('7 28');
    await page.getByTestId('tiles-y').fill('7 28');
    await done(page);
    const rows = await saved(page);
    assert.deepEqual(rows.map((row) => row.method), METHODS);
    const energy = rows.map((row) => row['energy [pJ]']);
    const optimal = energy.at(-1);
    assert.ok(energy.every((other) => other >= optimal), energy.join(' '));
    const bytes = rows.map((row) => row["DRAM by Optimus' model [B]"]).filter((cell) => typeof cell === 'number');
    assert.ok(bytes.every((other) => other >= rows.at(-2)["DRAM by Optimus' model [B]"]), bytes.join(' '));
    assert.match(await page.getByTestId('fusion-answer').innerText(), /3 125 000|ways to cut/);
    // The groups of any method on the graph, and on another accelerator.
    await page.getByTestId('fusion-groups-of').selectOption("DeFiNES' rule");
    await page.getByTestId('fusion-graph').locator('summary').click();
    const layers = page.getByTestId('fusion-graph').locator('tbody tr');
    assert.equal(new Set(await layers.locator('td:last-child').allInnerTexts()).size - 1, rows[1].stacks);
    await page.getByTestId('fusion-what-if-part').click();
    await page.locator('[data-testid=fusion-sweeps][data-status=done]').waitFor();
    for (const figure of ['fusion-buffer', 'fusion-array', 'fusion-batch']) {
      await page.getByTestId(figure).locator('summary').click();
    }
    const buffer = await page.getByTestId('fusion-buffer').locator('tbody tr').allInnerTexts();
    assert.equal(buffer.length, 9);
    assert.deepEqual(await mistakes(page), []);
    await screenshot('fusion');
    await page.getByTestId('fusion-methods-part').click();

    // Its stacks become those of the schedule; the comparison stays.
    await page.getByTestId('use-optimal').click();
    const stacks = rows.at(-1).stacks;
    const said = stacks === 1 ? 'in one stack' : `in ${stacks} stacks`;
    await page.getByTestId('network-facts').getByText(said).waitFor();
    await done(page);
    assert.deepEqual((await saved(page)).map((row) => row['energy [pJ]']), energy);

    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Fusion');
    await done(page);
    assert.deepEqual((await saved(page)).map((row) => row['energy [pJ]']), energy);
  }));

test('an edit is worked out anew, and errors and refusals are told', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-fusion').click();
    await done(page);
    const before = await saved(page);
    const old = await page.getByTestId('fusion-answer').evaluate((answer) => answer.textContent);
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.waitForFunction((old) => document.querySelector('[data-testid=fusion-answer]').textContent !== old, old);
    await done(page);
    assert.notDeepEqual(await saved(page), before);
    // A design with errors has no stacks.
    await page.getByTestId('tiles-x').fill('nothing');
    await page.locator('[data-testid=fusion-view][data-status=rejected]').waitFor();
    await page.getByTestId('fusion-view').getByText('The design has errors').waitFor();
    await page.getByTestId('tiles-x').fill('4 60');
    await done(page);
  }));

test('limits on layers and tiles bind the stacks, are told when wrong, and are part of the link', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tiles-x').fill('60 960');
    await page.getByTestId('tiles-y').fill('72 540');
    await done(page);
    const free = (await saved(page)).at(-1);
    assert.equal(free.stacks, 1, 'without limits all layers of FSRCNN are one stack');
    await page.getByTestId('most-layers').fill('3 layers');
    await page.getByTestId('most-tiles').fill('0');
    await page.locator('[data-testid=fusion-view][data-status=rejected]').waitFor();
    const wrong = page.getByTestId('limit-errors');
    await wrong.getByText('3 layers').first().waitFor();
    assert.equal(await wrong.locator('li').count(), 2);
    assert.equal(await page.getByTestId('most-layers').getAttribute('aria-invalid'), 'true');
    await page.getByTestId('most-layers').fill('3');
    await page.getByTestId('most-tiles').fill('40');
    await done(page);
    const limited = (await saved(page)).at(-1);
    assert.ok(limited.stacks >= 3, `${limited.stacks} stacks of at most 3 of 8 layers`);
    assert.ok(limited['energy [pJ]'] > free['energy [pJ]']);
    assert.deepEqual(await mistakes(page), []);
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    assert.equal(await page.getByTestId('most-tiles').inputValue(), '40');
    await done(page);
    assert.deepEqual((await saved(page)).at(-1), limited);
  }));

test('the landscape says what stacks, tiles and modes come to together, and cuts the network so', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await pickPreset(page, 'workload', 'resnet18');
    await page.getByTestId('tiles-x').fill('7 28');
    await page.getByTestId('tiles-y').fill('7 28');
    await page.locator('[data-testid=joint][data-status=done]').waitFor();
    const joint = await page.getByTestId('joint').innerText();
    assert.match(joint, /Jointly optimal: [\d.]+ .J, [\d.]+ % less than the best point, in \d+ stacks/);
    await page.getByTestId('cut-jointly').click();
    await page.getByTestId('network-facts').getByText(`in ${joint.match(/in (\d+) stacks/)[1]} stacks`).waitFor();
    await page.locator('[data-testid=joint][data-status=done]').waitFor();
    // The optimum does not depend on the cuts, and is closer to the result of these.
    const told = await page.getByTestId('joint').innerText();
    const energy = (text) => text.match(/optimal: ([\d.]+ .J)/)[1];
    const gain = (text) => Number(text.match(/([\d.]+) % less/)?.[1] ?? 0);
    assert.equal(energy(told), energy(joint));
    assert.ok(gain(told) < gain(joint), told);
    await page.getByTestId('joint').getByRole('button', { name: 'Compare in Fusion' }).click();
    await done(page);
    assert.equal((await saved(page)).at(-1).stacks, Number(joint.match(/in (\d+) stacks/)[1]));
  }));

async function done(page) {
  await page.getByTestId('tab-fusion').click();
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
}

/** The table of methods as a file. */
async function saved(page) {
  const json = await fileButton(page.getByTestId('fusion-view'), 'json');
  const download = page.waitForEvent('download');
  await json.click();
  return JSON.parse(String(await bytesOf(await download)));
}
