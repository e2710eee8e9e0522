// Guided lessons: from their tab and from a link, by mouse and by keyboard, in the page and inside another one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, violations, withPage } from '../harness.mjs';

const LESSONS = ['why-fuse', 'tiles-and-overlap', 'memory-hierarchy'];

test('a title starts a lesson, and the last step of one leads to the next and to the gallery', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.getByTestId('tab-lessons').click();
    await page.getByRole('button', { name: 'Why fuse layers?', exact: true }).click();
    await page.getByTestId('step-4').click();
    await page.getByTestId('next-lesson').click();
    await page.locator('[data-testid=lesson][data-step=tiles-and-overlap-1]').waitFor();
    await page.getByTestId('step-4').click();
    assert.match(await page.getByTestId('next-lesson').innerText(), /How the memory hierarchy decides/);
    await page.getByTestId('next-lesson').click();
    await page.getByTestId('step-4').click();
    await page.getByTestId('lesson-gallery').click();
    await page.getByTestId('lessons').waitFor();
    assert.equal(await page.getByTestId('lesson').count(), 0);
  }));

test('every step of every lesson can be answered with the keyboard alone', () =>
  withPage(async ({ page, url }) => {
    for (const id of LESSONS) {
      await start(page, url, id);
      for (let step = 1; step <= 4; step += 1) {
        await page.locator(`[data-testid=lesson][data-step=${id}-${step}]`).waitFor();
        const answers = page.getByTestId('lesson').locator('fieldset button');
        for (let answer = 0; (await page.locator('.lesson .right').count()) === 0; answer += 1) {
          await answers.nth(answer).focus();
          await page.keyboard.press('Enter');
          await page.locator('.lesson .right, .lesson .wrong').nth(Math.min(answer, 0)).waitFor();
          await page.locator('.lesson[data-judged=true]').waitFor();
        }
        assert.equal(await page.locator('.lesson .right').count(), 1);
        assert.doesNotMatch(await page.getByTestId('verdict').innerText(), /[{}]|Nobody knows/);
        if (step < 4) {
          await page.getByTestId('next-step').focus();
          await page.keyboard.press('Enter');
        }
      }
    }
  }));

test('a step is in the address, and opens from there inside another page', () =>
  withPage(async ({ page, url }) => {
    await start(page, url, 'memory-hierarchy');
    // The address is updated later; this link is of the shown state.
    await page.getByTestId('share').click();
    const { hash } = new URL(await page.getByTestId('share-link').inputValue());
    assert.ok(hash.length <= 120, hash);
    await page.goto(`${url}embed.html?view=schedule${hash}`);
    await page.locator('[data-testid=lesson][data-step=memory-hierarchy-1]').waitFor();
    await page.getByTestId('answer-1').click();
    await page.getByTestId('verdict').getByText('Right.').waitFor();
    await page.getByTestId('next-step').click();
    await page.locator('[data-testid=lesson][data-step=memory-hierarchy-2]').waitFor();
    await assertAccessible(page);
  }));

test('a step is in a saved file, and opens from there', () =>
  withPage(async ({ page, url }) => {
    await start(page, url, 'why-fuse');
    await page.getByTestId('step-2').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
    await page.getByTestId('share').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-file').click()]);
    const file = { name: download.suggestedFilename(), mimeType: 'application/yaml', buffer: await bytesOf(download) };
    await page.getByTestId('close').click();
    await page.getByTestId('lesson-close').click();
    await page.getByTestId('lesson').waitFor({ state: 'detached' });
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('share').click();
    await page.getByTestId('open-file').setInputFiles(file);
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
    assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Landscape');
    await page.getByTestId('answer-2').click();
    await page.getByTestId('lesson').getByText('Right.').waitFor();
    // A file with errors is reported with their places, and changes nothing.
    await page.getByTestId('share').click();
    const wrong = { name: 'x.yaml', mimeType: 'text/yaml', buffer: Buffer.from('fusescape: 1\nlesson: why-fuse-11\n') };
    await page.getByTestId('open-file').setInputFiles(wrong);
    const told = await page.getByTestId('file-error').innerText();
    assert.match(told, /line 2\s+lesson\s+why-fuse-11 is not known here\.\s+Did you mean why-fuse-1\?/);
    await page.getByTestId('close').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
  }));

for (const colorScheme of ['light', 'dark']) {
  test(`a lesson fits 390 px, ${colorScheme}`, () =>
    withPage(
      async ({ page, url, screenshot }) => {
        await start(page, url, 'why-fuse');
        await page.getByTestId('answer-3').click();
        await page.getByTestId('verdict').getByText('Right.').waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
        await assertAccessible(page);
        await screenshot(`lesson-390-${colorScheme}`);
      },
      { viewport: { width: 390, height: 844 }, colorScheme },
    ));
}

async function start(page, url, id) {
  await page.goto(url);
  await page.getByTestId('tab-lessons').click();
  await page.getByTestId(`start-${id}`).click();
  await page.getByTestId('lesson').waitFor();
}

async function assertAccessible(page) {
  assert.deepEqual(await violations(page), []);
}
