// Lessons: a guided one from its tab, and one from a file, answered, stored, handed in and graded.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FEW_POINTS, bytesOf, commandLine, tooWide, violations, withPage } from './harness.mjs';

const DOCUMENT = `title: Dropped
about: A lesson from a file.
parameters: [{ name: tile, values: [4x72, 60x72] }]
steps:
  - title: Energy
    text: Tiles of $tile.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn, point: $tile fully-cached }
    question: How much energy does it take?
    numbers:
      - { name: energy, unit: mJ, measure: { energy: { of: opened } } }
    number: { is: energy, tolerance: 2 % }
    hints: [{ when: [answer 100..], text: Mind the unit. }]
    hint: Read the headline.
    explains: It takes {energy}.
    marks: 2
`;

test('a lesson shows, asks, and judges by numbers of its own', (t) =>
  withPage(async ({ page, url, step }) => {
    const lesson = page.getByTestId('lesson');
    const at = (step) => page.locator(`[data-testid=lesson][data-step=${step}]`).waitFor();
    const judged = (text) => page.getByTestId('verdict').getByText(text).waitFor();
    const settled = () => page.locator('[data-testid=root][data-status=done]').waitFor();
    const view = () => page.locator('nav [aria-current=page]').innerText();
    const energy = async () => Number(await page.getByTestId('opened-energy').getAttribute('data-energy-pj')) / 1e9;
    let single;

    await step(t, 'a title starts a lesson; a wrong answer is no dead end, and does not tell what is right', async () => {
      await page.goto(url + FEW_POINTS);
      await page.getByTestId('tab-lessons').click();
      await page.getByRole('button', { name: 'Why fuse layers?', exact: true }).click();
      await at('why-fuse-1');
      assert.equal(await view(), 'Schedule');
      await page.getByTestId('answer-1').focus();
      await page.keyboard.press('Enter');
      await judged('Not so. One more try.');
      assert.doesNotMatch(await page.getByTestId('verdict').innerText(), /In DRAM/);
    });

    await step(t, 'the right answer is explained by the numbers that the page shows, at 390 px, too', async () => {
      await page.getByTestId('answer-3').focus();
      await page.keyboard.press('Enter');
      await judged('Right.');
      const [, share, told] = (await page.getByTestId('verdict').innerText()).match(/DRAM takes ([\d.]+) % of ([\d.]+) mJ/);
      await settled();
      single = Number(told);
      assert.ok(Math.abs((await energy()) / single - 1) < 1e-3, `${await energy()} mJ, ${told} mJ`);
      assert.ok(Number(share) > 50);
      await page.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual([...(await tooWide(page)), ...(await violations(page, '[data-testid=lesson]'))], []);
      await page.setViewportSize({ width: 1280, height: 800 });
    });

    await step(t, 'the next step shows what decides it', async () => {
      await page.getByTestId('next-step').click();
      await at('why-fuse-2');
      assert.equal(await view(), 'Landscape');
      await lesson.getByText(`One layer at a time took ${single} mJ`).waitFor();
      assert.equal(await page.getByTestId('set-aside').count(), 0, 'nothing was changed');
    });

    await step(t, 'a step that replaces an edit says so, and brings it back', async () => {
      await page.getByTestId('tiles-x').fill('4 60');
      await page.getByTestId('next-step').click();
      await at('why-fuse-3');
      await page.getByTestId('set-aside').getByText('This step has replaced what you changed.').waitFor();
      assert.notEqual(await page.getByTestId('tiles-x').inputValue(), '4 60');
      await page.getByTestId('set-aside').getByText('Bring it back').click();
      await at('why-fuse-2');
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '4 60');
      assert.equal(await page.getByTestId('set-aside').count(), 0);
    });

    await step(t, 'the last step leads to the next lesson', async () => {
      await page.getByTestId('step-4').click();
      await page.getByTestId('next-lesson').click();
      await at('tiles-and-overlap-1');
      await page.getByTestId('lesson-close').click();
      await lesson.waitFor({ state: 'detached' });
    });

    await step(t, 'mistakes of a document that is dropped are said at once', async () => {
      await drop(page, DOCUMENT.replace('unit: mJ', 'unit: furlong').replace('view: schedule', 'view: schedul'));
      for (const words of ['furlong', 'Did you mean schedule']) await page.getByTestId('lesson-errors').getByText(words).first().waitFor();
    });

    await step(t, 'a document that is dropped is answered, hinted at, and keeps its tries', async () => {
      await drop(page, DOCUMENT);
      await page.locator('[data-testid=lesson-preview][data-status=done]').waitFor();
      await page.getByTestId('try-1').click();
      await page.getByTestId('student').fill('ada');
      await page.getByTestId('take-student').click();
      await page.getByTestId('student').waitFor({ state: 'detached' });
      await page.getByTestId('number').fill('1000');
      await page.getByTestId('answer-number').click();
      await judged('Not so. Mind the unit. One more try.');
      // The same number again costs no try, and a reload restores none.
      await page.getByTestId('answer-number').click();
      await page.getByTestId('number-wrong').getByText('it takes no try').waitFor();
      await page.reload();
      await judged('Not so. Mind the unit. One more try.');
      await settled();
      await page.getByTestId('number').fill(`${(await energy()).toFixed(3)} mJ`);
      await page.getByTestId('answer-number').click();
      await judged('Right.');
      assert.match(await page.getByTestId('marks').innerText(), /^1 of 2 marks/);
    });

    await step(t, 'its receipt is graded by the command line', async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-receipt').click()]);
      const folder = mkdtempSync(join(tmpdir(), 'receipts-'));
      writeFileSync(join(folder, 'lab.yaml'), DOCUMENT);
      writeFileSync(join(folder, 'a.json'), await bytesOf(download));
      const [head, first] = commandLine('grade', '--lesson', join(folder, 'lab.yaml'), folder).trim().split('\n');
      assert.equal(head, 'file,lesson,student,marks,of,step 1,remarks');
      assert.match(first, /a\.json,Dropped,ada,1,2,1,$/);
    });

    await step(t, 'the progress of both lessons is kept, and one goes on where it was left', async () => {
      await page.getByTestId('lesson-close').click();
      await page.getByTestId('tab-lessons').click();
      const card = page.getByTestId('lesson-why-fuse');
      await card.getByText(/4 questions, 1 answered/).waitFor();
      await card.getByText('Continue').click();
      await at('why-fuse-2');
    });
  }));

async function drop(page, text) {
  const files = await page.evaluateHandle((text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'lab.yaml', { type: 'text/yaml' }));
    return carried;
  }, text);
  await page.dispatchEvent('[data-testid=root]', 'drop', { dataTransfer: files });
}
