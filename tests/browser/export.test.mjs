// Figures and tables leave the page as files that other programs open.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandLine, fileButton, pickPreset, withPage } from './harness.mjs';

test('a figure is saved as SVG and PNG, its table as CSV and JSON', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const heatmap = page.getByTestId('heatmap-fully-cached');

    const drawing = await saved(page, await fileButton(heatmap, 'svg'));
    assert.equal(drawing.name, 'meta-prototype-like-df-fsrcnn-defines-energy-fully-cached.svg');
    const parsed = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      return { error: document.querySelector('parsererror') !== null, text: document.documentElement.textContent };
    }, drawing.bytes.toString('utf8'));
    assert.equal(parsed.error, false);
    assert.match(parsed.text, /tile width X, columns/);

    const picture = await saved(page, await fileButton(heatmap, 'png'));
    const size = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const { width, height } = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      return { width, height };
    }, picture.bytes.toString('base64'));
    assert.equal(size.width, 2 * (900 + 2 * 14));

    const csv = (await saved(page, await fileButton(heatmap, 'csv'))).bytes.toString('utf8').trim().split('\r\n');
    assert.equal(csv.length, 7, 'a header and six tile heights');
    const best = await page.getByTestId('kpi-best').locator('b').innerText();
    const objects = JSON.parse((await saved(page, await fileButton(heatmap, 'json'))).bytes.toString('utf8'));
    const values = objects.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'number');
    const least = Math.min(...values.filter((value) => value > 1e6));
    assert.equal(`${(least / 1e9).toPrecision(3)} mJ`, best);
    assert.ok(!Number.isInteger(least * 100), `${least} has all its digits`);
  }));

test('the graph of layers and all heatmaps together are saved like other figures', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const network = page.getByTestId('workload-card');
    const graph = await saved(page, await fileButton(network, 'svg'));
    assert.equal(graph.name, 'meta-prototype-like-df-fsrcnn-defines-layers.svg');
    assert.match(graph.bytes.toString('utf8'), /960 × 540 × 16/);
    const layers = JSON.parse((await saved(page, await fileButton(network, 'json'))).bytes.toString('utf8'));
    assert.deepEqual([layers.length, layers[8].layer, layers[8].reads, layers[8].stack], [9, 'upscale', 'expand', 1]);

    const all = page.locator('.scale');
    const svg = (await saved(page, await fileButton(all, 'svg'))).bytes.toString('utf8');
    for (const text of ['Energy, mJ', 'fully-recompute', 'H-cached, V-recompute', 'fully-cached']) assert.ok(svg.includes(text), text);
    const csv = (await saved(page, await fileButton(all, 'csv'))).bytes.toString('utf8').trim().split('\r\n');
    assert.equal(csv.length, 1 + 18, 'a header, and six heights for each of three modes');
  }));

test('the whole design is saved as YAML, and opened again by button and by drop', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await page.getByTestId('hardware-as-text').click();
    const text = page.getByTestId('hardware-text');
    const own = `${(await text.inputValue()).replace('size: 32 KiB', 'size: 48 KiB')}# unfinished: [\n`;
    await text.fill(own);
    await pickPreset(page, 'workload', 'mccnn');
    await page.getByTestId('tiles-x').fill('4 60 x');
    await page.getByTestId('tab-mapping').click();
    await page.getByTestId('files').click();
    const file = await saved(page, page.getByTestId('save-state'));
    assert.match(file.name, /^meta-prototype-like-df-[a-z-]*\.yaml$/);
    const yaml = file.bytes.toString('utf8');
    assert.match(yaml, /^fusescape: 1$/m);
    assert.match(yaml, /^ {6}size: 48 KiB$/m);
    await page.keyboard.press('Escape');
    const link = await page.evaluate(() => location.hash);

    const shows = async () => {
      await page.locator('[data-testid=tab-mapping][aria-current=page]').waitFor();
      await page.waitForFunction((link) => location.hash === link, link);
      assert.equal(await text.inputValue(), own);
      assert.equal(await page.getByTestId('workload-preset').inputValue(), 'mccnn');
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '4 60 x');
    };
    const otherwise = async () => {
      await page.getByTestId('tab-landscape').click();
      await pickPreset(page, 'hardware', 'tpu-like');
      await pickPreset(page, 'workload', 'resnet18');
    };
    const upload = { name: 'design.yaml', mimeType: 'application/yaml', buffer: file.bytes };
    await otherwise();
    await page.getByTestId('files').click();
    await page.getByTestId('page-import-files').setInputFiles(upload);
    await shows();
    await page.getByTestId('page-import-report').getByText('opened as it is').waitFor();
    await page.getByRole('button', { name: 'close the report' }).click();

    // Anywhere on the page; and undo takes it back.
    await otherwise();
    await drop(page, 'main', upload);
    await shows();
    await page.getByTestId('undo').click();
    assert.equal(await page.getByTestId('workload-preset').inputValue(), 'resnet18');
    // Also on a card, which does not open it twice.
    await drop(page, '[data-testid=hardware-card]', upload);
    await shows();
    await page.getByTestId('undo').click();
    assert.equal(await page.getByTestId('workload-preset').inputValue(), 'resnet18');

    // What is wrong with a file is said, and nothing is changed.
    await drop(page, 'main', { ...upload, buffer: Buffer.from(yaml.replace('tab: Mapping', 'tab: Maping')) });
    await page.getByTestId('page-import-report').getByText('Did you mean Mapping?').waitFor();
    assert.equal(await page.getByTestId('workload-preset').inputValue(), 'resnet18');
  }));

test('the report of the page is that of the command line, to the letter', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.getByTestId('tiles-x').fill('16 60');
    await page.getByTestId('tiles-y').fill('18 5000');
    await page.waitForFunction(() => window.fusescape.state().points === 12);
    await done(page);
    await page.getByTestId('files').click();
    await page.locator('[data-testid=save-report]:enabled').waitFor();
    const report = await saved(page, page.getByTestId('save-report'));
    assert.equal(report.name, 'tpu-like-df-fsrcnn-defines-report.md');
    const text = report.bytes.toString('utf8');
    const link = new RegExp(`<${url}#(\\S+)>`).exec(text)?.[1];
    const native = commandLine('report', link, '--site', url);
    // They may be of different commits.
    const untold = (report) => report.replace(/^Scheduled by Fusescape [^:]*/m, '');
    assert.equal(untold(text), untold(native));
    assert.match(text, /^# FSRCNN \(DeFiNES\) on TPU-like DF$/m);
    await page.keyboard.press('Escape');
    const best = await page.getByTestId('kpi-best').locator('b').innerText();
    assert.ok(text.includes(`| Energy | ${best} |`), best);
  }));

async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}

/** Drops a file on an element. */
async function drop(page, selector, { name, mimeType, buffer }) {
  const transfer = await page.evaluateHandle(
    ([name, type, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type }));
      return transfer;
    },
    [name, mimeType, buffer.toString('utf8')],
  );
  for (const type of ['dragover', 'drop']) await page.locator(selector).dispatchEvent(type, { dataTransfer: transfer });
}

/** The file that a button gives. */
async function saved(page, button) {
  const waits = page.waitForEvent('download');
  await button.click();
  const download = await waits;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
