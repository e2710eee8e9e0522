// Studies end to end: the page finds what the command line finds, in the same files.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertFits, bytesOf, commandLine, violations, withPage } from '../harness.mjs';

/** A hundred designs, some of which violate the constraint. */
const STUDY = `name: Small
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
constraints: [capacity <= 1.5 MiB]
objectives: [energy, latency, capacity]
axes:
  - { vary: hardware.memories.sram_64KB.size, from: 64 B, to: 64 KiB, count: 11, scale: log }
  - { vary: schedule.stacks, values: [auto, layer-by-layer] }
  - { vary: hardware.memories.sram_1MB_A.size, from: 128 KiB, to: 1 MiB, count: 5 }
`;

test('a suggested study runs by itself, and a written one finds what the command line finds', () =>
  withPage(async ({ page, url }) => {
    await openView(page, url);
    await settled(page, 'done');
    assert.match(await page.getByTestId('study-text').inputValue(), /^name: .*\nhardware: meta-proto-like-df\n/);
    assert.ok((await page.getByTestId('study-open-row').count()) > 0);
    assert.match(await page.getByTestId('study-progress').innerText(), /^49 designs/);
    // Remarks on the limits of the answer.
    assert.match(await page.getByTestId('study-energies').innerText(), /energy of an access stays/);
    assert.deepEqual(await violations(page, '[data-testid=study-view]'), []);
    await assertFits(page, 'study-view');

    await run(page, STUDY);
    const saved = await csvOf(page);
    const folder = await mkdtemp(join(tmpdir(), 'study-'));
    await writeFile(join(folder, 'study.yaml'), STUDY);
    commandLine('study', 'run', join(folder, 'study.yaml'), '--out', join(folder, 'results.csv'));
    const native = await readFile(join(folder, 'results.csv'), 'utf8');
    assert.equal(saved, native);
    assert.equal(saved.trim().split('\n').length, 111);

    // Its front, too.
    commandLine('study', 'run', join(folder, 'study.yaml'), '--out', join(folder, 'results.parquet'));
    const front = JSON.parse(commandLine('study', 'front', join(folder, 'results.parquet'), '--format', 'json'));
    const numbers = (await page.getByTestId('study-open-row').allInnerTexts()).map(Number);
    assert.deepEqual([...numbers].sort((a, b) => a - b), front.front.map(({ design }) => design));

    // Files of the command line open: Parquet with their study, CSV for the current study.
    await page.getByTestId('study-suggested').click();
    await settled(page, 'done');
    await page.getByTestId('study-open-file').setInputFiles(join(folder, 'results.parquet'));
    await settled(page, 'opened');
    assert.equal(await page.getByTestId('study-text').inputValue(), STUDY);
    assert.equal(await csvOf(page), native);
    await page.getByTestId('study-open-file').setInputFiles(join(folder, 'results.csv'));
    await settled(page, 'opened');
    assert.equal(await csvOf(page), native);
    const whole = await readFile(join(folder, 'results.parquet'));
    for (const [name, bytes, said] of [
      ['cut.parquet', whole.subarray(0, whole.length / 2), /cut\.parquet/],
      ['other.csv', Buffer.from('a,b\n1,2\n'), /has no column/],
      ['noise.csv', Buffer.from([0xff, 0xfe, 0x00, 0x80]), /neither Parquet nor CSV/],
    ]) {
      await page.getByTestId('study-open-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
      await page.getByTestId('study-file-errors').getByText(said).first().waitFor();
    }
    assert.equal(await csvOf(page), native, 'what was shown stays');
  }));

test('what is selected in one figure is selected in all, and a design opens in every view', () =>
  withPage(async ({ page, url }) => {
    await openView(page, url);
    await settled(page, 'done');
    await run(page, STUDY);
    const selected = async () => Number(/^(\d+) designs selected/.exec(await page.locator('[data-testid=study-selection] summary').innerText())[1]);
    const all = await selected();
    // A range along the first axis of the lines.
    const lines = page.locator('[data-testid=study-lines] canvas');
    await lines.scrollIntoViewIfNeeded();
    const box = await lines.boundingBox();
    await drag(page, [box.x + 54, box.y + 60], [box.x + 54, box.y + 140]);
    const some = await selected();
    assert.ok(some > 0 && some < all, `${some} of ${all}`);
    await page.getByTestId('study-selection').getByText(/^sram_64KB.size: /).waitFor();
    await page.getByTestId('study-which').selectOption('all');
    assert.match(await page.getByTestId('study-designs').getByRole('heading').innerText(), new RegExp(`^Selected designs: ${some}\\b`));
    // A rectangle of the scatter reduces the selection further; a click on a selected range removes it.
    const scatter = page.locator('[data-testid=study-scatter] canvas');
    await scatter.scrollIntoViewIfNeeded();
    const place = await scatter.boundingBox();
    await drag(page, [place.x + 80, place.y + 60], [place.x + place.width * 0.6, place.y + place.height - 60]);
    const fewer = await selected();
    assert.ok(fewer < some, `${fewer} of ${some}`);
    for (const chip of [3, 2, 1]) {
      assert.equal(await page.locator('[data-testid=study-selection] .chip').count(), chip);
      await page.locator('[data-testid=study-selection] .chip').first().click();
    }
    assert.equal(await selected(), all);
    // Without a pointer.
    await page.locator('[data-testid=study-selection] summary').click();
    await page.getByTestId('study-limit').selectOption({ label: 'schedule.stacks' });
    await page.getByTestId('study-from').fill('layer-by-layer');
    await page.getByTestId('study-select').click();
    assert.equal(await selected(), all / 2);

    await page.getByTestId('study-open-row').first().click();
    const opened = page.getByTestId('study-opened');
    const size = /([\d.]+ K?i?B) sram_64KB.size/.exec(await opened.innerText())[1];
    await page.getByTestId('study-use').click();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('hardware-as-text').click();
    const name = (await page.getByTestId('hardware-text').inputValue()).split('- name: sram_64KB')[1];
    assert.match(name, new RegExp(`^\\s+size: ${size}`));
    assert.equal(await page.getByTestId('tiles-x').inputValue(), '16');
    await page.keyboard.press('Escape');
    await page.getByTestId('undo').click();
    await page.getByTestId('study-view').waitFor();
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'meta-proto-like-df');
    // The results are kept.
    assert.equal(await selected(), all);
    await page.getByTestId('study-open-row').nth(1).click();
    await page.getByTestId('study-pin').click();
    await page.locator('[data-testid=tab-compare][aria-current=page]').waitFor();
  }));

test('axes are added by clicks, mistakes are told at once, a run stops and goes on, a link keeps the document', () =>
  withPage(async ({ page, url }) => {
    await openView(page, url);
    await settled(page, 'done');
    await page.getByTestId('study-vary').selectOption('hardware.memories.dram.width');
    assert.match(await page.getByTestId('study-text').inputValue(), /vary: hardware\.memories\.dram\.width, from: 16 bit, to: 256 bit, count: 5/);
    assert.match(await page.getByTestId('study-count').innerText(), /^245 designs/);
    await page.getByTestId('memory-4').click();
    await page.getByTestId('size-vary').click();
    await page.getByTestId('study-axes').getByText('hardware.memories.sram_64KB.size').waitFor();
    await page.getByTestId('share').click();
    const link = await page.getByTestId('share-link').inputValue();
    await page.keyboard.press('Escape');
    await page.getByTestId('share-dialog').waitFor({ state: 'detached' });
    const text = await page.getByTestId('study-text').inputValue();
    await page.getByTestId('undo').click();
    assert.doesNotMatch(await page.getByTestId('study-text').inputValue(), /sram_64KB/);

    await page.getByTestId('study-text').fill('name: wrong\nhardware: desing\naxes:\n  - { vary: hardware.memories.sram.size, values: [] }\nrecord: [enrgy]\n');
    const told = await page.getByTestId('study-errors').innerText();
    for (const said of [/desing/, /network/, /enrgy/]) assert.match(told, said);
    assert.equal(await page.getByTestId('study-start').isDisabled(), true);

    // Enough designs to stop in between.
    await page.getByTestId('study-text').fill(STUDY.replace('count: 11', 'count: 4000').replace('lpf_limit: 3', 'lpf_limit: 4'));
    await page.getByTestId('study-start').click();
    await settled(page, 'running');
    await page.waitForFunction(() => /^[1-9]/.test(document.querySelector('[data-testid=study-progress]')?.innerText ?? ''));
    await page.getByTestId('study-stop').click();
    await settled(page, 'stopped');
    const known = await page.getByTestId('study-progress').innerText();
    await page.getByTestId('study-continue').click();
    await settled(page, 'running');
    await page.waitForFunction((known) => document.querySelector('[data-testid=study-progress]').innerText.split(' of ')[0] !== known.split(' designs')[0], known);
    await page.getByTestId('study-stop').click();

    await page.goto('about:blank');
    await page.goto(link);
    await page.getByTestId('study-view').waitFor();
    assert.equal(await page.getByTestId('study-text').inputValue(), text);
  }));

test('numbers of a system vary in a study of that system, and widths are in bits', () =>
  withPage(async ({ page, url, screenshot }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('workload-preset').selectOption('three-convs');
    await page.getByTestId('tab-cores').click();
    const card = page.getByTestId('system-card');
    await card.getByTestId('system-numbers').locator('summary').click();
    assert.match(await card.getByTestId('system-numbers').innerText(), /links\.0\.width\s+128 bit/);
    assert.deepEqual(await violations(page, '[data-testid=system-card]'), []);
    await card.getByRole('button', { name: 'Vary offchip.width in a study' }).click();
    await page.getByTestId('study-view').waitFor();
    await page.getByTestId('study-axes').getByText('system.offchip.width').waitFor();
    const text = await page.getByTestId('study-text').inputValue();
    assert.match(text, /^name: .*\nsystem: quad-beside\nhardware: meta-proto-like-df\nnetwork: three-convs\n/);
    assert.match(text, /vary: system\.offchip\.width, from: 16 bit, to: 256 bit, count: 5/);
    // Another number of the system is another axis; the accelerator is one of the cores.
    assert.deepEqual(await page.getByTestId('study-vary').locator('optgroup').evaluateAll((all) => all.map(({ label }) => label)),
      ['choices', 'system', 'accelerator']);
    await page.getByTestId('study-vary').selectOption('schedule.stacks');
    assert.match(await page.getByTestId('study-text').inputValue(), /vary: schedule\.stacks, values: \[automatic, one, each-layer\]/);
    await page.getByTestId('study-text').fill(text.replace('objectives:', 'schedule: { tiles: 4, search: loma, lpf_limit: 3 }\nobjectives:'));
    await page.getByTestId('study-start').click();
    await settled(page, 'done');
    await page.getByTestId('study-which').selectOption('all');
    const rows = await page.getByTestId('study-designs').locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, 5);
    for (const width of [16, 32, 64, 128, 256]) assert.ok(rows.some((row) => new RegExp(`\\b${width} bit\\b`).test(row)), rows.join('\n'));
    await screenshot('study-system');
    await page.getByTestId('study-open-row').first().click();
    assert.match(await page.getByTestId('study-opened').innerText(), /\d+ bit offchip\.width/);
    await page.getByTestId('study-use').click();
    await page.locator('[data-testid=tab-cores][aria-current=page]').waitFor();
  }));

test('the view fits a small screen', () =>
  withPage(
    async ({ page, url }) => {
      await openView(page, url);
      await settled(page, 'done');
      await assertFits(page, 'study-view');
      assert.deepEqual(await violations(page, '[data-testid=study-view]'), []);
    },
    { viewport: { width: 390, height: 844 } },
  ));

async function openView(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-study').click();
  await page.getByTestId('study-view').waitFor();
}

function settled(page, status) {
  return page.locator(`[data-testid=study-view][data-status=${status}]`).waitFor();
}

async function run(page, text) {
  await page.getByTestId('study-text').fill(text);
  await page.getByTestId('study-count').waitFor();
  await page.getByTestId('study-start').click();
  await page.getByTestId('study-results').getByRole('heading', { name: 'Small' }).waitFor();
  await settled(page, 'done');
}

async function csvOf(page) {
  const download = page.waitForEvent('download');
  await page.getByTestId('study-csv').click();
  return String(await bytesOf(await download));
}

async function drag(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await page.mouse.move(...to);
  await page.mouse.up();
}
