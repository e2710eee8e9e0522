// Guided lessons: from their tab and from a link, by mouse and by keyboard, in the page and inside another one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations, withPage } from './harness.mjs';

const LESSONS = ['why-fuse', 'tiles-and-overlap', 'memory-hierarchy'];

test('a lesson shows, asks, judges by numbers of its own, and goes on', () =>
  withPage(async ({ page, url, screenshot }) => {
    await start(page, url, 'why-fuse');
    const lesson = page.getByTestId('lesson');
    assert.match(await lesson.innerText(), /Lesson: Why fuse layers\?/);
    assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Schedule');
    await assertAccessible(page);
    // A wrong answer is no dead end, and does not tell what is right.
    await page.getByTestId('answer-1').click();
    await lesson.getByText('Not so. One more try.').waitFor();
    assert.doesNotMatch(await page.getByTestId('verdict').innerText(), /In DRAM/);
    await page.getByTestId('answer-3').click();
    await lesson.getByText('Right.').waitFor();
    const verdict = await page.getByTestId('verdict').innerText();
    const [, share, energy] = verdict.match(/DRAM takes ([\d.]+) % of ([\d.]+) mJ/);
    // The live figure says the same.
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const shown = Number(await page.getByTestId('opened-energy').getAttribute('data-energy-pj'));
    assert.ok(Math.abs(shown / 1e9 / Number(energy) - 1) < 1e-3, `${shown} pJ, ${energy} mJ`);
    assert.ok(Number(share) > 50);
    await screenshot('lesson');
    await page.getByTestId('next-step').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
    // What decides is on the screen: one number in the text, the other above the landscape.
    assert.equal(await page.locator('nav [aria-current=page]').innerText(), 'Landscape');
    await lesson.getByText(`One layer at a time took ${energy} mJ`).waitFor();
    await page.getByTestId('answer-2').click();
    await lesson.getByText('Right.').waitFor();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const best = (await page.getByTestId('kpi-best').innerText()).match(/^([\d.]+) mJ/)[1];
    assert.ok(Math.abs(Number(energy) / Number(best) / 10.4 - 1) < 0.01, `${energy}, ${best}`);
    await assertAccessible(page);
  }));

test('a step that replaces an edit says so, and brings it back', () =>
  withPage(async ({ page, url }) => {
    await start(page, url, 'why-fuse');
    await page.getByTestId('step-2').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
    assert.equal(await page.getByTestId('set-aside').count(), 0, 'nothing was changed');
    await page.getByTestId('tiles-x').fill('4 60');
    await page.getByTestId('next-step').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-3]').waitFor();
    await page.getByTestId('set-aside').getByText('This step has replaced what you changed.').waitFor();
    assert.notEqual(await page.getByTestId('tiles-x').inputValue(), '4 60');
    await assertAccessible(page);
    await page.getByTestId('set-aside').getByText('Bring it back').click();
    await page.locator('[data-testid=lesson][data-step=why-fuse-2]').waitFor();
    assert.equal(await page.getByTestId('tiles-x').inputValue(), '4 60');
    assert.equal(await page.getByTestId('set-aside').count(), 0);
  }));

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

test('progress is kept, also by a page that is loaded again', () =>
  withPage(async ({ page, url }) => {
    await start(page, url, 'tiles-and-overlap');
    await page.getByTestId('answer-3').click();
    await page.getByTestId('verdict').getByText('Right.').waitFor();
    await page.getByTestId('lesson-close').click();
    await page.getByTestId('lesson').waitFor({ state: 'detached' });
    await page.getByTestId('tab-lessons').click();
    const card = page.getByTestId('lesson-tiles-and-overlap');
    assert.match(await card.innerText(), /4 questions, 1 answered/);
    await card.getByText('Continue').click();
    await page.locator('[data-testid=lesson][data-step=tiles-and-overlap-2]').waitFor();
    await page.getByTestId('step-1').click();
    assert.equal(await page.getByTestId('answer-3').getAttribute('aria-pressed'), 'true');
    // Whoever changes the design stays in the lesson, and undo leads back.
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-landscape').click();
    assert.equal(await page.getByTestId('lesson').count(), 1);
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByTestId('tab-lessons').click();
    await card.getByText('4 questions, 1 answered').waitFor();
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
    await page.waitForFunction(() => location.hash.length > 8);
    const hash = await page.evaluate(() => location.hash);
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
    const file = await download.path();
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
    // A file with mistakes is told with their places, and changes nothing.
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
