// The Mapping view end to end: the best mapping, one made by hand beside it, and other rules.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickPreset, violations, withPage } from '../harness.mjs';

test('the best mapping of the heaviest layer is shown with all its figures', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    assert.equal(await page.getByTestId('mapping-layer').inputValue(), 'conv2');
    assert.match(await page.getByTestId('mapping-proof').innerText(), /^Proved optimal: no order of the loops/);
    for (const figure of ['loop-nest', 'loop-effect', 'memory-energy', 'port-stalls']) await assertDrawn(page, figure);
    // ZigZag, Fig. 6: entries that do not depend on the temporal mapping.
    const outputs = page.getByTestId('loop-information').locator('table').last();
    assert.match(await outputs.locator('caption').textContent(), /of O \(173\s056 elements, each used 1\s200 times\)/);
    const row = (name) => outputs.locator('tr', { hasText: name }).first().locator('td').allInnerTexts();
    assert.equal((await row('data size in total, elements')).at(-1), '173\u202f056');
    assert.equal((await row('accesses from above')).at(0), '207\u202f494\u202f144');
    await page.getByTestId('mapping-layer').selectOption('conv1');
    await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
    await page.getByTestId('loop-editor').getByText('FX 11').waitFor();
    await assertAccessible(page);
  }));

test('every set of rules and every switch is compared', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    const comparison = page.getByTestId('rules-comparison');
    await comparison.locator('summary').click();
    await page.locator('[data-testid=rules-comparison][data-status=done]').waitFor();
    const text = await comparison.innerText();
    const sets = ['corrected · in force', 'as published (DeFiNES)', 'as in ZigZag 3.8', 'as in ZigZag 3.9'];
    for (const expected of [...sets, 'First partial sums are read back']) {
      assert.ok(text.includes(expected), `${expected} is missing in ${text}`);
    }
    assert.match(await page.getByTestId('idle-switches').innerText(), /A cut after the first layer is ignored/);
    await page.setViewportSize({ width: 390, height: 800 });
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
    await assertAccessible(page);
  }));

test('constraints are written, searched exactly, said in the heading, kept by links and undone', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    const best = await costs(page);
    const source = page.getByTestId('mapping-source');
    const text = page.getByTestId('constraints-text');
    const settle = async (words) => {
      await source.getByText(words).waitFor();
      await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
    };

    // Constraints that keep parts of the best mapping leave it the best.
    for (const keep of ['keep-unrolling', 'keep-order', 'keep-levels']) {
      await page.getByTestId(keep).click();
      await settle('The best mapping under your constraints. Proved optimal');
      const [kept] = await costs(page);
      assert.ok(Math.abs(kept / best[0] - 1) < 1e-9, `${keep}: ${kept} pJ, ${best[0]} pJ`);
      assert.match(await page.getByTestId('mapping-energy').innerText(), /as the best/);
      await page.getByTestId('unconstrain').click();
      await settle('that the search finds');
      assert.deepEqual(await costs(page), best);
    }

    await page.getByTestId('keep-order').click();
    await settle('under your constraints');
    const order = 'name: Mine\nlayers: [{ layer: conv2, unroll: { rows: any, columns: [OX <= 4, OY <= 4] }, order: [OX any, rest, C any] }]\n';
    await text.fill(order);
    await page.locator('.layer-picker').getByText(/O[XY] [234][^0-9.].* over columns/).waitFor();
    await settle('no mapping that they allow scores less');
    const constrained = await costs(page);
    assert.ok(constrained[0] > best[0], `${constrained[0]} pJ are not more than the best, ${best[0]} pJ`);
    assert.match(await page.getByTestId('mapping-energy').innerText(), /% above the best/);
    assert.equal(await page.getByTestId('loop-0').innerText().then((loop) => loop.slice(0, 2)), 'OX');
    await assertDrawn(page, 'loop-nest');
    await assertAccessible(page);
    const link = page.url();

    // A mapping made by hand uses their unrolling.
    await page.getByTestId('loop-0').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await settle('which the constraints do not bind');
    await page.getByTestId('mapping-reset').click();
    await settle('under your constraints');
    assert.deepEqual(await costs(page), constrained);

    // All errors at once, with remedies.
    await text.fill(order.replace('OX any', 'M any').replace('conv2', 'conv22').replace('OX <= 4', 'OX <= 0'));
    const wrong = page.getByTestId('constraint-errors');
    await wrong.waitFor();
    for (const words of ['There is no loop dimension M', 'The network computes no layer conv22', 'Did you mean', 'has no width']) {
      await wrong.getByText(words).first().waitFor();
    }
    await settle('so this is the best mapping without them');
    assert.deepEqual(await costs(page), best);
    await source.click();
    await page.keyboard.press('Control+z');
    await settle('under your constraints');
    assert.deepEqual(await costs(page), constrained);
    await page.goto('about:blank');
    await page.goto(link);
    await settle('under your constraints');
    assert.deepEqual(await costs(page), constrained);
    assert.equal(await text.inputValue(), order);
  }));

test('even mappings and the strategies of ZigZag stand beside the best', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    const card = page.getByTestId('strategies');
    await card.locator('summary').first().click();
    await page.locator('[data-testid=strategies][data-status=done]').waitFor();
    for (const figure of ['mapping-space', 'trajectories', 'nest-even', 'nest-uneven']) await assertDrawn(page, figure);
    assert.match(await page.getByTestId('best-even').innerText(), /\+\d+\.\d+ %/);
    const row = async (name) => (await card.locator('tr', { hasText: name }).first().innerText()).split('\t');
    const [exhaustive, heuristic] = [await row('exhaustive'), await row('heuristic')];
    assert.equal(exhaustive[1], heuristic[1], 'the heuristic loses nothing here');
    await assertAccessible(page);
  }));

/** Opens the view with conv2 of AlexNet on Eyeriss, the example of the ZigZag paper. */
async function openMapping(page, url) {
  await page.goto(url);
  await pickPreset(page, 'hardware', 'eyeriss-like');
  await pickPreset(page, 'workload', 'alexnet-eyeriss');
  await page.getByTestId('tab-mapping').click();
  await page.getByTestId('loop-editor').getByText('spad_I').first().waitFor();
  await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
}

/** Energy in pJ and latency in cycles of the shown mapping. */
async function costs(page) {
  const number = async (what, attribute) => Number(await page.getByTestId(`mapping-${what}`).getAttribute(attribute));
  return [await number('energy', 'data-energy-pj'), await number('latency', 'data-latency-cycles')];
}

/** Checks that the figure's canvas is not empty, and that it is described in words and numbers. */
async function assertDrawn(page, figure) {
  const canvas = page.getByTestId(figure).locator('canvas');
  const colors = await canvas.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colors > 3, `${figure} is empty`);
  assert.ok((await canvas.getAttribute('aria-label')).length > 20, `${figure} is not described`);
  // Large tables are built when opened, and removed when closed: thousands of cells slow axe down.
  const twin = page.getByTestId(figure).locator('summary');
  await twin.click();
  await page.getByTestId(figure).locator('tbody tr').first().waitFor();
  await twin.click();
}

async function assertAccessible(page) {
  assert.deepEqual(await violations(page), []);
}
