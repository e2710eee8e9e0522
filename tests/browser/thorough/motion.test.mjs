// The address, the saved picture and the scrubber of data in motion; the rest is in tests/browser/schedule.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, withPage } from '../harness.mjs';

/** Opens the initial design's best point in Schedule; returns the figure. */
async function open(page, url) {
  await page.goto(url);
  await page.locator('[data-testid=root][data-status=done]').waitFor();
  await page.getByTestId('tab-schedule').click();
  const figure = page.getByTestId('motion-figure');
  await figure.waitFor();
  return figure;
}

/** The step of a figure. */
async function stepOf(figure) {
  return [Number(await figure.getAttribute('data-tile')), Number(await figure.getAttribute('data-node'))];
}

/** Number of different colours of an image, and the share of the most frequent one; `bytes` are a PNG. */
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

test('a link leads to the step at which a person rests', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    await page.getByTestId('motion-view').focus();
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.deepEqual(await stepOf(figure), [2, 2]);
    // The address is updated after a pause; this link is of the shown step.
    await page.getByTestId('share').click();
    const link = await page.getByTestId('share-link').inputValue();
    await page.keyboard.press('Escape');
    await page.goto('about:blank');
    await page.goto(link);
    // Until the tiles are followed, the figure may be at its first step.
    await page.locator('[data-testid=motion-figure][data-tile="2"][data-node="2"]').waitFor();
    // Another point begins at its own first step, and has another address.
    await page.getByTestId('open-single-layer').click();
    await page.locator('[data-testid=schedule-view]:not([aria-busy])').waitFor();
    await page.waitForFunction((link) => location.href !== link, link);
  }));

test('a saved picture has the colours of its parts, and its tables follow the step', () =>
  withPage(async ({ page, url }) => {
    const figure = await open(page, url);
    for (const kind of ['png', 'svg']) {
      const button = await fileButton(figure, kind);
      const saved = page.waitForEvent('download');
      await button.click();
      const bytes = await bytesOf(await saved);
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

/** Position of the scrubber when its picture starts at the top of the window or ends at its bottom, and its colours. */
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
