// Every figure is saved as the picture that the page shows: compared by pixels.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileButton, withPage } from '../harness.mjs';
import { everyView, settled } from '../views.mjs';

/** Share of pixels above which a colour is visible at a glance. */
const SEEN = 0.005;

test('every figure is saved with all colours that the page shows, as PNG, SVG and for slides', () =>
  withPage(async ({ page, url }) => {
    // A separate page reads the files, as the page itself may not open files.
    const reader = await page.context().newPage();
    await page.bringToFront();
    await page.addInitScript(keepFiles);
    await page.goto(url);
    await settled(page);
    const [wrong, seen] = [[], new Set()];
    for (const [view, open] of (await everyView(page)).filter(([name]) => !name.startsWith('dialog'))) {
      const close = await open(page);
      // Tables with thousands of cells would be laid out again at every click.
      await page.locator('.answers details').evaluateAll((all) => all.forEach((details) => (details.open = details.querySelector('canvas') !== null)));
      const places = page.locator('figure:has(canvas):has(.save[data-of=figure]), .scale:has(canvas):has(.save[data-of=figure])');
      for (const place of await places.all()) {
        const canvas = place.locator('canvas').first();
        const label = await canvas.getAttribute('aria-label');
        // One figure stands for several of a kind.
        const kind = `${view}, ${label.replace(/[:\d].*/, '')}`;
        if (seen.has(kind) || !(await canvas.isVisible())) continue;
        seen.add(kind);
        // Highlights are not part of the picture.
        await page.mouse.move(2, 2);
        const shown = await coloursOf(reader, await canvas.evaluate((canvas) => canvas.toDataURL('image/png')));
        // Some figures offer their files only on hover.
        await place.hover();
        const files = { png: await saved(page, place, 'png'), svg: await saved(page, place, 'svg'), slides: await saved(page, place, 'slides-png') };
        for (const [format, file] of Object.entries(files)) {
          const there = await coloursOf(reader, file);
          for (const colour of Object.keys(shown).filter((colour) => shown[colour] > SEEN)) {
            // Widths differ, and so do shares.
            if (!(there[colour] > shown[colour] / 20)) wrong.push(`${view}, ${label}: ${format} lacks ${colour}, ${shown[colour]} of the page's`);
          }
        }
        const apart = await differenceOf(reader, files.png, files.svg);
        if (!(apart < 0.02)) wrong.push(`${view}, ${label}: ${apart} of the pixels of SVG and PNG differ`);
        if (!(await hasClearCorners(reader, files.slides))) wrong.push(`${view}, ${label}: slides have a background`);
      }
      if (typeof close === 'function') await close();
    }
    assert.deepEqual(wrong, []);
    assert.ok(seen.size > 40, `${seen.size} figures: ${[...seen].join('\n')}`);
  }));

// --- helpers ----------------------------------------------------------------------------------------------

/** Keeps downloads in the page: after a few files Chromium delays every next one by seconds. */
function keepFiles() {
  const create = URL.createObjectURL.bind(URL);
  const click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => {
    window.kept = blob;
    return create(blob);
  };
  HTMLAnchorElement.prototype.click = function () {
    if (!this.hasAttribute('download')) click.call(this);
  };
}

/** A file of a figure as a data address. */
async function saved(page, place, kind) {
  const button = await fileButton(place, kind);
  await page.evaluate(() => delete window.kept);
  await button.click();
  await page.waitForFunction(() => window.kept);
  return page.evaluate(
    () =>
      new Promise((read) => {
        const reader = new FileReader();
        reader.onload = () => read(reader.result);
        reader.readAsDataURL(window.kept);
      }),
  );
}

/** In the reader: the pixels of a picture, four numbers each. */
const PIXELS = `async (url, size) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const [width, height] = size ?? [image.naturalWidth, image.naturalHeight];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0, width, height);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}`;

/** Share of every colour other than grey in all pixels of a picture. */
function coloursOf(reader, url) {
  return reader.evaluate(
    async ([pixels, url]) => {
      const { data } = await eval(pixels)(url);
      const counts = new Map();
      // Pictures have few colours in millions of pixels.
      for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
      const shares = {};
      for (const [pixel, count] of counts) {
        const [red, green, blue, alpha] = new Uint8Array(Uint32Array.of(pixel).buffer);
        if (alpha < 255 || Math.max(red, green, blue) - Math.min(red, green, blue) < 30) continue;
        shares[`rgb(${red}, ${green}, ${blue})`] = (4 * count) / data.length;
      }
      return shares;
    },
    [PIXELS, url],
  );
}

/** Share of pixels with a visible difference between two pictures, the second scaled to the size of the first. */
function differenceOf(reader, first, second) {
  return reader.evaluate(
    async ([pixels, first, second]) => {
      const a = await eval(pixels)(first);
      const b = await eval(pixels)(second, [a.width, a.height]);
      let count = 0;
      for (let at = 0; at < a.data.length; at += 4) {
        if ([0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > 96)) count += 4;
      }
      return count / a.data.length;
    },
    [PIXELS, first, second],
  );
}

function hasClearCorners(reader, url) {
  return reader.evaluate(
    async ([pixels, url]) => {
      const { width, height, data } = await eval(pixels)(url);
      const alpha = (x, y) => data[4 * (y * width + x) + 3];
      return [alpha(0, 0), alpha(width - 1, 0), alpha(0, height - 1), alpha(width - 1, height - 1)].every((value) => value === 0);
    },
    [PIXELS, url],
  );
}
