// The address holds the state: links, drafts, Back and Forward, files, undo.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pickPreset, violations, withPage } from './harness.mjs';

const LINKS = fileURLToPath(new URL('../links/links.txt', import.meta.url));

test('a link opened in another browser shows the same', async () => {
  const link = await withPage(
    async ({ page, url }) => {
      await open(page, url);
      await pickPreset(page, 'workload', 'resnet18');
      await page.getByTestId('hardware-as-text').click();
      const text = page.getByTestId('hardware-text');
      await text.fill((await text.inputValue()).replace('size: 32 KiB', 'size: 48 KiB') + '# ünfinished\n');
      await page.getByTestId('tiles-x').fill('7 x');
      await page.getByTestId('tab-mapping').click();
      await page.getByTestId('share').click();
      await page.getByTestId('share-link-status').getByText('copied').waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(link, await page.getByTestId('share-link').inputValue());
      assert.ok(link.length < 200 && link.startsWith(url), link);
      assert.match(await page.getByTestId('share-link-status').innerText(), new RegExp(`^${link.length} characters`));
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
      await page.getByTestId('share-dialog').waitFor({ state: 'detached' });
      assert.equal(await address(page), link);
      return link.slice(url.length);
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
  await withPage(async ({ page, url }) => {
    await page.goto(url + link);
    await page.locator('[data-testid=tab-mapping][aria-current=page]').waitFor();
    assert.match(await page.getByTestId('hardware-text').inputValue(), /size: 48 KiB[^]*# ünfinished\n$/);
    assert.equal(await page.getByTestId('workload-preset').inputValue(), 'resnet18');
    assert.equal(await page.getByTestId('tiles-x').inputValue(), '7 x');
    await page.getByTestId('schedule-errors').waitFor();
    // Opening a link changes nothing of it.
    assert.equal(await address(page), url + link);
  });
});

test('links of every version open without an error', () =>
  withPage(async ({ page, url }) => {
    for (const line of readFileSync(LINKS, 'utf8').trim().split('\n')) {
      const [name, link] = line.split(' ');
      await page.goto('about:blank');
      await page.goto(`${url}#${link}`);
      await page.getByTestId('design').getByText('on').waitFor();
      assert.equal(await page.getByTestId('notices').count(), 0, name);
      if (name === 'own-mapping') await page.getByTestId('mapping-view').waitFor();
      await page.locator('[data-testid=root]:is([data-status=done], [data-status=rejected], [data-status=running])').waitFor();
    }
  }));

test('a wrong link is called wrong, and the page works', () =>
  withPage(async ({ page, url }) => {
    for (const [wrong, expected] of [['#hello', /no link/], ['#1AAAAAAAA', /damaged/], ['#2Y2BIeP', /newer version/]]) {
      await page.goto('about:blank');
      await page.goto(url + wrong);
      await page.getByTestId('notices').waitFor();
      assert.match(await page.getByTestId('notices').innerText(), expected);
      await settled(page, 'done');
    }
    await page.getByTestId('dismiss').click();
    await page.getByTestId('notices').waitFor({ state: 'detached' });
    // The same while the page is open.
    await page.evaluate(() => (location.hash = '#1garbage'));
    await page.getByTestId('notices').waitFor();
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await page.waitForFunction(() => location.hash !== '#1garbage');
    await settled(page, 'done');
  }));

test('Back and Forward lead through presets, views and entries of the gallery', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
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
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('[data-testid=hardware-preset]').value === 'meta-proto-like-df');
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.goForward();
    await page.goForward();
    await page.goForward();
    await shown('mapping');
    assert.equal(await hardware(), 'eyeriss-like');
    await page.getByTestId('origin').waitFor();
    // What is the entry's no longer says so.
    await page.getByTestId('lower-I-0').click();
    await page.getByTestId('origin').waitFor({ state: 'detached' });
  }));

test('twenty edits of all kinds are undone and redone', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    // So that keystrokes in one field are edits of their own.
    await page.clock.install();
    const shot = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('aside select, aside input, aside textarea')].map(({ value, checked }) => `${value}/${checked}`).join(' | '),
      );
    const pick = (half, value) => () => pickPreset(page, half, value);
    const select = (id, value) => () => page.getByTestId(id).selectOption(value);
    const fill = (id, value) => () => page.getByTestId(id).fill(value);
    const check = (id, on) => () => page.getByTestId(id).setChecked(on);
    const edits = [
      pick('hardware', 'tpu-like-df'), pick('workload', 'resnet18'), fill('tiles-x', '7'), fill('tiles-x', '7 14'),
      fill('tiles-y', '56'), check('mode-fully-recompute', false), pick('hardware', 'ascend-like-df'),
      check('mode-h-cached-v-recompute', false), select('strategy', 'LOMA, loop orders'), select('lpf-limit', '4'),
      select('lpf-limit', '5'), fill('tiles-y', '28'), check('mode-fully-recompute', true), pick('workload', 'fsrcnn'),
      select('strategy', 'exact, proved optimal'), fill('tiles-x', '4 x'), fill('tiles-x', '60'), check('mode-fully-cached', false),
      pick('hardware', 'meta-proto-like-df'), pick('workload', 'mccnn'),
    ];
    assert.equal(edits.length, 20);
    const states = [await shot()];
    for (const edit of edits) {
      await edit();
      await page.clock.runFor(1500);
      states.push(await shot());
    }
    assert.equal(new Set(states).size, 21, 'every edit shows');
    await page.getByTestId('tab-landscape').focus();
    const reached = (state) => page.waitForFunction((state) => [...document.querySelectorAll('aside select, aside input, aside textarea')].map(({ value, checked }) => `${value}/${checked}`).join(' | ') === state, state);
    for (let index = 19; index >= 0; index--) {
      await (index % 2 === 0 ? page.keyboard.press('Control+z') : page.getByTestId('undo').click());
      await reached(states[index]);
    }
    assert.ok(await page.getByTestId('undo').isDisabled());
    await page.getByTestId('tab-landscape').focus();
    for (let index = 1; index <= 20; index++) {
      await page.keyboard.press(index % 2 === 0 ? 'Control+Shift+z' : 'Control+y');
      await reached(states[index]);
    }
    assert.ok(await page.getByTestId('redo').isDisabled());
  }));

test('keystrokes are undone together, and a text field keeps its own undo', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    const tiles = page.getByTestId('tiles-x');
    const before = await tiles.inputValue();
    // Keystrokes are one edit if a second does not pass between them; on a busy machine it may.
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
    await tiles.focus();
    await page.keyboard.press('Control+z');
    assert.ok(await page.getByTestId('undo').isEnabled(), 'the page took nothing back');
  }));

for (const storage of [true, false]) {
  test(`a draft survives a reload ${storage ? 'and a new visit' : 'without storage'}`, () =>
    withPage(async ({ page, url }) => {
      if (!storage) await page.addInitScript(denyStorage);
      await open(page, url);
      await page.getByTestId('workload-as-text').click();
      const text = page.getByTestId('workload-text');
      await text.fill('name: mine\n# not yet\n');
      await pickPreset(page, 'workload', 'mccnn');
      await page.reload();
      // What lies aside is there, too.
      await pickPreset(page, 'workload', { label: 'my own network' });
      assert.equal(await text.inputValue(), 'name: mine\n# not yet\n');
      const before = await address(page);
      await text.fill('name: mine\n# nearly\n');
      await page.waitForFunction((before) => location.href !== before, before);
      await page.reload();
      await text.waitFor();
      assert.equal(await text.inputValue(), 'name: mine\n# nearly\n');
      if (!storage) return;
      await page.goto('about:blank');
      await page.goto(url);
      await text.waitFor();
      assert.equal(await text.inputValue(), 'name: mine\n# nearly\n');
      // A link takes its place, and gives it back.
      await page.goto('about:blank');
      await page.goto(`${url}#142HgY2SQd2jS4QUA5h8`);
      await page.getByTestId('notices').getByText('Undo brings the draft back').waitFor();
      await settled(page, 'done');
      await page.getByTestId('undo').click();
      assert.equal(await text.inputValue(), 'name: mine\n# nearly\n');
    }));
}

test('what is typed is there after a reload, however soon that comes', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    const tiles = page.getByTestId('tiles-x');
    // The code that keeps it came with the first edit; what happens where it does not come is in pieces.test.mjs.
    await tiles.fill('7 7');
    await page.waitForFunction(() => location.hash.length > 1);
    for (const text of ['7', '7 14', '7 14 28', '7 14 28 56']) {
      await tiles.fill(text);
      await page.reload();
      await tiles.waitFor();
      assert.equal(await tiles.inputValue(), text);
    }
    // Before the page has drawn it.
    const reloaded = page.waitForEvent('load');
    await tiles.evaluate((field) => {
      field.value = '4 x';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      location.reload();
    });
    await reloaded;
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '4 x');
    // Another page of this tab, and back.
    await tiles.fill('4 x 5');
    await page.goto('about:blank');
    await page.goBack();
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '4 x 5');
    // A link that is opened is no reload.
    await tiles.fill('4 x 6');
    await page.goto('about:blank');
    await page.goto(`${url}#142HgY2SQd2jS4QUA5h8`);
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), '1 4 16 60 240 960');
    await page.getByTestId('notices').getByText('Undo brings the draft back').waitFor();
    await page.getByTestId('undo').click();
    assert.equal(await tiles.inputValue(), '4 x 6');
  }));

test('what is too long for a link goes into a file, and comes out of it', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('hardware-as-text').click();
    const text = page.getByTestId('hardware-text');
    // Numbers by chance, which nothing compresses.
    let seed = 1;
    const noise = Array.from({ length: 3000 }, () => (seed = (seed * 48271) % 2147483647)).join(' ');
    const long = `${await text.inputValue()}# ${noise}\n`;
    await text.fill(long);
    await settled(page, 'done');
    await page.getByTestId('share').click();
    assert.match(await page.getByTestId('too-long').innerText(), /would have \d+\s\d+ characters/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-file').click()]);
    assert.match(download.suggestedFilename(), /^meta-prototype-like-df-[a-z0-9-]*\.yaml$/);
    const file = await download.path();
    await page.getByTestId('close').click();
    // The address cannot hold it; a reload keeps it all the same.
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
  }));

for (const [width, colorScheme] of [[1440, 'light'], [390, 'dark']]) {
  test(`header and dialogs fit a window of ${width} px, ${colorScheme}`, () =>
    withPage(
      async ({ page, url, screenshot }) => {
        await open(page, url);
        await screenshot(`header-${width}-${colorScheme}`);
        for (const dialog of ['share', 'embed']) {
          await page.getByTestId(dialog).click();
          await page.getByTestId(`${dialog}-dialog`).waitFor();
          assert.deepEqual(await violations(page), []);
          const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          assert.ok(content <= window, `${content} px wide`);
          await screenshot(`${dialog}-dialog-${width}-${colorScheme}`);
          await page.getByTestId('close').click();
        }
      },
      { viewport: { width, height: 900 }, colorScheme },
    ));
}

function denyStorage() {
  Object.defineProperty(window, 'localStorage', {
    get: () => {
      throw new DOMException('Access is denied', 'SecurityError');
    },
  });
}

async function open(page, url) {
  await page.goto(url);
  await settled(page, 'done');
}

async function settled(page, status) {
  await page.locator(`[data-testid=root][data-status=${status}]`).waitFor();
}

function address(page) {
  return page.evaluate(() => location.href);
}
