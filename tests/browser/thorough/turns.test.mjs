// A drag over the loops of a mapping as they turn; tests/browser/mapping.test.mjs has the rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from '../harness.mjs';

/** The loops of the initial design's mapping. */
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

