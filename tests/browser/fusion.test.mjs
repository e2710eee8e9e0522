// Which layers run together: every method beside every other, worked out while one watches, and taken over by a click.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { mistakes, withPage } from './harness.mjs';

const METHODS = ['Single layers', "DeFiNES' rule", 'HW-Flow-Fusion', 'Optimus, as published', 'Optimus, exact', 'Jointly optimal'];

test('methods are compared, their stacks drawn and taken over, and a link shows the same', () =>
  withPage(async ({ page, url, screenshot }) => {
    await page.goto(url);
    await page.getByTestId('workload-preset').selectOption('resnet18');
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
    // The groups of any method on the graph, and what another accelerator would do.
    await page.getByTestId('fusion-groups-of').selectOption("DeFiNES' rule");
    await page.locator('[data-testid=fusion-sweeps][data-status=done]').waitFor();
    for (const figure of ['fusion-graph', 'fusion-buffer', 'fusion-array', 'fusion-batch']) {
      await page.getByTestId(figure).locator('summary').click();
    }
    const layers = page.getByTestId('fusion-graph').locator('tbody tr');
    assert.equal(new Set(await layers.locator('td:last-child').allInnerTexts()).size - 1, rows[1].stacks);
    const buffer = await page.getByTestId('fusion-buffer').locator('tbody tr').allInnerTexts();
    assert.equal(buffer.length, 9);
    assert.deepEqual(await mistakes(page), []);
    await screenshot('fusion');

    // Its stacks become those of the schedule; what is compared stays.
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
    await page.getByTestId('hardware-preset').selectOption('tpu-like-df');
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

async function done(page) {
  await page.getByTestId('tab-fusion').click();
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor({ timeout: 60_000 });
}

/** The table of methods as a file. */
async function saved(page) {
  const download = page.waitForEvent('download');
  await page.getByTestId('fusion-view').getByTestId('save-json').first().click();
  return JSON.parse(await readFile(await (await download).path(), 'utf8'));
}
