// Importing files in the page, by choosing and by dropping them: the results equal those of the command line.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SMALL_COMPARE, commandLine, pickPreset, violations, withPage } from './harness.mjs';
import { gpt, input, model, node, weights } from './onnx.mjs';

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

test('files are imported where they are dropped or chosen', (t) =>
  withFolder((folder) =>
    withPage(async ({ page, url, screenshot, step }) => {
      await page.goto(url + SMALL_COMPARE);
      await settled(page);
      const facts = page.getByTestId('network-facts');

      await step(t, 'what cannot be imported changes nothing and says why', async () => {
        const before = await facts.innerText();
        const cut = model(...GRAPH).subarray(0, 300);
        await page.getByTestId('workload-import-files').setInputFiles({ name: 'cut.onnx', mimeType: '', buffer: cut });
        const report = page.getByTestId('workload-import-report');
        await report.getByText('Nothing was imported').waitFor();
        assert.match(await report.innerText(), /cut\.onnx is no complete ONNX model: at byte \d+/);
        assert.equal(await facts.innerText(), before);
      });

      await step(t, 'an ONNX model is imported, with a report of what is not counted', async () => {
        const file = join(folder, 'shortcut.onnx');
        await writeFile(file, model(...GRAPH));
        await page.getByTestId('workload-import-files').setInputFiles(file);
        const report = page.getByTestId('workload-import-report');
        await report.getByText('3 layers, 2.818 MMAC').waitFor();
        assert.match(await report.innerText(), /Not counted\s+Sigmoid: its arithmetic has no cost here/);
        assert.match(await report.innerText(), /Assumed \(\d+\)/);
        await facts.getByText(/^3 layers/).waitFor();
        await settled(page);
        assert.deepEqual(await violations(page, '[data-testid=workload-import-report]'), []);
        await screenshot('import-onnx');
        await page.getByTestId('workload-as-text').click();
        assert.equal(await page.getByTestId('workload-text').inputValue(), commandLine('import', file));
        await page.getByTestId('workload-as-text').click();
        await report.getByRole('button', { name: 'close the report' }).click();
        await report.waitFor({ state: 'detached' });
      });

      await step(t, 'accelerator, mapping and layers of ZigZag are imported together', async () => {
        commandLine('export-zigzag', '--hardware', 'tpu-like', '--workload', 'mccnn', '--out', folder);
        const files = ['accelerator', 'mapping', 'workload'].map((name) => join(folder, `${name}.yaml`));
        await page.getByTestId('hardware-import-files').setInputFiles(files);
        const report = page.getByTestId('hardware-import-report');
        await report.getByText('1024 PEs, 4 memories').waitFor();
        assert.match(await report.innerText(), /a ZigZag workload: 4 layers/);
        await facts.getByText(/^4 layers/).waitFor();
        await settled(page);
      });

      await step(t, 'a dropped document is taken as it is, mistakes and all, and goes where it belongs', async () => {
        const text = commandLine('presets', 'tpu-like').replace('name: TPU-like', 'name: My TPU');
        await drop(page, 'hardware-card', 'mine.yaml', text.replace('mac_energy', 'mac_enrgy'));
        await page.getByTestId('hardware-errors').getByText('Did you mean').waitFor();
        const report = page.getByTestId('hardware-import-report');
        await report.getByText('mine.yaml: taken as it is, with 1 mistake').waitFor();
        const told = await report.innerText();
        assert.match(told, /To be corrected[^]*array\.mac_enrgy: There is no field mac_enrgy here\. Did you mean mac_energy\? line \d+/);
        await drop(page, 'hardware-card', 'mine.yaml', text);
        await report.getByText('mine.yaml: taken as it is: 1024 PEs, 4 memories').waitFor();
        await settled(page);
        assert.equal(await page.getByTestId('hardware-preset').inputValue(), '(own)');
        // A network may be dropped on the hardware card, too.
        await drop(page, 'hardware-card', 'net.yaml', commandLine('presets', 'fsrcnn-60'));
        await facts.getByText(/^8 layers/).waitFor();
      });

      const [network, transformer] = [join(folder, 'my-gpt.onnx'), gpt('Gelu')];
      await writeFile(network, transformer);
      const area = page.getByTestId('model-text');
      // This accelerator has a memory for keys and values.
      await pickPreset(page, 'hardware', 'meta-proto-like-df');
      await step(t, 'a study opens its view wherever it is dropped; results of one are sent there', async () => {
        const axis = '{ vary: hardware.memories.dram.width, values: [32 bit, 64 bit] }';
        const study = `name: mine\nhardware: tpu-like\nnetwork: three-convs\naxes: [${axis}]\nrecord: [energy]\nobjectives: [energy]\n`;
        await drop(page, 'root', 'study.yaml', study);
        await page.getByTestId('page-import-report').getByText('study.yaml: a study of 1 axis').waitFor();
        await page.getByTestId('study-axes').getByText('hardware.memories.dram.width').waitFor();
        await drop(page, 'root', 'rows.parquet', 'PAR1 and more');
        await page.getByText('Open it in the view Study of the page, or read it by').waitFor();
      });

      await step(t, 'elsewhere a model is a network, and a transformer document opens its view', async () => {
        await drop(page, 'root', 'my-gpt.onnx', transformer);
        const report = page.getByTestId('page-import-report');
        await report.getByText(/layers, [\d.]+ kMAC/).waitFor();
        const text = commandLine('presets', 'gpt2-small');
        await drop(page, 'root', 'mine.yaml', text);
        await report.getByText('taken as it is: 12 layers of 768 channels').waitFor();
        await page.getByTestId('attention-tokens').fill('48');
        await page.getByTestId('attention-generated').fill('8');
        await page.getByTestId('model-as-text').click();
        assert.equal(await area.inputValue(), text);
        await page.getByTestId('model-as-text').click();
      });

      const text = commandLine('import', network, '--as', 'transformer');
      const own = text.replace('layers: 2', 'layers: 5');
      await step(t, 'an ONNX model becomes the transformer of the view, with a report of what is left out', async () => {
        await page.getByTestId('model-import-files').setInputFiles(network);
        const report = page.getByTestId('model-import-report');
        await report.getByText('a transformer of 2 layers, 4 heads and 32 channels; 16 new tokens of 1 sequence take').waitFor();
        assert.match(await report.innerText(), /Not counted\s+MatMul: behind the blocks, 32 x 50 weights for 16 rows: 25600 MACs, left out head/);
        assert.deepEqual(await violations(page, '[data-testid=attention-view]'), []);
        await known(page);
        await screenshot('attention-onnx');
        // Other input is kept, and the document is editable as text.
        assert.equal(await page.getByTestId('attention-tokens').inputValue(), '48');
        await page.getByTestId('model-as-text').click();
        assert.equal(await area.inputValue(), text);
        await area.fill(own);
      });

      await step(t, 'one that is refused changes nothing; each reason has its node', async () => {
        await drop(page, 'attention-view', 'refused.onnx', gpt('Elu'));
        await page.getByTestId('import-errors').getByText('The activation, Elu, is none that a transformer document').waitFor();
        const report = page.getByTestId('model-import-report');
        assert.match(await report.innerText(), /Nothing was imported\.[^]+one\/down/);
        assert.equal(await area.inputValue(), own);
        await report.getByRole('button', { name: 'close the report' }).click();
      });

      await step(t, 'dropped anywhere while the view is open it is a transformer, too, and undone the text of before is back', async () => {
        await drop(page, 'root', 'my-gpt.onnx', transformer);
        await page.getByTestId('page-import-report').getByText('a transformer of 2 layers').waitFor();
        assert.equal(await area.inputValue(), text);
        await page.getByTestId('undo').click();
        assert.equal(await area.inputValue(), own);
      });
    }),
  ));

const settled = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();

const known = (page) => page.locator('[data-testid=attention-view][data-status=done]').waitFor();

/** Drops a file of this name on an element. */
async function drop(page, testid, name, content) {
  const bytes = [...Buffer.from(content)];
  const dataTransfer = await page.evaluateHandle(
    ([name, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name));
      return data;
    },
    [name, bytes],
  );
  for (const type of ['dragover', 'drop']) await page.getByTestId(testid).dispatchEvent(type, { dataTransfer });
}
