// Numbers that unfold in every view and at every width; tests/browser/schedule.test.mjs tests a point, and
// tests/browser/mapping.test.mjs a layer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations, withPage } from '../harness.mjs';

test('both designs of a comparison unfold', () =>
  withPage(async ({ page, url }) => {
    await openSchedule(page, url);
    await page.getByTestId('tab-compare').click();
    await page.getByTestId('pin').click();
    const costs = page.getByTestId('whole-costs').locator('tr', { hasText: 'Energy' }).first().locator('button.number');
    await costs.nth(1).waitFor();
    const panel = await ask(page, costs.first());
    assert.match(await panel.innerText(), /activations \+ weights/);
  }));

test('a schedule on many cores unfolds down to tiles, transfers and their energies', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-cores').click();
    await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
    await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
    const facts = page.getByTestId('cores-answer').locator('button.number');
    assert.equal(await facts.count(), 4);
    let panel = await ask(page, facts.first());
    assert.match(await panel.innerText(), /= max\(/);
    await unfold(panel, 'ends');
    await panel.getByText(/begins \+ .*takes/).first().waitFor();
    await close(page);
    panel = await ask(page, facts.nth(1));
    await unfold(panel, 'cores with their memories');
    await unfold(panel, /core/);
    await panel.getByText('Computing, with all memories of the core.').waitFor();
    assert.match(await panel.innerText(), /Stream, Section 4\.1/);
    await assertAccessible(page);
    await close(page);
    for (const [label, cell] of [['links as a table', 1], ['memories as a table', 0]]) {
      const twin = page.getByTestId('core-timeline').locator('details.twin', { hasText: label });
      await twin.locator('summary').click();
      const number = twin.locator('tbody tr').first().locator('button.number').nth(cell);
      const shown = await number.textContent();
      panel = await ask(page, number);
      const value = await panel.getByTestId('explained-value').innerText();
      assert.equal(parseFloat(value).toPrecision(2), parseFloat(shown).toPrecision(2), `${value} is not ${shown}`);
      await close(page);
    }
  }));

test('methods of fusing unfold down to stacks and maps, and sequences down to bytes and MACs', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tiles-x').fill('60');
    await page.getByTestId('tiles-y').fill('72');
    await page.getByTestId('tab-fusion').click();
    await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
    const rows = page.getByTestId('fusion-view').locator('table').first().locator('tbody tr');
    let panel = await ask(page, rows.first().locator('button.number').nth(2));
    assert.match(await panel.innerText(), /= activations \+ weights/);
    await unfold(panel, 'by stack');
    await close(page);
    panel = await ask(page, rows.first().locator('button.number').last());
    await unfold(panel, 'bits');
    await unfold(panel, 'elements of all groups');
    await unfold(panel, 'group 1');
    await panel.getByText('= features + weights').waitFor();
    assert.match(await panel.innerText(), /Optimus, Section 5\.1, eq\. 3/);
    await assertAccessible(page);
    await close(page);
    await page.getByTestId('fusion-sequences-part').click();
    await page.locator('[data-testid=sequences][data-status=done]').waitFor();
    panel = await ask(page, page.getByTestId('sequences-answer').locator('button.number').nth(1));
    await unfold(panel, 'difference');
    await unfold(panel, 'fused');
    await panel.getByText(/HW-Flow-Fusion, Section 5/).first().waitFor();
    await close(page);
  }));

for (const [width, colorScheme] of [[390, 'dark'], [360, 'light'], [1440, 'dark']]) {
  test(`an explanation stays in sight at ${width} px, ${colorScheme}`, () =>
    withPage(
      async ({ page, url }) => {
        await openSchedule(page, url);
        const numbers = page.locator('button.number');
        for (const number of [numbers.first(), page.getByTestId('layer-tiles').locator('button.number').last()]) {
          const panel = await ask(page, number);
          const box = await panel.boundingBox();
          const { height } = page.viewportSize();
          assert.ok(box.x >= 0 && box.x + box.width <= width, `${JSON.stringify(box)} in ${width}`);
          assert.ok(box.y >= 0 && box.y + box.height <= height, `${JSON.stringify(box)} in ${height}`);
          await assertAccessible(page);
          await close(page);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
      },
      { viewport: { width, height: 800 }, colorScheme },
    ));
}

async function openSchedule(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-schedule').click();
  await page.getByTestId('opened-energy').locator('button.number').waitFor();
}

async function ask(page, number) {
  await number.click();
  const panel = page.getByTestId('explanation');
  await panel.getByTestId('explained-value').waitFor();
  return panel;
}

async function close(page) {
  await page.keyboard.press('Escape');
  await page.getByTestId('explanation').waitFor({ state: 'detached' });
}

/** Opens the first closed term with this text, and waits for its content. */
async function unfold(panel, hasText) {
  const summary = await panel.locator('details.part:not([open]) > summary', { hasText }).first().elementHandle();
  await summary.click();
  await summary.waitForSelector('xpath=following-sibling::*[1]');
}

async function assertAccessible(page) {
  assert.deepEqual(await violations(page), []);
}
