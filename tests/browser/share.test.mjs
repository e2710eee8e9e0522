// The address holds the state: links, drafts, Back and Forward, files, undo. Undo of any number of edits, and reading
// or rejecting any link, are tested natively (tests/page); links of every version are opened in thorough/.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { THREE_POINTS, bytesOf, pickPreset, violations, withPage } from './harness.mjs';

test('links, undo and files', async (t) => {
  let link;
  await withPage(
    async ({ page, url, step }) => {
      await page.goto(url + THREE_POINTS);
      await settled(page, 'done');

      await step(t, 'keystrokes are undone together, and a text field keeps its own undo', async () => {
        const tiles = page.getByTestId('tiles-x');
        const before = await tiles.inputValue();
        // Keystrokes within a second of each other are one edit; on a busy machine a second may pass.
        await page.evaluate(() => {
          const now = performance.now();
          performance.now = () => now;
        });
        await tiles.fill('');
        await tiles.pressSequentially('4 60');
        await page.getByTestId('undo').click();
        assert.equal(await tiles.inputValue(), before);
        await page.getByTestId('redo').click();
        assert.equal(await tiles.inputValue(), '4 60');
        // The browser's undo no longer covers letters typed before: it would mix them with the text written by the
        // page.
        await tiles.focus();
        await page.keyboard.press('Control+z');
        assert.equal(await tiles.inputValue(), before);
        await tiles.pressSequentially('7');
        assert.notEqual(await tiles.inputValue(), before);
        await page.keyboard.press('Control+z');
        assert.equal(await tiles.inputValue(), before);
        assert.ok(await page.getByTestId('undo').isEnabled(), 'the page took nothing back');
        await page.getByTestId('undo').click();
        assert.equal(await tiles.inputValue(), before);
      });

      await step(t, 'an edit of every kind is undone and redone, by keys and by buttons', async () => {
        const fields = () =>
          [...document.querySelectorAll('aside select, aside input, aside textarea')].map(({ value, checked }) => `${value}/${checked}`).join(' | ');
        const states = [await page.evaluate(fields)];
        for (const edit of [
          () => page.getByTestId('tiles-y').fill('36'),
          () => page.getByTestId('mode-fully-recompute').setChecked(false),
          () => pickPreset(page, 'hardware', 'tpu-like-df'),
          () => page.getByTestId('strategy').selectOption('LOMA, loop orders'),
          () => page.getByTestId('lpf-limit').selectOption('4'),
          () => pickPreset(page, 'workload', 'mccnn'),
        ]) {
          await edit();
          states.push(await page.evaluate(fields));
        }
        assert.equal(new Set(states).size, 7, 'every edit shows');
        const reached = (state) => page.waitForFunction(`(${fields})() === ${JSON.stringify(state)}`);
        await page.getByTestId('tab-landscape').focus();
        for (let index = 5; index >= 0; index--) {
          await (index % 2 === 0 ? page.keyboard.press('Control+z') : page.getByTestId('undo').click());
          await reached(states[index]);
        }
        assert.ok(await page.getByTestId('undo').isDisabled());
        await page.getByTestId('tab-landscape').focus();
        for (const [index, key] of ['Control+y', 'Control+Shift+z'].entries()) {
          await page.keyboard.press(key);
          await reached(states[index + 1]);
        }
        await page.getByTestId('redo').click();
        await reached(states[3]);
      });

      await step(t, 'what is copied is the address, and says how long it is', async () => {
        await pickPreset(page, 'hardware', 'meta-proto-like-df');
        await pickPreset(page, 'workload', 'resnet18');
        await page.getByTestId('hardware-as-text').click();
        const text = page.getByTestId('hardware-text');
        await text.fill(`${(await text.inputValue()).replace('size: 32 KiB', 'size: 48 KiB')}# ünfinished\n`);
        await page.getByTestId('tiles-x').fill('7 x');
        await page.getByTestId('tab-mapping').click();
        await page.getByTestId('share').click();
        await page.getByTestId('share-link-status').getByText('copied').waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.equal(copied, await page.getByTestId('share-link').inputValue());
        assert.ok(copied.length < 200 && copied.startsWith(url), copied);
        assert.match(await page.getByTestId('share-link-status').innerText(), new RegExp(`^${copied.length} characters`));
        assert.deepEqual(await violations(page), []);
        await page.keyboard.press('Escape');
        await page.getByTestId('share-dialog').waitFor({ state: 'detached' });
        assert.equal(await address(page), copied);
        link = copied.slice(url.length);
      });
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );

  await withPage(async ({ page, url, step }) => {
    await page.addInitScript(denyStorage);
    await step(t, 'a link opened in another browser shows the same', async () => {
      await page.goto(url + link);
      await page.locator('[data-testid=tab-mapping][aria-current=page]').waitFor();
      assert.match(await page.getByTestId('hardware-text').inputValue(), /size: 48 KiB[^]*# ünfinished\n$/);
      assert.equal(await page.getByTestId('workload-preset').inputValue(), 'resnet18');
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '7 x');
      await page.getByTestId('schedule-errors').waitFor();
      // Opening a link does not change it.
      assert.equal(await address(page), url + link);
    });

    await step(t, 'a draft survives a reload without storage', async () => {
      const before = await address(page);
      await page.getByTestId('tiles-x').fill('7 y');
      await page.waitForFunction((before) => location.href !== before, before);
      await page.reload();
      await page.getByTestId('tiles-x').waitFor();
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '7 y');
    });

    await step(t, 'what is too long for a link goes into a file, and comes out of it', async () => {
      await page.goto('about:blank');
      await page.goto(url + THREE_POINTS);
      await settled(page, 'done');
      await page.getByTestId('hardware-as-text').click();
      const text = page.getByTestId('hardware-text');
      // Random numbers, which do not compress.
      let seed = 1;
      const noise = Array.from({ length: 3000 }, () => (seed = (seed * 48271) % 2147483647)).join(' ');
      const long = `${await text.inputValue()}# ${noise}\n`;
      await text.fill(long);
      await settled(page, 'done');
      await page.getByTestId('share').click();
      assert.match(await page.getByTestId('too-long').innerText(), /would have \d+\s\d+ characters/);
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-file').click()]);
      assert.match(download.suggestedFilename(), /^meta-prototype-like-df-[a-z0-9-]*\.yaml$/);
      const file = { name: download.suggestedFilename(), mimeType: 'application/yaml', buffer: await bytesOf(download) };
      await page.getByTestId('close').click();
      // The address cannot hold it; a reload keeps it nevertheless.
      await page.waitForFunction(() => location.hash === '');
      await page.reload();
      await text.waitFor();
      assert.equal(await text.inputValue(), long);

      await pickPreset(page, 'hardware', 'tpu-like');
      await pickPreset(page, 'workload', 'mccnn');
      await page.getByTestId('share').click();
      await page.getByTestId('open-file').setInputFiles({ name: 'x.txt', mimeType: 'text/plain', buffer: Buffer.from('nothing') });
      await page.getByTestId('file-error').getByText('This is no link of Fusescape').waitFor();
      await page.getByTestId('open-file').setInputFiles(file);
      await page.getByTestId('share-dialog').waitFor({ state: 'detached' });
      assert.equal(await text.inputValue(), long);
      assert.equal(await page.getByTestId('workload-preset').inputValue(), 'fsrcnn-defines');
    });
  });
});

test('a wrong link is called wrong, and the page works', () =>
  withPage(async ({ page, url }) => {
    await page.goto(`${url}#1AAAAAAAA`);
    await page.getByTestId('notices').getByText(/damaged/).waitFor();
    await page.getByTestId('dismiss').click();
    await page.getByTestId('notices').waitFor({ state: 'detached' });
    await settled(page, 'done');
    // The same while the page is open.
    await page.evaluate(() => (location.hash = '#1garbage'));
    await page.getByTestId('notices').waitFor();
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.waitForFunction(() => location.hash !== '#1garbage');
    await settled(page, 'done');
  }));

test('Back and Forward lead through presets, views and entries of the gallery', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page, 'done');
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.getByTestId('tiles-x').fill('60');
    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('open-zigzag-fig-6').click();
    await page.getByTestId('origin').getByText('ZigZag, Figs. 3 and 6').waitFor();
    const shown = (name) => page.locator(`[data-testid=tab-${name}][aria-current=page]`).waitFor();
    const hardware = () => page.getByTestId('hardware-preset').inputValue();
    await page.goBack();
    await shown('gallery');
    assert.equal(await hardware(), 'tpu-like-df');
    await page.goBack();
    await shown('landscape');
    assert.equal(await page.getByTestId('tiles-x').inputValue(), '60', 'edits belong to the entry they were made in');
    // In no frame one preset is drawn and another one selected, however slow the page is.
    const processor = await page.context().newCDPSession(page);
    await processor.send('Emulation.setCPUThrottlingRate', { rate: 10 });
    await page.evaluate(() => {
      const [card, field] = ['card', 'preset'].map((name) => document.querySelector(`[data-testid=hardware-${name}]`));
      window.apart = [];
      const look = () => {
        if (card.dataset.preset !== field.value) window.apart.push([card.dataset.preset, field.value]);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('[data-testid=hardware-preset]').value === 'meta-proto-like-df');
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.goForward();
    await page.goForward();
    await page.goForward();
    await shown('mapping');
    assert.equal(await hardware(), 'eyeriss-like');
    assert.deepEqual(await page.evaluate(() => window.apart), []);
    await processor.detach();
    await page.getByTestId('origin').waitFor();
    // A changed state is no longer attributed to the entry.
    await page.getByTestId('lower-I-0').click();
    await page.getByTestId('origin').waitFor({ state: 'detached' });
  }));

test('a draft is there after a reload, however soon that comes, and at a new visit', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url + THREE_POINTS);
    await settled(page, 'done');
    await page.getByTestId('workload-as-text').click();
    const text = page.getByTestId('workload-text');
    await text.fill('name: mine\n# not yet\n');
    await pickPreset(page, 'workload', 'mccnn');
    await page.reload();
    // Documents that are not in force are restored as well.
    await pickPreset(page, 'workload', { label: 'my own network' });
    assert.equal(await text.inputValue(), 'name: mine\n# not yet\n');
    // Before the page has drawn it: every render seems to take longer than Yew's slice.
    const tiles = page.getByTestId('tiles-x');
    const reloaded = page.waitForEvent('load');
    await tiles.evaluate((field) => {
      const begin = Date.now();
      let calls = 0;
      Date.now = () => begin + 1000 * ++calls;
      field.value = '4 x';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      location.reload();
    });
    await reloaded;
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '4 x');
    // Another page in this tab, and back.
    await tiles.fill('4 x 5');
    await page.goto('about:blank');
    await page.goBack();
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '4 x 5');
    // A new visit.
    await tiles.fill('4 x 6');
    await page.goto('about:blank');
    await page.goto(url);
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '4 x 6');
    assert.equal(await text.inputValue(), 'name: mine\n# not yet\n');
    // A link replaces it, and undo restores it.
    await page.goto('about:blank');
    await page.goto(`${url}${THREE_POINTS}`);
    await page.getByTestId('notices').getByText('Undo brings the draft back').waitFor();
    assert.equal(await tiles.inputValue(), '60');
    await page.getByTestId('undo').click();
    assert.equal(await tiles.inputValue(), '4 x 6');
    assert.equal(await text.inputValue(), 'name: mine\n# not yet\n');
  }));

function denyStorage() {
  Object.defineProperty(window, 'localStorage', {
    get: () => {
      throw new DOMException('Access is denied', 'SecurityError');
    },
  });
}

async function settled(page, status) {
  await page.locator(`[data-testid=root][data-status=${status}]`).waitFor();
}

function address(page) {
  return page.evaluate(() => location.href);
}
