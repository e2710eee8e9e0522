// A whole task without a pointer, and the help sheet that tells how.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './harness.mjs';

test('a design is edited, opened, cut, pinned, compared, shared and undone by keys alone', () =>
  withPage(
    async ({ page, url }) => {
      await page.goto(url);
      await settled(page);
      const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

      // Every control is reached by Tab alone: from the preset on to the memory.
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
      // Until the dialog is there Tab goes on through the page.
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

test('the help sheet opens by its key and its button, names every key, and switches single keys off for good', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    await page.keyboard.press('?');
    const sheet = page.getByTestId('help-dialog');
    await sheet.waitFor();
    assert.equal(await sheet.evaluate((dialog) => dialog.open && dialog.matches(':modal')), true);
    const keys = await sheet.locator('kbd').allInnerTexts();
    for (const key of ['1', '7', 'P', 'F', 'S', 'E', '?', 'Ctrl Z', 'Ctrl Shift Z', 'C', 'Enter']) assert.ok(keys.includes(key), key);
    await page.keyboard.press('2');
    assert.equal(await page.locator('[data-testid=tab-landscape][aria-current=page]').count(), 1, 'a dialog is in front');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });

    await page.getByTestId('help').click();
    await sheet.getByTestId('single-keys').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
    await page.keyboard.press('?');
    await page.reload();
    await settled(page);
    await page.keyboard.press('2');
    await page.keyboard.press('?');
    assert.equal(await sheet.count(), 0);
    assert.equal(await page.locator('[data-testid=tab-landscape][aria-current=page]').count(), 1);
    // Those with Ctrl still work.
    await page.getByTestId('mode-fully-cached').uncheck();
    await page.keyboard.press('Control+z');
    await page.locator('[data-testid=mode-fully-cached]:checked').waitFor();

    await page.getByTestId('help').focus();
    await page.keyboard.press('Enter');
    await sheet.getByTestId('single-keys').check();
    await sheet.getByTestId('close').focus();
    await page.keyboard.press('Enter');
    await sheet.waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'help', 'the focus goes back');
    await page.keyboard.press('2');
    await page.locator('[data-testid=tab-schedule][aria-current=page]').waitFor();
  }));

test('undo after Enter in a field takes back the edit, not the letters', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    await page.getByTestId('memory-2').click();
    const [name, box] = [page.getByTestId('memory-name'), page.getByTestId('memory-2')];
    const [own, shown] = [await name.inputValue(), await box.innerText()];
    await name.fill('own');
    await name.press('Enter');
    await page.waitForFunction((shown) => document.querySelector('[data-testid=memory-2]').innerText !== shown, shown);
    await page.keyboard.press('Control+z');
    await page.waitForFunction((shown) => document.querySelector('[data-testid=memory-2]').innerText === shown, shown);
    assert.equal(await name.inputValue(), own);
    // While it is typed in, undo is the browser's.
    await name.pressSequentially('x');
    await page.keyboard.press('Control+z');
    assert.equal(await name.inputValue(), own);
    assert.equal(await box.innerText(), shown);
  }));

test('keys that come faster than the page draws all count', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    /** Presses keys with no time to draw in between. */
    const atOnce = (element, keys) =>
      element.evaluate((element, keys) => {
        for (const key of keys) element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      }, keys);
    await page.keyboard.press('g');
    await atOnce(page.locator('[data-testid=layer-0]:focus'), ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown']);
    await page.locator('[data-testid=layer-3]:focus').waitFor();

    const map = page.locator('[data-testid=heatmap-fully-cached] .heatmap');
    await map.focus();
    await atOnce(map, ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']);
    await page.getByTestId('opened-tile').getByText(/^60 × /).waitFor();
  }));

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

test('who wants no motion sees none', () =>
  withPage(
    async ({ page, url }) => {
      await page.goto(url);
      await settled(page);
      const moving = await page.evaluate(() => {
        const probe = document.querySelector('main').appendChild(document.createElement('div'));
        probe.className = 'old';
        const all = [...document.querySelectorAll('*')].map((element) => getComputedStyle(element));
        const seconds = (text) => text.split(',').some((time) => parseFloat(time) > 0);
        const moving = all.filter((style) => seconds(style.transitionDuration) || (style.animationName !== 'none' && seconds(style.animationDuration)));
        return [moving.length, getComputedStyle(document.documentElement).scrollBehavior];
      });
      assert.deepEqual(moving, [0, 'auto']);
    },
    { reducedMotion: 'reduce' },
  ));

/** Presses Tab until the element with this test id, or one that fits, has the focus. */
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
