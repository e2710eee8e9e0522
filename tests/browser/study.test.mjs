// A study end to end: the page finds the results of the command line, in the same files; a selection in one figure
// applies to all.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FEW_POINTS, bytesOf, commandLine, tooWide, withPage } from './harness.mjs';

/** Twenty designs, some of which violate the constraint. */
const STUDY = `name: Small
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
constraints: [capacity <= 1.5 MiB]
objectives: [energy, latency, capacity]
axes:
  - { vary: hardware.memories.sram_64KB.size, from: 4 KiB, to: 64 KiB, count: 5, scale: log }
  - { vary: schedule.stacks, values: [auto, layer-by-layer] }
  - { vary: hardware.memories.sram_1MB_A.size, values: [128 KiB, 1 MiB] }
`;

test('a study is suggested, written, run, selected from and opened', (t) =>
  withPage(async ({ page, url, step }) => {
    const text = page.getByTestId('study-text');
    const settled = (status) => page.locator(`[data-testid=study-view][data-status=${status}]`).waitFor();
    const csv = async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('study-csv').click()]);
      return String(await bytesOf(download));
    };
    const selected = async () => Number(/^(\d+) designs selected/.exec(await page.locator('[data-testid=study-selection] summary').innerText())[1]);
    let native;
    let folder;

    await step(t, 'a suggested study runs by itself', async () => {
      await page.goto(url + FEW_POINTS);
      await page.getByTestId('tab-study').click();
      await settled('done');
      assert.match(await text.inputValue(), /^name: .*\nhardware: meta-proto-like-df\n/);
      assert.match(await page.getByTestId('study-progress').innerText(), /^49 designs/);
      assert.ok((await page.getByTestId('study-open-row').count()) > 0);
      // Remarks on the limits of the answer.
      assert.match(await page.getByTestId('study-energies').innerText(), /energy of an access stays/);
    });

    await step(t, 'axes are added by clicks, here and in the form of the hardware; mistakes are told at once', async () => {
      await page.getByTestId('study-vary').selectOption('hardware.memories.dram.width');
      assert.match(await text.inputValue(), /vary: hardware\.memories\.dram\.width, from: 16 bit, to: 256 bit, count: 5/);
      await page.getByTestId('study-count').getByText(/^245 designs/).waitFor();
      await page.getByTestId('memory-4').click();
      await page.getByTestId('size-vary').click();
      await page.getByTestId('study-axes').getByText('hardware.memories.sram_64KB.size').waitFor();
      await text.fill('name: wrong\nhardware: desing\naxes:\n  - { vary: hardware.memories.sram.size, values: [] }\nrecord: [enrgy]\n');
      const told = await page.getByTestId('study-errors').innerText();
      for (const said of [/desing/, /network/, /enrgy/]) assert.match(told, said);
      assert.equal(await page.getByTestId('study-start').isDisabled(), true);
    });

    await step(t, 'a run of many designs stops and goes on', async () => {
      const known = async () => Number(/^[\d\s\u202f]+/.exec(await page.getByTestId('study-progress').innerText())[0].replace(/\D/g, ''));
      const isBeyond = (least) => {
        const said = document.querySelector('[data-testid=study-progress]')?.innerText ?? '';
        return Number((/^[\d\s\u202f]+/.exec(said)?.[0] ?? '').replace(/\D/g, '')) > least;
      };
      await text.fill(STUDY.replace('count: 5', 'count: 4000').replace('from: 4 KiB', 'from: 64 B'));
      await page.getByTestId('study-start').click();
      await settled('running');
      await page.waitForFunction(isBeyond, 0);
      await page.getByTestId('study-stop').click();
      await settled('stopped');
      const before = await known();
      await page.getByTestId('study-continue').click();
      await page.waitForFunction(isBeyond, before);
      await page.getByTestId('study-stop').click();
      await settled('stopped');
    });

    await step(t, 'a written study finds what the command line finds, in the same file', async () => {
      await text.fill(STUDY);
      await page.getByTestId('study-start').click();
      await page.getByTestId('study-results').getByRole('heading', { name: 'Small' }).waitFor();
      await page.getByTestId('study-progress').getByText(/^20 designs/).waitFor();
      await settled('done');
      folder = await mkdtemp(join(tmpdir(), 'study-'));
      await writeFile(join(folder, 'study.yaml'), STUDY);
      commandLine('study', 'run', join(folder, 'study.yaml'), '--out', join(folder, 'results.csv'));
      native = await readFile(join(folder, 'results.csv'), 'utf8');
      assert.equal(await csv(), native);
      assert.equal(native.trim().split('\n').length, 21);
    });

    await step(t, 'what is selected in one figure is selected in all, by pointer and without', async () => {
      const all = await selected();
      // A range along the first axis of the lines.
      const lines = page.locator('[data-testid=study-lines] canvas');
      await lines.scrollIntoViewIfNeeded();
      const box = await lines.boundingBox();
      await page.mouse.move(box.x + 54, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + 54, box.y + 140, { steps: 2 });
      await page.mouse.up();
      const some = await selected();
      assert.ok(some > 0 && some < all, `${some} of ${all}`);
      await page.getByTestId('study-selection').getByText(/^sram_64KB.size: /).waitFor();
      await page.getByTestId('study-which').selectOption('all');
      assert.match(await page.getByTestId('study-designs').getByRole('heading').innerText(), new RegExp(`^Selected designs: ${some}\\b`));
      await page.locator('[data-testid=study-selection] .chip').first().click();
      await page.locator('[data-testid=study-selection] summary').click();
      await page.getByTestId('study-limit').selectOption({ label: 'schedule.stacks' });
      await page.getByTestId('study-from').fill('layer-by-layer');
      await page.getByTestId('study-select').click();
      assert.equal(await selected(), all / 2);
    });

    await step(t, 'a design opens in the other views, and undo leads back to what was found', async () => {
      await page.getByTestId('study-open-row').first().click();
      const [, size] = /([\d.]+ K?i?B) sram_64KB.size/.exec(await page.getByTestId('study-opened').innerText());
      await page.getByTestId('study-use').click();
      await page.getByTestId('hardware-as-text').click();
      const [, memory] = (await page.getByTestId('hardware-text').inputValue()).split('- name: sram_64KB');
      assert.match(memory, new RegExp(`^\\s+size: ${size}`));
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '16');
      await page.keyboard.press('Escape');
      await page.getByTestId('undo').click();
      await page.getByTestId('study-view').waitFor();
      assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'meta-proto-like-df');
      assert.equal(await csv(), native);
    });

    await step(t, 'a file of the command line opens with its study; one that is none changes nothing', async () => {
      commandLine('study', 'run', join(folder, 'study.yaml'), '--out', join(folder, 'results.parquet'));
      await page.getByTestId('study-suggested').click();
      await settled('done');
      await page.getByTestId('study-open-file').setInputFiles(join(folder, 'results.parquet'));
      await settled('opened');
      assert.equal(await text.inputValue(), STUDY);
      assert.equal(await csv(), native);
      const whole = await readFile(join(folder, 'results.parquet'));
      const cut = { name: 'cut.parquet', mimeType: 'application/octet-stream', buffer: whole.subarray(0, whole.length / 2) };
      await page.getByTestId('study-open-file').setInputFiles(cut);
      await page.getByTestId('study-file-errors').getByText(/cut\.parquet/).first().waitFor();
      assert.equal(await csv(), native, 'what was shown stays');
    });

    await step(t, 'it fits a small screen', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual(await tooWide(page), []);
    });
  }));
