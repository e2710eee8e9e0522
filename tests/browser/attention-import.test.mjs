// ONNX models in the view of attention: they become its transformer, which is what the command line makes of them.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, violations, withPage } from './harness.mjs';
import { input, ints, model, node, weights } from './onnx.mjs';

const [TOKENS, WIDTH, HEADS, HIDDEN] = [16, 32, 4, 96];

/** A product with weights. */
const dense = (from, name, c, k) => [weights(`${name}.weight`, [c, k]), node('MatMul', [from, `${name}.weight`], name)];

/** Attention, and a feed-forward part with an activation, each behind a norm and added to what it read. */
const block = (from, name, activation) => {
  const own = (part) => `${name}/${part}`;
  const heads = (part) => [
    node('Reshape', [own(part), 'heads'], own(`${part}.split`)),
    node('Transpose', [own(`${part}.split`)], own(`${part}.turned`), { perm: part === 'k' ? [0, 2, 3, 1] : [0, 2, 1, 3] }),
  ];
  return [
    weights(own('gain'), [WIDTH]),
    node('LayerNormalization', [from, own('gain')], own('normal')),
    ...['q', 'k', 'v'].flatMap((part) => [...dense(own('normal'), own(part), WIDTH, WIDTH), ...heads(part)]),
    node('MatMul', [own('q.turned'), own('k.turned')], own('scores')),
    node('Add', [own('scores'), 'hidden'], own('masked')),
    node('Softmax', [own('masked')], own('shares')),
    node('MatMul', [own('shares'), own('v.turned')], own('context')),
    node('Transpose', [own('context')], own('rows'), { perm: [0, 2, 1, 3] }),
    node('Reshape', [own('rows'), 'tokens'], own('joined')),
    ...dense(own('joined'), own('output'), WIDTH, WIDTH),
    node('Add', [from, own('output')], own('middle')),
    node('LayerNormalization', [own('middle'), own('gain')], own('normal.2')),
    ...dense(own('normal.2'), own('up'), WIDTH, HIDDEN),
    node(activation, [own('up')], own('activated')),
    ...dense(own('activated'), own('down'), HIDDEN, WIDTH),
    node('Add', [own('middle'), own('down')], own('sum')),
  ];
};

/** Two blocks that see only earlier tokens, and a head. */
const gpt = (activation) =>
  model(
    input('x', [1, TOKENS, WIDTH]),
    ints('heads', [1, TOKENS, HEADS, WIDTH / HEADS]),
    ints('tokens', [1, TOKENS, WIDTH]),
    ints('square', [TOKENS, TOKENS]),
    weights('lowest', []),
    node('Expand', ['lowest', 'square'], 'full'),
    node('Trilu', ['full'], 'hidden'),
    ...block('x', 'one', activation),
    ...block('one/sum', 'two', activation),
    ...dense('two/sum', 'head', WIDTH, 50),
  );

const withFolder = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), 'fusescape-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

test('an ONNX model becomes the transformer of the view, with a report of what is left out', () =>
  withFolder((folder) =>
    withPage(async ({ page, url, screenshot }) => {
      const file = join(folder, 'my-gpt.onnx');
      await writeFile(file, gpt('Gelu'));
      const text = commandLine('import', file, '--as', 'transformer');
      assert.match(text, /layers: 2\nwidth: 32\nheads: 4\nhead_size: 8\nfeed_forward: \{ width: 96, activation: gelu \}\nnorm: layer\n$/);
      await open(page, url);
      await page.getByTestId('attention-tokens').fill('48');
      await page.getByTestId('model-import-files').setInputFiles(file);
      const report = page.getByTestId('model-import-report');
      await report.getByText('a transformer of 2 layers, 4 heads and 32 channels; 16 new tokens of 1 sequence take').waitFor();
      assert.match(await report.innerText(), /Not counted\s+MatMul: behind the blocks, 32 x 50 weights for 16 rows: 25600 MACs, left out head/);
      assert.deepEqual(await violations(page, '[data-testid=attention-view]'), []);
      await known(page);
      await screenshot('attention-onnx');
      // What was entered besides stays, and the document is a text to go on with.
      assert.equal(await page.getByTestId('attention-tokens').inputValue(), '48');
      await page.getByTestId('model-as-text').click();
      assert.equal(await page.getByTestId('model-text').inputValue(), text);
      await page.getByTestId('model-text').fill(text.replace('layers: 2', 'layers: 5'));
      await known(page);
      // One that is refused changes nothing; each reason has its node.
      const refused = join(folder, 'refused.onnx');
      await writeFile(refused, gpt('Elu'));
      await drop(page, 'attention-view', refused);
      await page.getByTestId('import-errors').getByText('The activation, Elu, is none that a transformer document').waitFor();
      assert.match(await report.innerText(), /Nothing was imported\.[^]+one\/down/);
      assert.equal(await page.getByTestId('model-text').inputValue(), text.replace('layers: 2', 'layers: 5'));
      await report.getByRole('button', { name: 'close the report' }).click();
      // Dropped anywhere else while the view is open it is a transformer, too, and undone the text of before is back.
      await drop(page, 'root', file);
      await page.getByTestId('page-import-report').getByText('a transformer of 2 layers').waitFor();
      assert.equal(await page.getByTestId('model-text').inputValue(), text);
      await page.getByTestId('undo').click();
      assert.equal(await page.getByTestId('model-text').inputValue(), text.replace('layers: 2', 'layers: 5'));
    }),
  ));

test('elsewhere a model is a network, and a transformer document opens its view', () =>
  withFolder((folder) =>
    withPage(async ({ page, url }) => {
      const [file, document] = [join(folder, 'my-gpt.onnx'), join(folder, 'mine.yaml')];
      await writeFile(file, gpt('Gelu'));
      await page.goto(url);
      await page.locator('[data-testid=root][data-status=done]').waitFor();
      await drop(page, 'root', file);
      const report = page.getByTestId('page-import-report');
      await report.getByText(/layers, [\d.]+ kMAC/).waitFor();
      const text = commandLine('presets', 'gpt2-small');
      await writeFile(document, text);
      await drop(page, 'root', document);
      await report.getByText('taken as it is: 12 layers of 768 channels').waitFor();
      await known(page);
      await page.getByTestId('model-as-text').click();
      assert.equal(await page.getByTestId('model-text').inputValue(), text);
    }),
  ));

async function open(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-attention').click();
  await known(page);
}

const known = (page) => page.locator('[data-testid=attention-view][data-status=done]').waitFor();

/** Drops a file on an element. */
async function drop(page, testid, path) {
  const bytes = [...(await readFile(path))];
  const dataTransfer = await page.evaluateHandle(
    ([name, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name));
      return data;
    },
    [path.split('/').at(-1), bytes],
  );
  for (const type of ['dragover', 'drop']) await page.getByTestId(testid).dispatchEvent(type, { dataTransfer });
}
