// The results alone: presented in large letters, and printed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileButton, pickPreset, violations, withPage } from './harness.mjs';

const WINDOW = { width: 1440, height: 900 };

test('the results alone', (t) =>
  withPage(
    async ({ page, url, screenshot, step }) => {
      await page.goto(url);
      await page.locator('[data-testid=root][data-status=done]').waitFor();

      await step(t, 'a presentation shows the heatmaps and nothing beside them; a click opens the cell that is under it', async () => {
        const opened = async () => {
          const canvas = page.getByTestId('heatmap-fully-cached').locator('canvas');
          const { width, height } = await canvas.boundingBox();
          await canvas.hover({ position: { x: width * 0.62, y: height * 0.4 } });
          const told = await page.locator('.tooltip').first().innerText();
          await page.mouse.move(0, 0);
          return told;
        };
        const before = await opened();
        await page.keyboard.press('d');
        await page.getByTestId('presenter').waitFor();
        await page.waitForFunction(() => document.querySelector('[data-testid=heatmap-fully-cached] canvas').clientWidth > 300);
        assert.equal(await opened(), before);
        for (const hidden of ['.tools', '#design', '.save']) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
        assert.deepEqual(await violations(page), []);
        // A projector at 150 %.
        await page.setViewportSize({ width: 853, height: 480 });
        await page.waitForFunction(() => document.querySelector('.maps').getBoundingClientRect().bottom + scrollY <= 480);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `${beyond} px too wide`);
        await page.setViewportSize(WINDOW);
        await page.keyboard.press('Escape');
        await page.locator('#design').waitFor();
        assert.equal(await page.getByTestId('presenter').count(), 0);
      });

      await step(t, 'a picture for slides is light, has the name of the design, and nothing behind it', async () => {
        const heatmap = page.getByTestId('heatmap-fully-cached');
        const corner = async (kind) => {
          const button = await fileButton(heatmap, kind);
          const waits = page.waitForEvent('download');
          await button.click();
          const stream = await (await waits).createReadStream();
          const parts = [];
          for await (const part of stream) parts.push(part);
          return page.evaluate(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
            const context = canvas.getContext('2d', { willReadFrequently: true });
            context.drawImage(bitmap, 0, 0);
            const darkInTitle = context.getImageData(0, 0, bitmap.width, 70).data.filter((_, index, all) => index % 4 === 3 && all[index] > 128 && all[index - 3] < 90).length;
            return { corner: [...context.getImageData(1, 1, 1, 1).data], height: bitmap.height, darkInTitle };
          }, Buffer.concat(parts).toString('base64'));
        };
        const onPage = await corner('png');
        const forSlides = await corner('slides-png');
        assert.equal(onPage.corner[3], 255, 'the panel of the page is painted');
        assert.equal(forSlides.corner[3], 0, 'nothing is painted behind');
        assert.equal(forSlides.height - onPage.height, 60, 'room for a title of 30 CSS pixels');
        assert.ok(forSlides.darkInTitle > 300, `${forSlides.darkInTitle} dark pixels of letters`);
        const button = await fileButton(heatmap, 'slides-svg');
        const waits = page.waitForEvent('download');
        await button.click();
        assert.match((await waits).suggestedFilename(), /slides.*\.svg$/);
      });

      await step(t, 'what is printed has no controls', async () => {
        await page.emulateMedia({ media: 'print' });
        for (const hidden of ['#design', 'nav', '.tools', '.save']) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
        assert.ok(await page.getByTestId('design').isVisible(), 'the name of the design');
        assert.ok(await page.locator('.heatmap canvas').first().isVisible());
        await screenshot('print');
        await page.emulateMedia({ media: 'screen' });
      });

      await step(t, 'keys lead through the steps of a lesson, and through the last states of a design', async () => {
        await page.getByTestId('tab-lessons').click();
        await page.getByTestId('start-why-fuse').click();
        await page.getByTestId('lesson').waitFor();
        await page.keyboard.press('d');
        const step = (number) => page.locator(`[data-testid=step-${number}][aria-current=step]`).waitFor();
        await step(1);
        await page.keyboard.press('PageDown');
        await step(2);
        await page.getByTestId('present-next').click();
        await step(3);
        await page.keyboard.press('PageUp');
        await step(2);
        await page.getByTestId('present-end').click();
        await page.getByTestId('lesson-close').click();

        await page.getByTestId('tab-landscape').click();
        await pickPreset(page, 'hardware', 'tpu-like-df');
        await page.locator('[data-testid=film-frame]').nth(1).waitFor();
        const at = () => page.locator('[data-testid=film-frame]').evaluateAll((all) => all.findIndex((one) => one.ariaCurrent === 'true'));
        const last = await at();
        await page.getByTestId('present').click();
        await page.getByTestId('present-back').click();
        await page.waitForFunction((last) => document.querySelectorAll('[data-testid=film-frame]')[last - 1].ariaCurrent === 'true', last);
      });
    },
    { viewport: WINDOW, colorScheme: 'dark' },
  ));
