// Further imports in the page: documents that open other views, and a file that is too large for memory.

import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, withPage } from '../harness.mjs';
import { head, input, node, number, weights, weightsHead } from '../onnx.mjs';

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

async function open(page, url) {
  await page.goto(url);
  await settled(page);
}

const settled = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();
