// A whole task without a pointer, and the help dialog that describes it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_POINTS, withPage } from './harness.mjs';

test('a whole task by keys alone', (t) =>
  withPage(
    async ({ page, url, step }) => {
      const settled = () => page.locator('[data-testid=root][data-status=done]').waitFor();
      const press = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const focused = () => page.evaluate(() => document.activeElement?.dataset?.testid);
      /** Presses Tab until the element with this test id, or a match of this selector, has the focus. */
      const tabTo = async (testid, selector = `[data-testid=${testid}]`) => {
        for (let step = 0; step < 120; step += 1) {
          await page.keyboard.press('Tab');
          if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
        }
        assert.fail(`Tab does not lead to ${selector}`);
      };
      /** Presses keys without a render in between. */
      const atOnce = (element, keys) =>
        element.evaluate((element, keys) => {
          for (const key of keys) element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        }, keys);
      const stacks = (words) => page.getByTestId('network-facts').getByText(words).waitFor();
      const sheet = page.getByTestId('help-dialog');

      await step(t, 'every control is reached by Tab, and shows that it has the focus', async () => {
        await page.goto(url + FEW_POINTS);
        await settled();
        await press('h');
        assert.equal(await focused(), 'hardware-preset');
        const hidden = [];
        while ((await focused()) !== 'memory-3') {
          await press('Tab');
          const { name, shows } = await page.evaluate(() => {
            const element = document.activeElement;
            const drawn = element.matches('g') ? element.querySelector('rect') : element.matches('.sr-only') ? element.parentElement : element;
            const style = getComputedStyle(drawn);
            return { name: element.outerHTML.slice(0, 120), shows: parseFloat(style.outlineWidth) >= 1 || parseFloat(style.strokeWidth) >= 3 };
          });
          if (!shows) hidden.push(name);
          assert.ok(!name.startsWith('<body'), 'Tab leads to the memory');
        }
        assert.deepEqual(hidden, []);
      });

      await step(t, 'keys in a field are letters, and undo after Enter takes back the edit', async () => {
        await press('Enter');
        await tabTo('memory-name');
        const [name, box] = [page.getByTestId('memory-name'), page.getByTestId('memory-3')];
        const [own, shown] = [await name.inputValue(), await box.innerText()];
        await press('Control+a');
        await page.keyboard.type('p27');
        assert.equal(await name.inputValue(), 'p27');
        await press('Enter');
        await page.waitForFunction((shown) => document.querySelector('[data-testid=memory-3]').innerText !== shown, shown);
        await press('Control+z');
        await page.waitForFunction((shown) => document.querySelector('[data-testid=memory-3]').innerText === shown, shown);
        assert.equal(await name.inputValue(), own);
        // While the field is edited, undo is the browser's.
        await name.pressSequentially('x');
        await press('Control+z');
        assert.equal(await name.inputValue(), own);
        assert.equal(await box.innerText(), shown);
        await press('Escape');
        await page.evaluate(() => document.activeElement.blur());
      });

      await step(t, 'a point of the landscape is opened; keys that come faster than the page draws all count', async () => {
        await settled();
        await press('p', '1', 'r');
        await page.locator('[data-testid=heatmap-fully-recompute] .heatmap:focus').waitFor();
        await tabTo('heatmap', '[data-testid=heatmap-fully-cached] .heatmap');
        await atOnce(page.locator('[data-testid=heatmap-fully-cached] .heatmap'), ['Home', 'ArrowRight', 'Enter']);
        await page.getByTestId('opened-tile').getByText(/^16 × /).waitFor();
        await page.locator('[data-testid=tab-schedule]:focus').waitFor();
      });

      await step(t, 'a stack ends after the second layer, and the graph keeps the focus', async () => {
        await press('g');
        await atOnce(page.locator('[data-testid=layer-0]:focus'), ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']);
        await page.locator('[data-testid=layer-2]:focus').waitFor();
        await press('c');
        await page.locator('[data-testid=cut-2][aria-pressed=true]').waitFor();
        await settled();
        await stacks(/in 2 stacks/);
        await page.locator('[data-testid=layer-2]:focus').waitFor();
      });

      await step(t, 'what is pinned is compared, and shared', async () => {
        await press('7');
        await page.getByTestId('differences').getByText('schedule.stacks').first().waitFor();
        await page.getByTestId('whole-costs').locator('table').waitFor();
        await press('s');
        await page.getByTestId('share-link-status').getByText('copied').waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.evaluate(() => location.href));
        await press('Escape');
        await page.getByTestId('share-dialog').waitFor({ state: 'detached' });
        await press('Control+z');
        await stacks(/in one stack/);
        await press('Control+Shift+z');
        await stacks(/in 2 stacks/);
        await press('f');
        // Until the dialog is shown, Tab moves through the page.
        await page.locator('dialog [data-testid=close]:focus').waitFor();
        await tabTo('save-state');
        const download = page.waitForEvent('download');
        await press('Enter');
        assert.match((await download).suggestedFilename(), /^meta-prototype-like-df-fsrcnn-[a-z0-9-]*\.yaml$/);
        await press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      });

      await step(t, 'the help sheet opens by its key and its button, names every key, and is in front', async () => {
        await press('8');
        await page.locator('[data-testid=tab-gallery][aria-current=page]').waitFor();
        await press('?');
        await sheet.waitFor();
        assert.equal(await sheet.evaluate((dialog) => dialog.open && dialog.matches(':modal')), true);
        const keys = await sheet.locator('kbd').allInnerTexts();
        for (const key of ['1', '7', 'P', 'F', 'S', 'E', '?', 'Ctrl Z', 'Ctrl Shift Z', 'C', 'Enter']) assert.ok(keys.includes(key), key);
        await press('2');
        assert.equal(await page.locator('[data-testid=tab-gallery][aria-current=page]').count(), 1, 'a dialog is in front');
        await press('Escape');
        await sheet.waitFor({ state: 'detached' });
        await page.getByTestId('help').focus();
        await press('Enter');
        await sheet.getByTestId('close').focus();
        await press('Enter');
        await sheet.waitFor({ state: 'detached' });
        assert.equal(await focused(), 'help', 'the focus goes back');
      });

      await step(t, 'single keys are switched off for good, those with Ctrl still work, and who wants no motion sees none', async () => {
        await page.getByTestId('help').click();
        await sheet.getByTestId('single-keys').uncheck();
        await press('Escape');
        await sheet.waitFor({ state: 'detached' });
        await press('2', '?');
        assert.equal(await page.locator('[data-testid=tab-gallery][aria-current=page]').count(), 1);
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.reload();
        await page.locator('[data-testid=tab-gallery][aria-current=page]').waitFor();
        await press('1', '?');
        assert.equal(await page.locator('[data-testid=tab-gallery][aria-current=page]').count(), 1);
        assert.equal(await sheet.count(), 0);
        await page.getByTestId('tab-schedule').click();
        await page.getByTestId('motion-figure').waitFor();
        const moving = await page.evaluate(() => {
          const all = [...document.querySelectorAll('*')].map((element) => getComputedStyle(element));
          const seconds = (text) => text.split(',').some((time) => parseFloat(time) > 0);
          const moving = all.filter((style) => seconds(style.transitionDuration) || (style.animationName !== 'none' && seconds(style.animationDuration)));
          return [moving.length, getComputedStyle(document.documentElement).scrollBehavior];
        });
        assert.deepEqual(moving, [0, 'auto']);
        assert.equal(await page.getByTestId('motion-play').isVisible(), false);
        const layer = await page.getByTestId('motion-figure').getAttribute('data-node');
        await page.getByTestId('motion-after').click();
        assert.notEqual(await page.getByTestId('motion-figure').getAttribute('data-node'), layer, 'by hand it still moves');
        await page.getByTestId('mode-fully-cached').uncheck();
        await press('Control+z');
        await page.locator('[data-testid=mode-fully-cached]:checked').waitFor();
      });
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ));
