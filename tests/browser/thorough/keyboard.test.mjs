// A whole task without a pointer, and the help dialog that describes it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from '../harness.mjs';

test('a design is edited, opened, cut, pinned, compared, shared and undone by keys alone', () =>
  withPage(
    async ({ page, url }) => {
      await page.goto(url);
      await settled(page);
      const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

      // Every control is reached by Tab alone: from the preset to the memory.
      await press('h');
      assert.equal(await focused(page), 'hardware-preset');
      await tabTo(page, 'memory-3');
      await press('Enter');
      await tabTo(page, 'size');
      await press('Control+a');
      await page.keyboard.type('512 KiB');
      await settled(page);
      // Keys in a field are letters.
      assert.equal(await page.getByTestId('size').inputValue(), '512 KiB');

      await press('Escape');
      await page.evaluate(() => document.activeElement.blur());
      await press('p', '1', 'r');
      await page.locator('[data-testid=heatmap-fully-recompute] .heatmap:focus').waitFor();
      await tabTo(page, 'heatmap', (element) => element.matches('[data-testid=heatmap-fully-cached] .heatmap'));
      await press('Home', 'ArrowRight', 'ArrowRight', 'Enter');
      await page.getByTestId('opened-tile').getByText(/^16 × /).waitFor();
      await page.waitForFunction(() => document.activeElement?.dataset.testid === 'tab-schedule');

      // A stack ends after the second layer; the graph keeps the focus.
      await press('g', 'ArrowDown', 'ArrowDown');
      await page.locator('[data-testid=layer-2]:focus').waitFor();
      await press('c');
      await page.locator('[data-testid=cut-2][aria-pressed=true]').waitFor();
      await settled(page);
      assert.match(await page.getByTestId('network-facts').innerText(), /in 2 stacks/);
      await page.locator('[data-testid=layer-2]:focus').waitFor();

      await press('7');
      await page.getByTestId('differences').waitFor();
      assert.match(await page.getByTestId('differences').innerText(), /schedule\.stacks/);
      await page.getByTestId('whole-costs').locator('table').waitFor();

      await press('s');
      await page.getByTestId('share-link-status').getByText('copied').waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(link, await page.evaluate(() => location.href));
      await press('Escape');
      await page.getByTestId('share-dialog').waitFor({ state: 'detached' });

      await press('Control+z');
      await page.waitForFunction(() => /in one stack/.test(document.querySelector('[data-testid=network-facts]').innerText));
      await press('Control+Shift+z');
      await page.waitForFunction(() => /in 2 stacks/.test(document.querySelector('[data-testid=network-facts]').innerText));
      await settled(page);

      await press('f');
      // Until the dialog is shown, Tab moves through the page.
      await page.locator('dialog [data-testid=close]:focus').waitFor();
      await tabTo(page, 'save-state');
      const download = page.waitForEvent('download');
      await press('Enter');
      assert.match((await download).suggestedFilename(), /^meta-prototype-like-df-fsrcnn-[a-z0-9-]*\.yaml$/);
      await press('Escape');
      for (const [key, tab] of ['landscape', 'schedule', 'mapping', 'fusion', 'cores', 'hierarchy', 'compare', 'gallery'].map((tab, index) => [String(index + 1), tab])) {
        await press(key);
        await page.locator(`[data-testid=tab-${tab}][aria-current=page]`).waitFor();
      }
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ));

test('what has the focus shows it', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    const hidden = [];
    const first = await (async () => {
      await page.keyboard.press('Tab');
      return page.evaluate(() => (window.first = document.activeElement, document.activeElement.outerHTML.slice(0, 80)));
    })();
    for (let step = 0; step < 200; step++) {
      const { name, shows, over } = await page.evaluate(() => {
        const element = document.activeElement;
        const drawn = element.matches('g') ? element.querySelector('rect') : element.matches('.sr-only') ? element.parentElement : element;
        const style = getComputedStyle(drawn);
        return {
          name: element.outerHTML.slice(0, 120),
          shows: parseFloat(style.outlineWidth) >= 1 || parseFloat(style.strokeWidth) >= 3,
          over: element === window.first,
        };
      });
      if (step > 0 && over) break;
      if (!shows && !name.startsWith('<body')) hidden.push(name);
      await page.keyboard.press('Tab');
    }
    assert.deepEqual(hidden, [], `from ${first} on`);
  }));

/** Presses Tab until the element with this test id, or one accepted by `fits`, has the focus. */
async function tabTo(page, testid, fits) {
  for (let step = 0; step < 120; step++) {
    await page.keyboard.press('Tab');
    const is = fits
      ? await page.evaluate(`(${fits})(document.activeElement)`)
      : (await focused(page)) === testid;
    if (is) return;
  }
  assert.fail(`Tab does not lead to ${testid}`);
}

function focused(page) {
  return page.evaluate(() => document.activeElement?.dataset?.testid);
}

async function settled(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}
