// Loops as they turn: on Mapping, and within a layer on Schedule; and what is pointed at, lit wherever it stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, violations, withPage } from './harness.mjs';

/** The loops of the mapping of the first page. */
async function openMapping(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-mapping').click();
  const figure = page.getByTestId('turns-figure');
  await figure.waitFor();
  return figure;
}

async function stepOf(figure) {
  return Number(await figure.getAttribute('data-step'));
}

test('keys, the slider and another depth turn the loops of a mapping', () =>
  withPage(async ({ page, url }) => {
    const figure = await openMapping(page, url);
    const steps = Number(await figure.getAttribute('data-steps'));
    assert.ok(steps > 1 && steps <= 1000, `${steps} steps`);
    await page.getByTestId('turns-view').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await stepOf(figure), 1);
    await page.keyboard.press('End');
    assert.equal(await stepOf(figure), steps - 1);
    await page.keyboard.press('ArrowRight');
    assert.equal(await stepOf(figure), steps - 1, 'nothing comes after the last step');
    await page.keyboard.press('Home');
    await page.getByTestId('turns-steps').fill('7');
    assert.equal(await stepOf(figure), 7);
    // One loop more turns within each step: there are more steps, and the same iteration is looked at.
    const depth = Number(await figure.getAttribute('data-depth'));
    await page.getByTestId('turns-depth').selectOption(String(depth - 1));
    const more = Number(await figure.getAttribute('data-steps'));
    assert.equal(await stepOf(figure), 7 * (more / steps));
    await assertFits(page, 'loop-motion');
  }));

test('a drag over a loop turns it, and it plays to its end', () =>
  withPage(async ({ page, url }) => {
    const figure = await openMapping(page, url);
    const view = page.getByTestId('turns-view');
    await view.evaluate((element) => element.scrollIntoView());
    const box = await view.boundingBox();
    // The outermost loop is the first row: below a title of 46 pixels and a line of the legend.
    await page.mouse.move(box.x + 64, box.y + 86);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + 86, { steps: 4 });
    await page.mouse.up();
    const dragged = await stepOf(figure);
    assert.ok(dragged > 0, 'the loop at the pointer is at a later iteration');
    await page.getByTestId('turns-speed').selectOption('steps-1000');
    const steps = Number(await figure.getAttribute('data-steps'));
    await page.getByTestId('turns-steps').fill(String(Math.max(0, steps - 100)));
    await page.getByTestId('turns-play').click();
    await page.locator(`[data-testid=turns-figure][data-step="${steps - 1}"]`).waitFor();
    await page.locator('[data-testid=turns-play][aria-pressed=false]').waitFor();
  }));

test('a mapping of one’s own turns, too', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    const told = () => page.getByTestId('turns-view').locator('canvas').getAttribute('aria-label');
    const before = await told();
    await page.locator('[data-testid^=inwards-]:not([disabled])').first().click();
    await page.getByTestId('mapping-source').getByText('of your own').waitFor();
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=turns-view] canvas').getAttribute('aria-label') !== before,
      before,
    );
  }));

test('Schedule looks into the loops of the layer that is at hand', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('motion-figure').waitFor();
    assert.equal(await page.getByTestId('turns-figure').count(), 0, 'not unless a person asks for it');
    await page.getByTestId('motion-loops').click();
    await page.getByTestId('turns-figure').waitFor();
    const told = () => page.getByTestId('turns-view').locator('canvas').getAttribute('aria-label');
    const first = (await told()).split(':')[0];
    await page.getByTestId('motion-after').click();
    await page.waitForFunction(
      (first) => !document.querySelector('[data-testid=turns-view] canvas')?.getAttribute('aria-label').startsWith(`${first}:`),
      first,
    );
    // An input of the stack is only fetched.
    await page.getByTestId('motion-layers').fill('0');
    await page.getByText('This step only fetches').waitFor();
  }));

test('a memory that is pointed at in a chart is lit in the hierarchy, in the nest and in the document; a click pins it', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    await page.getByTestId('hardware-as-text').click();
    const lit = page.getByTestId('hardware-card').locator('.lit');
    assert.equal(await lit.count(), 0);
    const chart = page.getByTestId('memory-energy').locator('.regions');
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await lit.first().waitFor();
    assert.equal(await page.getByTestId('loop-nest').locator('.lit-parts rect').count() > 0, true, 'the nest');
    assert.equal(await page.locator('textarea.document.lit').count(), 1, 'the lines of the document');
    await page.keyboard.press('Enter');
    await page.getByTestId('mapping-layer').focus();
    assert.ok((await lit.count()) > 0, 'it stays lit when the focus goes');
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('[data-testid=hardware-card] .lit'));
  }));

test('where the caret is in a document, that is lit', () =>
  withPage(async ({ page, url }) => {
    await openMapping(page, url);
    await page.getByTestId('hardware-as-text').click();
    const area = page.getByTestId('hardware-card').locator('textarea.document');
    await area.evaluate((area) => {
      const at = area.value.indexOf('- name: dram');
      area.focus();
      area.setSelectionRange(at, at);
    });
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-testid=loop-nest] .lit-parts rect').first().waitFor();
    await area.evaluate((area) => area.blur());
    await page.waitForFunction(() => !document.querySelector('[data-testid=loop-nest] .lit-parts rect'));
  }));

test('a tile type that is pointed at is lit wherever it lies, by pointer and by keys', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('motion-figure').waitFor();
    const lit = (testid) => page.getByTestId(testid).locator('.lit-parts rect').first();
    const isDark = () => page.waitForFunction(() => !document.querySelector('[data-testid=schedule-view] .lit-parts rect'));
    const map = page.getByTestId('tile-types').locator('.regions');
    await map.scrollIntoViewIfNeeded();
    const box = await map.boundingBox();
    await page.mouse.move(box.x + 120, box.y + 60);
    for (const figure of ['tile-types', 'motion-figure', 'top-memories']) await lit(figure).waitFor();
    await page.mouse.move(2, 2);
    await isDark();
    await map.focus();
    await page.keyboard.press('End');
    await lit('motion-figure').waitFor();
    await page.keyboard.press('Escape');
    await isDark();
  }));

test('tile sizes are dragged on the landscape, with what the point costs', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    const sliders = page.getByTestId('tile-sliders');
    await sliders.waitFor();
    const told = () => page.getByTestId('tile-change').innerText();
    assert.match(await told(), /^\d+ × \d+: [\d.]+ mJ, [\d.]+ Mcycles\.$/);
    const slider = page.getByTestId('tile-width-drag');
    await slider.focus();
    await page.keyboard.press('End');
    await page.waitForFunction(() => /^960 × .* Energy .*(more|less|as much).* at \d+ × \d+, /.test(document.querySelector('[data-testid=tile-change]').innerText));
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('[data-testid=tile-change]').innerText.startsWith('1 × '));
    assert.deepEqual(await violations(page, '[data-testid=tile-sliders]'), []);
  }));

test('tile sizes are dragged on Schedule, with what changed and a way back', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('tile-sliders').waitFor();
    const tile = () => page.getByTestId('opened-tile').locator('b').innerText();
    const before = await tile();
    const slider = page.getByTestId('tile-height-drag');
    await slider.focus();
    await page.keyboard.press((await slider.inputValue()) === '0' ? 'ArrowRight' : 'ArrowLeft');
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=opened-tile] b').innerText !== before,
      before,
    );
    assert.match(await page.getByTestId('tile-change').innerText(), /^Energy .*(more|less|as much).*, latency .* at \d+ × \d+, /);
    await page.getByTestId('tile-frame').first().click();
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=opened-tile] b').innerText === before,
      before,
    );
    await assertFits(page, 'schedule-view');
  }));

test('a point that is pointed at in the landscape is lit there and marked against energy and latency', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const scatter = page.getByTestId('trade-off').locator('canvas');
    await scatter.waitFor();
    const drawn = () => scatter.evaluate((canvas) => canvas.toDataURL());
    const map = page.locator('[data-testid^=heatmap-]').first().locator('.heatmap');
    const box = await map.boundingBox();
    const before = await drawn();
    // Over the cells, from the upper left on, until one is met that is not the marked one.
    for (let x = 0.3; x < 0.9; x += 0.15) {
      await page.mouse.move(box.x + box.width * x, box.y + box.height * 0.4);
      await map.locator('.lit-parts rect').waitFor();
    }
    await page.waitForFunction((before) => document.querySelector('[data-testid=trade-off] canvas').toDataURL() !== before, before);
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => !document.querySelector('.heatmap .lit-parts'));
  }));
