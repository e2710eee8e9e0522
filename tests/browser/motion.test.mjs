// Data in motion: the steps of a stack, scrubbed, played and saved.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileButton, withPage } from './harness.mjs';

/** Opens the best point of the first page in Schedule; gives the figure. */
async function open(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-schedule').click();
  const figure = page.getByTestId('motion-figure');
  await figure.waitFor();
  return figure;
}

/** The step that a figure shows. */
async function stepOf(figure) {
  return [Number(await figure.getAttribute('data-tile')), Number(await figure.getAttribute('data-node'))];
}

/** Waits until the figure shows another step; gives it. */
async function stepAfter(page, figure, [tile, node]) {
  await page.waitForFunction(
    ([tile, node]) => {
      const { dataset } = document.querySelector('[data-testid=motion-figure]');
      return dataset.tile !== String(tile) || dataset.node !== String(node);
    },
    [tile, node],
  );
  return stepOf(figure);
}

/** How many different colours an image has, and the share of the most frequent one; `bytes` are a PNG. */
async function coloursOf(page, bytes) {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      const color = `${data[at]},${data[at + 1]},${data[at + 2]}`;
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    return { counts: [...counts], pixels: data.length / 4 };
  }, bytes.toString('base64'));
}

test('keys lead from layer to layer and from tile to tile', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    const view = page.getByTestId('motion-view');
    await view.focus();
    await page.keyboard.press('Home');
    assert.deepEqual(await stepOf(figure), [0, 0]);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await stepOf(figure), [0, 1]);
    await page.keyboard.press('ArrowDown');
    assert.deepEqual(await stepOf(figure), [1, 1]);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const last = Number(await page.getByTestId('motion-layers').getAttribute('max'));
    assert.deepEqual(await stepOf(figure), [0, last], 'before the first layer of a tile is the last of the tile before');
    await page.keyboard.press('End');
    const tiles = Number(await page.getByTestId('motion-tiles').getAttribute('max'));
    assert.deepEqual(await stepOf(figure), [tiles, last]);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await stepOf(figure), [tiles, last], 'nothing comes after the last step');
  }));

test('a link leads to the step at which a person rests', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    await page.getByTestId('motion-view').focus();
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.deepEqual(await stepOf(figure), [2, 2]);
    const of = () => page.evaluate(() => location.href);
    const before = await of();
    await page.waitForFunction((before) => location.href !== before, before);
    const link = await of();
    await page.goto('about:blank');
    await page.goto(link);
    await figure.waitFor();
    assert.deepEqual(await stepOf(figure), [2, 2]);
    // Another point begins at its own first step.
    await page.getByTestId('open-single-layer').click();
    await page.locator('[data-testid=schedule-view]:not([aria-busy])').waitFor();
    await page.waitForFunction((link) => location.href !== link, link);
    await page.goto('about:blank');
    await page.goto(link);
    await figure.waitFor();
    assert.deepEqual(await stepOf(figure), [2, 2]);
  }));

test('sliders and a drag over a map choose the tile', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    await page.getByTestId('motion-tiles').fill('7');
    await page.getByTestId('motion-layers').fill('2');
    assert.deepEqual(await stepOf(figure), [7, 2]);
    // The first overview is at the upper left of the maps: its left edge belongs to the first column of tiles, its right to the last.
    const box = await page.getByTestId('motion-view').boundingBox();
    const y = await page.evaluate(async () => {
      const canvas = document.querySelector('[data-testid=motion-view] canvas');
      const ratio = canvas.width / canvas.clientWidth;
      const { data } = canvas.getContext('2d').getImageData(Math.round(10 * ratio), 0, 1, canvas.height);
      // The tint of what earlier tiles computed, or the placeholder, begins where the overview does: a run of opaque pixels.
      let run = 0;
      for (let row = Math.round(90 * ratio); row < canvas.height; row += 1) {
        run = data[row * 4 + 3] === 255 ? run + 1 : 0;
        if (run > 25 * ratio) return row / ratio - 5;
      }
      return -1;
    });
    assert.ok(y > 0);
    await page.mouse.move(box.x + 8, box.y + y);
    await page.mouse.down();
    const [first] = await stepOf(figure);
    await page.mouse.move(box.x + 70, box.y + y, { steps: 5 });
    const [second] = await stepOf(figure);
    await page.mouse.up();
    assert.notEqual(first, 7);
    assert.ok(second > first, 'to the right is a later tile of the row');
    await page.mouse.move(box.x + 30, box.y + y);
    assert.deepEqual((await stepOf(figure))[0], second, 'a pointer that is up drags nothing');
  }));

test('it plays, stops, and stands where motion is reduced', async () => {
  await withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    const play = page.getByTestId('motion-play');
    const start = await stepOf(figure);
    await page.getByTestId('motion-view').focus();
    await page.keyboard.press(' ');
    assert.equal(await play.getAttribute('aria-pressed'), 'true');
    await stepAfter(page, figure, start);
    await page.keyboard.press(' ');
    assert.equal(await play.getAttribute('aria-pressed'), 'false');
    // To the last tile, where it stops by itself.
    await page.getByTestId('motion-speed').selectOption('tiles-600');
    const tiles = Number(await page.getByTestId('motion-tiles').getAttribute('max'));
    await page.getByTestId('motion-tiles').fill(String(tiles - 200));
    await play.click();
    await page.locator(`[data-testid=motion-figure][data-tile="${tiles}"]`).waitFor();
    await page.locator('[data-testid=motion-play][aria-pressed=false]').waitFor();
  });
  await withPage(
    async ({ page, url }) => {
      const figure = await open(page, url);
      assert.equal(await page.getByTestId('motion-play').isVisible(), false);
      await page.getByTestId('motion-after').click();
      assert.equal((await stepOf(figure))[1], 2, 'by hand it still moves');
    },
    { reducedMotion: 'reduce' },
  );
});

test('a saved picture has the colours of its parts, and its tables follow the step', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    for (const kind of ['png', 'svg']) {
      const button = await fileButton(figure, kind);
      const saved = page.waitForEvent('download');
      await button.click();
      const bytes = await readFile(await (await saved).path());
      if (kind === 'svg') {
        assert.match(bytes.toString(), /kept from the left/);
        continue;
      }
      const { counts, pixels } = await coloursOf(page, bytes);
      const share = (color) => (new Map(counts).get(color) ?? 0) / pixels;
      // New pixels, pixels kept from the left, weights, inputs and outputs, each more than a few dots.
      for (const color of ['49,140,140', '138,107,177', '194,102,45', '59,111,181', '90,154,75']) {
        assert.ok(share(color) > 1e-5, `${color} is in the picture`);
      }
      assert.ok(share('255,255,255') < 0.95, 'it is not blank');
    }
    await figure.getByText('pixels as a table').click();
    const caption = figure.locator('caption').first();
    await caption.waitFor();
    await page.getByTestId('motion-tiles').fill('0');
    await page.waitForFunction(() => document.querySelector('[data-testid=motion] caption')?.textContent.includes('Tile 1 of'));
  }));

test('an embedded Schedule shows it', () =>
  withPage(async ({ page, url }) => {
    await page.goto(`${url}embed.html?view=schedule`);
    await page.getByTestId('motion-figure').waitFor();
  }));

test('on a small screen the scrubber stays in sight while its picture is scrolled, and covers nothing behind it', () =>
  withPage(
    async ({ page, url }) => {
      await open(page, url);
      for (const [tab, view, part] of [
        ['schedule', 'motion-view', 'motion-play'],
        ['mapping', 'turns-view', 'turns-play'],
        ['attention', 'attention-motion-view', 'attention-motion-play'],
        ['cores', 'core-timeline-view', 'cursor-play'],
      ]) {
        await page.getByTestId(`tab-${tab}`).click();
        const picture = page.getByTestId(view);
        await picture.locator('canvas[height]').waitFor();
        await page.waitForFunction((view) => document.querySelector(`[data-testid=${view}]`).offsetHeight > 600, view);
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          for (const block of ['start', 'end']) {
            const { top, bottom, height, color, card, isHit } = await placeOf(page, view, part, block);
            assert.ok(top > 0 && bottom <= height, `${tab}, ${block}: from ${top} to ${bottom} of ${height}`);
            assert.match(color, /^rgb\(/, `${tab}: what it covers does not shine through`);
            assert.equal(color, card, tab);
            assert.ok(isHit, `${tab}, ${block}: a finger meets the button`);
          }
          const [end, next] = await picture.evaluate((picture) => {
            const scrubber = picture.closest('figure').querySelector('.scrubber');
            const next = scrubber.nextElementSibling ?? scrubber.parentElement.nextElementSibling;
            next.scrollIntoView({ block: 'end' });
            return [scrubber.getBoundingClientRect().bottom, next.getBoundingClientRect().top];
          });
          assert.ok(end <= next, `${tab}: it ends at ${end}, and what comes next begins at ${next}`);
        }
        await page.emulateMedia({ media: 'print' });
        assert.equal(await page.getByTestId(part).isVisible(), false, `${tab}: nobody plays on paper`);
        await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
      }
    },
    { viewport: { width: 390, height: 700 } },
  ));

/** Where the scrubber is when its picture begins at the top of the window, or ends at its bottom; its colour and that of its card. */
function placeOf(page, view, part, block) {
  return page.getByTestId(view).evaluate(
    (picture, [part, block]) => {
      picture.scrollIntoView({ block });
      const scrubber = picture.closest('figure').querySelector('.scrubber');
      const colorOf = (element) => getComputedStyle(element).backgroundColor;
      const { top, bottom } = scrubber.getBoundingClientRect();
      const button = scrubber.querySelector(`[data-testid=${part}]`).getBoundingClientRect();
      const hit = document.elementFromPoint(button.x + button.width / 2, button.y + button.height / 2);
      return {
        top,
        bottom,
        height: window.innerHeight,
        color: colorOf(scrubber),
        card: colorOf(picture.closest('.card')),
        isHit: hit?.dataset.testid === part,
      };
    },
    [part, block],
  );
}
