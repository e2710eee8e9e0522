// Importing files in the page: what comes out is what the command line makes of them.

import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, violations, withPage } from './harness.mjs';
import { head, input, model, node, number, weights, weightsHead } from './onnx.mjs';

const PADS = { pads: [1, 1, 1, 1] };

/** Two convolutions, an activation that has no cost here, a shortcut. */
const GRAPH = [
  input('image', ['batch', 3, 32, 32]),
  weights('w1', [16, 3, 3, 3]),
  weights('w2', [16, 16, 3, 3]),
  node('Conv', ['image', 'w1'], 'first', PADS),
  node('Sigmoid', ['first'], 'soft'),
  node('Conv', ['soft', 'w2'], 'second', PADS),
  node('Add', ['first', 'second'], 'sum'),
];

const withFolder = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), 'fusescape-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

test('an ONNX model is imported, with a report of what is not counted', () =>
  withFolder((folder) =>
    withPage(async ({ page, url, screenshot }) => {
      const file = join(folder, 'shortcut.onnx');
      await writeFile(file, model(...GRAPH));
      await open(page, url);
      await page.getByTestId('workload-import-files').setInputFiles(file);
      const report = page.getByTestId('workload-import-report');
      await report.getByText('3 layers, 2.818 MMAC').waitFor();
      assert.match(await report.innerText(), /Not counted\s+Sigmoid: its arithmetic has no cost here/);
      assert.match(await report.innerText(), /Assumed \(\d+\)/);
      await settled(page);
      assert.match(await page.getByTestId('network-facts').innerText(), /^3 layers/);
      assert.deepEqual(await violations(page, '[data-testid=workload-import-report]'), []);
      await screenshot('import-onnx');
      await page.getByTestId('workload-as-text').click();
      assert.equal(await page.getByTestId('workload-text').inputValue(), commandLine('import', file));
      await report.getByRole('button', { name: 'close the report' }).click();
      await report.waitFor({ state: 'detached' });
    }),
  ));

test('a document of constraints opens where mappings are', () =>
  withFolder((folder) =>
    withPage(async ({ page, url }) => {
      const file = join(folder, 'constraints.yaml');
      const text = 'name: Mine\nlayers: [{ kind: conv, order: [OX any, rest] }]\n';
      await writeFile(file, text);
      await open(page, url);
      await page.getByTestId('hardware-import-files').setInputFiles(file);
      await page.getByTestId('mapping-source').getByText('under your constraints').waitFor();
      assert.equal(await page.getByTestId('constraints-text').inputValue(), text);
      await page.getByTestId('hardware-import-report').getByText('constraints, 1 entry').waitFor();
    }),
  ));

test('a mapping of Timeloop opens where it can be changed by hand', () =>
  withFolder((folder) =>
    withPage(async ({ page, url }) => {
      commandLine('export-timeloop', '--hardware', 'tpu-like', '--workload', 'resnet18', '--out', folder);
      await open(page, url);
      const files = ['architecture', 'problem', 'mapping', 'ERT'].map((name) => join(folder, `${name}.yaml`));
      await page.getByTestId('hardware-import-files').setInputFiles(files);
      await page.getByTestId('mapping-source').getByText('A mapping of your own.').waitFor();
    }),
  ));

test('half a gigabyte of weights is passed over', () =>
  withFolder((folder) =>
    withPage(async ({ page, url }) => {
      const file = join(folder, 'huge.onnx');
      const bytes = 512 * 1024 * 1024;
      const [tensor, rest] = [weightsHead('huge', [bytes / 4], bytes), Buffer.concat(GRAPH)];
      const start = Buffer.concat([number(1, 8), head(7, tensor.length + bytes + rest.length), tensor]);
      const handle = await openFile(file, 'w');
      await handle.write(start, 0, start.length, 0);
      await handle.write(rest, 0, rest.length, start.length + bytes);
      await handle.close();
      await open(page, url);
      await page.getByTestId('workload-import-files').setInputFiles(file);
      await page.getByTestId('workload-import-report').getByText('3 layers, 2.818 MMAC').waitFor();
    }),
  ));

test('a dropped document is taken as it is, mistakes and all', () =>
  withPage(async ({ page, url }) => {
    const text = commandLine('presets', 'tpu-like').replace('name: TPU-like', 'name: My TPU');
    await open(page, url);
    await drop(page, 'hardware-card', 'mine.yaml', text);
    const report = page.getByTestId('hardware-import-report');
    await report.getByText('mine.yaml: taken as it is: 1024 PEs, 4 memories').waitFor();
    await settled(page);
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), '(own)');
    await drop(page, 'hardware-card', 'mine.yaml', text.replace('mac_energy', 'mac_enrgy'));
    await page.getByTestId('hardware-errors').getByText('Did you mean').waitFor();
    await report.getByText('mine.yaml: taken as it is, with 1 mistake').waitFor();
    const told = await report.innerText();
    assert.match(told, /To be corrected[^]*array\.mac_enrgy: There is no field mac_enrgy here\. Did you mean mac_energy\? line \d+/);
    // A network may be dropped on the hardware, too: it goes where it belongs.
    await drop(page, 'hardware-card', 'net.yaml', commandLine('presets', 'mccnn'));
    await page.getByTestId('network-facts').getByText('4 layers').waitFor();
  }));

test('what cannot be imported changes nothing and says why', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    const cut = model(...GRAPH).subarray(0, 300);
    await page.getByTestId('workload-import-files').setInputFiles({ name: 'cut.onnx', mimeType: '', buffer: cut });
    const report = page.getByTestId('workload-import-report');
    await report.getByText('Nothing was imported').waitFor();
    assert.match(await report.innerText(), /cut\.onnx is no complete ONNX model: at byte \d+/);
    const picture = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\r', 'latin1');
    await page.getByTestId('workload-import-files').setInputFiles({ name: 'net.onnx', mimeType: '', buffer: picture });
    await report.getByText('net.onnx is no ONNX model, but a PNG picture').waitFor();
    assert.match(await page.getByTestId('network-facts').innerText(), /^8 layers/);
  }));

test('accelerator, mapping and layers of ZigZag are imported together', () =>
  withFolder((folder) =>
    withPage(async ({ page, url }) => {
      commandLine('export-zigzag', '--hardware', 'tpu-like', '--workload', 'mccnn', '--out', folder);
      await open(page, url);
      const files = ['accelerator', 'mapping', 'workload'].map((name) => join(folder, `${name}.yaml`));
      await page.getByTestId('hardware-import-files').setInputFiles(files);
      const report = page.getByTestId('hardware-import-report');
      await report.getByText('1024 PEs, 4 memories').waitFor();
      assert.match(await report.innerText(), /a ZigZag workload: 4 layers/);
      await settled(page);
    }),
  ));

async function open(page, url) {
  await page.goto(url);
  await settled(page);
}

const settled = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();

async function drop(page, card, name, text) {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    },
    [name, text],
  );
  await page.getByTestId(card).dispatchEvent('dragover', { dataTransfer });
  await page.getByTestId(card).dispatchEvent('drop', { dataTransfer });
}
