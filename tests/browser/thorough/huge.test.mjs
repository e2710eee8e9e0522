// A network of 4,095 layers is a short link. Every request about it is answered, or rejected with a feasible
// alternative.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY, commandLine, withPage } from '../harness.mjs';

const chain = [
  'name: chain',
  'batch: 1',
  'precision: { W: 8, I: 8, O_partial: 16, O: 8 }',
  'layers:',
  '  - { name: image, type: input, K: 16, size: 32 x 32 }',
  ...Array.from({ length: 4095 }, (_, layer) => `  - { name: a${layer}, type: conv, K: 16, kernel: 3 x 3, padding: 1 }`),
];

test('a chain of 4,095 layers is swept, and its stacks are studied part by part', async () => {
  const folder = join(REPOSITORY, 'target', 'huge');
  const file = join(folder, 'chain.yaml');
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${chain.join('\n')}\n`);
  const asked = ['link', 'make', '--hardware', 'meta-proto-like-df', '--workload', file];
  const link = commandLine(...asked).trim();
  assert.ok(link.length < 15_000, `${link.length} characters`);
  await withPage(async ({ page, url }) => {
    await page.goto(url + link.slice(link.indexOf('#')));
    // About 5 s on an idle machine, more than the usual limit on a busy one.
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    // Its graph is drawn around the visible part, wherever a person goes: the whole took 250 MB of the browser's
    // memory.
    const elements = await page.locator('*').count();
    assert.ok(elements < 4000, `${elements} elements`);
    for (const [key, layer] of Object.entries({ Home: 0, End: 4095, ArrowUp: 4094 })) {
      await page.locator('.graph [tabindex="0"]').press(key);
      await page.locator(`#layer-${layer}:focus`).waitFor();
      await page.locator(`#layer-${Math.max(layer - 1, 1)}`).waitFor();
    }
    await page.getByTestId('network-graph').evaluate((view) => view.scrollTo(0, 20_000));
    await page.waitForFunction(() => {
      const seen = document.querySelector('[data-testid=network-graph]').getBoundingClientRect();
      const element = document.elementFromPoint((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
      const layers = [...document.querySelectorAll('.graph .layer')].map((layer) => layer.getBoundingClientRect());
      return element && layers.filter((layer) => layer.top > seen.top && layer.bottom < seen.bottom).length > 3;
    });
    await page.getByTestId('tab-fusion').click();
    // Its short stacks are studied part by part; nothing is rejected.
    await page.getByTestId('fusion-view').locator('progress').waitFor();
    assert.equal(await page.getByTestId('fusion-wrong').count(), 0);
    // No worker had to be replaced on the way.
    assert.equal(await page.getByText('ran out of memory').count(), 0);
  });
});
