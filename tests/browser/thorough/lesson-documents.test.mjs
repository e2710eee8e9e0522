// Lessons from documents: dropped, answered, handed in, and graded; in another page; in a learning management system.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, violations, withPage } from '../harness.mjs';
import { hostPage } from '../host-page.mjs';
import { serve } from '../server.mjs';

/** A lab with a step of every kind, written as described in `docs/lessons.md`. */
const LAB = `title: A buffer for an image network
about: How large the middle buffer has to be.
assignment: course 2026, lab 2
parameters:
  - { name: buffer, values: [16 KiB, 32 KiB, 64 KiB] }
steps:
  - title: Kept or computed again
    text: The same tile, with and without what overlaps being kept. {kept} against {again}.
    opens: { view: schedule, hardware: meta-proto-like-df, workload: fsrcnn, point: 4x18 fully-cached }
    question: Which takes more multiply-accumulates?
    numbers:
      - { name: kept, unit: GMAC, measure: { macs: { of: 4x18 fully-cached } } }
      - { name: again, unit: GMAC, measure: { macs: { of: 4x18 fully-recompute } } }
      - { name: ratio, measure: { macs-ratio: { from: 4x18 fully-recompute, to: 4x18 fully-cached } }, unit: x }
    answers:
      - { text: Keeping, when: [ratio ..1], hint: Look at the colours of the windows. }
      - { text: Computing again, when: [ratio 1..] }
    explains: Computing again takes {ratio} as many.
  - title: A smaller buffer
    text: The middle buffer of activations has $buffer here.
    opens: { view: landscape, hardware: meta-proto-like-df, workload: fsrcnn, set: { hardware.sram_64KB.size: $buffer } }
    question: How much energy does the best point take?
    numbers:
      - { name: best, unit: mJ, measure: { energy: { of: best } } }
      - { name: single, unit: mJ, measure: { energy: { of: single-layer } } }
    number: { is: best, tolerance: 2 % }
    hints: [{ near: single, text: That is one layer at a time. }, { when: [answer 100..], text: Mind the unit. }]
    hint: Read the headline.
    explains: It takes {best}.
  - title: The curve
    text: Draw first, then see.
    opens: { view: landscape, hardware: meta-proto-like-df, workload: fsrcnn, point: 4x72 fully-cached }
    question: How does the energy follow the size of the buffer?
    numbers:
      - { name: energy, unit: mJ, measure: { energy: { of: opened } } }
    predict: { number: energy, field: hardware.sram_64KB.size, values: [4 KiB, 16 KiB, 64 KiB], axis: 0..12, tolerance: 25 % }
    explains: A buffer that holds the tile is enough.
  - title: Your design
    text: Find the smallest buffer that is good enough.
    opens: { view: landscape, hardware: meta-proto-like-df, workload: fsrcnn, point: 4x72 fully-cached }
    question: Energy below 3 mJ with the smallest buffer.
    numbers:
      - { name: energy, unit: mJ, measure: { energy: { of: opened } } }
      - { name: size, unit: KiB, measure: { memory-size: { memory: sram_64KB } } }
    task:
      fields:
        - { name: buffer, field: hardware.sram_64KB.size, values: [8 KiB, 16 KiB, 32 KiB, 64 KiB] }
      minimise: size
      goals: [energy ..3]
    explains: The smallest has {size}.
`;

async function drop(page, text) {
  const files = await page.evaluateHandle((text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'lab.yaml', { type: 'text/yaml' }));
    return carried;
  }, text);
  await page.dispatchEvent('[data-testid=root]', 'drop', { dataTransfer: files });
}

test('in a page of another origin a step of every kind is answered, told to the host, and graded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-'));
  const host = await serve(folder);
  try {
    await withPage(
      async ({ page, url }) => {
        writeFileSync(join(folder, 'index.html'), hostPage(`${url}embed.html?view=lessons`));
        await page.goto(host.url);
        const answered = async (step) => {
          await page.waitForFunction(
            (step) => window.messages.some((told) => told.type === 'answered' && told.step === step && told.is_over),
            step,
          );
          return page.evaluate(() => window.messages.findLast(({ type }) => type === 'answered'));
        };
        await page.waitForFunction(() => window.messages?.some(({ type }) => type === 'ready'));
        await page.evaluate((lesson) => window.tell({ fusescape: 1, type: 'set', id: 1, lesson, student: 'noether' }), LAB);
        const view = page.frameLocator('iframe');
        const said = (text) => view.getByTestId('verdict').getByText(text).waitFor();

        // A choice: wrong, with a hint, and right on the second try.
        await view.getByTestId('answer-1').click();
        await said('Not so. Look at the colours of the windows. One more try.');
        await view.getByTestId('answer-2').click();
        await said('Right. Computing again takes');
        assert.equal((await answered(1)).step_marks, 0.5);

        // A number: wrong twice, so that the right one is shown.
        await view.getByTestId('step-2').click();
        await view.getByTestId('number').fill('5000');
        await view.getByTestId('answer-number').click();
        await said('Not so. Mind the unit. One more try.');
        await view.getByTestId('number').fill('7');
        await view.getByTestId('answer-number').click();
        await said(/Not so. Read the headline. Right is 1\.8\d* mJ/);
        assert.equal((await answered(2)).step_marks, 0);

        // A curve, drawn with the mouse from the lower left to the upper right.
        await view.getByTestId('step-3').click();
        const curve = view.getByTestId('curve');
        // Late results above it could still move it.
        await view.locator('[data-status=done]').first().waitFor();
        await curve.getByTestId('handle-3').waitFor();
        await curve.scrollIntoViewIfNeeded();
        const heights = () => view.locator('[data-testid^=handle-]').evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-valuenow'))));
        const box = await curve.boundingBox();
        const spot = (across, up) => [box.x + box.width * across, box.y + box.height * (1 - up)];
        await page.mouse.move(...spot(0.25, 0.3));
        await page.mouse.down();
        await page.mouse.move(...spot(0.55, 0.5), { steps: 8 });
        await page.mouse.move(...spot(0.9, 0.8), { steps: 8 });
        await page.mouse.up();
        const drawn = await heights();
        assert.ok(drawn[0] < drawn[1] && drawn[1] < drawn[2], `drawn: ${drawn}`);
        await view.getByTestId('handle-3').press('Home');
        assert.equal((await heights())[2], 0);
        await view.getByTestId('answer-curve').click();
        await view.getByTestId('curve-right').waitFor();
        const marked = (await answered(3)).step_marks;
        assert.ok(marked >= 0 && marked <= 2 / 3 + 1e-9, `the third point is wrong: ${marked}`);

        // A design: one that meets all goals but is not the best, then the best.
        await view.getByTestId('step-4').click();
        await view.getByTestId('task-field').selectOption({ label: '32 KiB' });
        await view.getByTestId('task-numbers').getByText('32 KiB').waitFor();
        await view.getByTestId('answer-task').click();
        await said('That is 300.0 % more than the optimum.');
        await view.getByTestId('task-field').selectOption({ label: '8 KiB' });
        await view.getByTestId('task-numbers').getByText('8 KiB').waitFor();
        await view.getByTestId('answer-task').click();
        await said('The optimum of all 4 designs is');
        const { receipt, marks, of, answered: count } = await answered(4);
        // The answers are restored after a reload of the host page.
        await page.reload();
        await page.waitForFunction(() => window.messages?.some(({ type }) => type === 'ready'));
        await page.evaluate((lesson) => window.tell({ fusescape: 1, type: 'set', id: 1, lesson, student: 'noether' }), LAB);
        await said('Right. Computing again takes');
        assert.equal((await answered(1)).receipt, receipt);
        assert.deepEqual([of, count], [4, 4]);
        assert.ok(Math.abs(marks - (0.5 + marked + 1)) < 1e-9, `${marks} marks`);

        // Natively the receipt gets the same marks.
        const receipts = join(folder, 'receipts');
        mkdirSync(receipts);
        writeFileSync(join(receipts, 'noether.json'), receipt);
        writeFileSync(join(folder, 'lab.yaml'), LAB);
        const [head, row] = commandLine('grade', '--lesson', join(folder, 'lab.yaml'), receipts).trim().split('\n');
        assert.equal(head, 'file,lesson,student,marks,of,step 1,step 2,step 3,step 4,remarks');
        const cells = row.split(',');
        assert.deepEqual(cells.slice(1, 3).concat(cells[4]), ['A buffer for an image network', 'noether', '4']);
        assert.ok(Math.abs(Number(cells[3]) - marks) < 0.005, row);
      },
      { hosts: [host.url] },
    );
  } finally {
    await host.close();
  }
});

test('values that only some students get, and choices of a task, are looked at while the document is written', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await drop(page, LAB.replace('32 KiB, 64 KiB]', '32 KiB, 3 pJ]').replace('values: [8 KiB, 16 KiB', 'values: [8 KiB, many'));
    const errors = page.getByTestId('lesson-errors');
    await errors.getByText('With buffer 3 pJ').waitFor();
    await errors.getByText('fields[0].values[1]').waitFor();
    assert.equal(await page.getByTestId('check-variants').count(), 0);
    assert.deepEqual(await violations(page), []);
    await page.getByTestId('lesson-text').fill(LAB);
    await errors.waitFor({ state: 'detached' });
    await page.getByTestId('check-variants').click();
    await page.getByText('Every step has one right answer in all 3 variants.').waitFor();
    // A goal that no design meets.
    await page.getByTestId('lesson-text').fill(LAB.replace('goals: [energy ..3]', 'goals: [energy ..0.1]'));
    await page.getByTestId('check-variants').click();
    await page.getByText('Step 4 with buffer 64 KiB: none of 4 designs meets all goals').waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test('a learning management system gets score, status and receipt', () =>
  withPage(async ({ page, url }) => {
    await page.addInitScript(() => {
      if (window !== window.top || location.pathname.endsWith('embed.html')) return;
      const values = { 'cmi.core.student_id': 'grace', 'cmi.core.lesson_status': 'not attempted' };
      window.calls = [];
      window.values = values;
      const call = (name, result) => (...given) => (window.calls.push(name), result(...given));
      window.API = {
        LMSInitialize: call('LMSInitialize', () => 'true'),
        LMSFinish: call('LMSFinish', () => 'true'),
        LMSCommit: call('LMSCommit', () => 'true'),
        LMSGetValue: call('LMSGetValue', (name) => values[name] ?? ''),
        LMSSetValue: call('LMSSetValue', (name, value) => ((values[name] = value), 'true')),
      };
    });
    await page.goto(`${url}scorm.html?lesson=why-fuse`);
    const view = page.frameLocator('iframe');
    await view.locator('[data-testid=lesson][data-step=why-fuse-1]').waitFor();
    await view.getByTestId('answer-3').click();
    await view.getByTestId('verdict').getByText('Right.').waitFor();
    await page.waitForFunction(() => window.values['cmi.core.score.raw'] === '25');
    const { values, calls } = await page.evaluate(() => ({ values: window.values, calls: window.calls }));
    assert.equal(values['cmi.core.lesson_status'], 'incomplete');
    assert.equal(JSON.parse(values['cmi.suspend_data']).student, 'grace');
    assert.ok(calls.includes('LMSInitialize') && calls.includes('LMSCommit'));
  }));
