// The network as a form: layers in a graph and in a table, edited in place, and cuts between stacks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_COMPARE, assertFits, pickPreset, withPage } from './harness.mjs';

test('a network is edited in a graph and in a table, and cut into stacks', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.goto(url + SMALL_COMPARE);
    await pickPreset(page, 'workload', 'fsrcnn-60');
    await page.getByTestId('network-graph').waitFor();
    await status(page, 'done');

    await step(t, 'layers are edited, added, branched and removed, and the text follows', async () => {
      const before = await textOf(page);
      const facts = () => page.getByTestId('network-facts').innerText();
      assert.match(await facts(), /^8 layers in one stack/);
      await page.getByTestId('layer-4').click();
      assert.equal(await page.getByTestId('layer-name').inputValue(), 'map2');
      assert.match(await page.getByTestId('layer-facts').innerText(), /output \d+ × \d+ × 12, .* · weights .* · /);
      await page.getByTestId('kernel').fill('5 x');
      await status(page, 'rejected');
      assert.match(await page.getByTestId('layer-panel').innerText(), /5 x is not a number of columns and rows/);
      assert.match(await page.getByTestId('layer-4').locator('title').textContent(), /mistakes/);
      await page.getByTestId('kernel').fill('5 x 5');
      await status(page, 'done');
      const [line, ...others] = changed(before, await textOf(page));
      assert.match(line, /name: map2,.* kernel: 5 x 5/);
      assert.deepEqual(others, []);

      await page.getByTestId('kernel').fill('3 x 3');
      await page.getByTestId('layer-branch').click();
      await page.waitForFunction(() => document.querySelector('[data-testid=network-facts]')?.innerText.startsWith('10 layers'));
      assert.match(await textOf(page), /name: map2_add, type: add, from: \[map2, map2_b\]/);
      const place = async (index) => page.getByTestId(`layer-${index}`).locator('rect').boundingBox();
      const [one, other] = [await place(4), await place(5)];
      assert.ok(Math.abs(one.y - other.y) < 2, 'branches stand side by side');
      assert.ok(Math.abs(one.x - other.x) >= one.width);
      await page.getByTestId('layer-6').click();
      await page.getByTestId('layer-remove').click();
      await page.getByTestId('layer-5').click();
      await page.getByTestId('layer-remove').click();
      await page.waitForFunction(() => document.querySelector('[data-testid=network-facts]')?.innerText.startsWith('8 layers'));

      await page.getByTestId('as-table').click();
      assert.equal(await page.getByTestId('layer-rows').locator('tr').count(), 9);
      await page.getByTestId('row-8').click();
      await page.getByTestId('layer-type').selectOption('pointwise');
      await page.getByTestId('layer-add').click();
      await page.getByTestId('layer-name').fill('sharpen');
      await page.getByTestId('layer-name').press('Enter');
      await page.getByTestId('precision-W').fill('4');
      await status(page, 'done');
      assert.match(await textOf(page), /padding: same, precision: \{ W: 4 \} \}/);
    });

    await step(t, 'a click between two layers ends a stack there, another joins them again', async () => {
      await pickPreset(page, 'workload', 'fsrcnn-60');
      await status(page, 'done');
      const isEnd = (index) => page.getByTestId(`cut-${index}`).getAttribute('aria-pressed');
      const facts = (stacks) =>
        page.waitForFunction((stacks) => document.querySelector('[data-testid=network-facts]').innerText.includes(stacks), stacks);
      await page.getByTestId('cut-4').click();
      await facts('in 2 stacks');
      assert.equal(await isEnd(4), 'true');
      assert.equal(await page.getByTestId('fuse').inputValue(), 'by hand');
      assert.equal(await page.getByTestId('cuts').inputValue(), 'map2');
      await status(page, 'done');
      await page.getByTestId('cut-1').click();
      assert.equal(await page.getByTestId('cuts').inputValue(), 'extract, map2');
      await facts('in 3 stacks');
      // A renamed layer is renamed in the cuts.
      await page.getByTestId('layer-4').click();
      await page.getByTestId('layer-name').fill('middle');
      await page.getByTestId('layer-name').press('Enter');
      assert.equal(await page.getByTestId('cuts').inputValue(), 'extract, middle');
      // Also a name that needs quotes in a list.
      await page.getByTestId('layer-name').fill('map 2, the second');
      await page.getByTestId('layer-name').press('Enter');
      assert.equal(await page.getByTestId('cuts').inputValue(), 'extract, "map 2, the second"');
      await facts('in 3 stacks');
      await page.getByTestId('cut-1').click();
      await page.getByTestId('cut-4').click();
      await facts('in one stack');
      await page.getByTestId('cut-4').click();
      assert.equal(await page.getByTestId('cuts').inputValue(), '"map 2, the second"');
      await facts('in 2 stacks');
      await status(page, 'done');
    });

    await step(t, 'the graph zooms and pans by buttons, keys, Ctrl and wheel, and lets the page scroll', async () => {
      await pickPreset(page, 'workload', 'resnet18');
      await status(page, 'done');
      // Another network does not have these layers.
      assert.equal(await page.getByTestId('fuse').inputValue(), 'automatic');
      const graph = page.getByTestId('network-graph');
      await graph.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      const width = () => graph.locator('svg').evaluate((svg) => svg.getBoundingClientRect().width);
      const top = () => graph.evaluate((view) => view.scrollTop);
      const first = await width();
      await page.getByTestId('graph-in').click();
      assert.ok((await width()) > first);
      await page.getByTestId('graph-whole').click();
      const whole = await graph.evaluate((view) => view.scrollHeight <= view.clientHeight + 1);
      assert.ok(whole, 'the whole network is seen');
      await page.getByTestId('graph-whole').click();
      assert.equal(await width(), first);
      await page.getByTestId('graph-down').click();
      assert.ok((await top()) > 0);
      await page.getByTestId('graph-up').click();
      assert.equal(await top(), 0);

      const { x, y, height } = await graph.boundingBox();
      await page.mouse.move(x + 20, y + height / 2);
      const scrolled = () => page.evaluate(() => window.scrollY);
      const before = await scrolled();
      await page.mouse.wheel(0, 100);
      await page.waitForFunction((before) => window.scrollY > before, before);
      assert.equal(await top(), 0, 'a plain wheel scrolls the page, not the graph');
      assert.equal(await width(), first);
      const stays = await scrolled();
      const box = await graph.boundingBox();
      await page.mouse.move(box.x + 20, box.y + box.height / 2);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -100);
      await page.keyboard.up('Control');
      await page.waitForFunction((first) => document.querySelector('[data-testid=network-graph] svg').getBoundingClientRect().width > first, first);
      assert.equal(await scrolled(), stays);

      // A drag pans.
      await page.mouse.move(box.x + 8, box.y + 200);
      await page.mouse.down();
      await page.mouse.move(box.x + 8, box.y + 100, { steps: 5 });
      await page.mouse.up();
      assert.ok((await top()) > 50);

      // By keyboard alone: layers, fields, cuts, zoom.
      await page.getByTestId('layer-0').focus();
      const hasFocus = (id) => page.waitForFunction((id) => document.activeElement.dataset.testid === id, id);
      for (const id of ['layer-1', 'layer-2']) {
        await page.keyboard.press('ArrowDown');
        await hasFocus(id);
      }
      await page.keyboard.press('Enter');
      assert.equal(await page.getByTestId('layer-name').inputValue(), 'pool1');
      const now = await width();
      await page.keyboard.press('-');
      await page.waitForFunction((now) => document.querySelector('[data-testid=network-graph] svg').getBoundingClientRect().width < now, now);
      await page.keyboard.press('ArrowUp');
      await page.waitForFunction(() => document.activeElement.dataset.testid !== 'layer-2');
      await page.keyboard.press('c');
      await page.waitForFunction(() => document.querySelector('[data-testid=fuse]').value === 'by hand');
      await page.keyboard.press('End');
      await page.waitForFunction(() => document.activeElement.querySelector('title')?.textContent.startsWith('fc: '));
    });

    await step(t, 'two fingers zoom the graph on a small screen, which it fits', async () => {
      await page.setViewportSize({ width: 390, height: 900 });
      const graph = page.getByTestId('network-graph');
      await graph.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      const { x, y, width, height } = await graph.boundingBox();
      const size = () => graph.locator('svg').evaluate((svg) => svg.getBoundingClientRect().width);
      const session = await page.context().newCDPSession(page);
      await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
      const touch = (type, ...places) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
      const fingers = (apart) => [[x + width / 2 - apart, y + height / 2], [x + width / 2 + apart, y + height / 2]];
      const before = await size();
      await touch('touchStart', fingers(20)[0]);
      await touch('touchStart', ...fingers(20));
      for (let apart = 25; apart <= 60; apart += 5) await touch('touchMove', ...fingers(apart));
      await touch('touchEnd');
      await page.waitForFunction(
        (wide) => document.querySelector('[data-testid=network-graph] svg').getBoundingClientRect().width > wide,
        before * 1.5,
      );
      await page.getByTestId('graph-whole').click();
      await assertFits(page, 'workload-card');
    });
  }));

const status = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector('[data-testid=root]').dataset.status === wanted, wanted);

async function textOf(page) {
  await page.getByTestId('workload-as-text').click();
  const text = await page.getByTestId('workload-text').inputValue();
  await page.getByTestId('workload-as-text').click();
  return text;
}

function changed(before, after) {
  const lines = before.split('\n');
  assert.equal(after.split('\n').length, lines.length);
  return after.split('\n').filter((line, index) => line !== lines[index]);
}
