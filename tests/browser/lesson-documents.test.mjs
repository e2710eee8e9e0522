// Lessons by anyone: a document that is dropped, answered, handed in, and graded; in another page; in a learning management system.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { violations, withPage } from './harness.mjs';

const MINUTE = 60_000;
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
      - { name: single, unit: mJ, measure: { energy: { of: single-layer } } }
    number: { is: energy, tolerance: 2 % }
    hints: [{ when: [answer 100..], text: Mind the unit. }]
    hint: Read the headline.
    explains: It takes {energy}.
    marks: 2
`;

async function drop(page, text) {
  const files = await page.evaluateHandle((text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'lab.yaml', { type: 'text/yaml' }));
    return carried;
  }, text);
  await page.dispatchEvent('[data-testid=root]', 'drop', { dataTransfer: files });
}

async function judged(page, text) {
  await page.getByTestId('verdict').getByText(text).waitFor({ timeout: MINUTE });
}

test('a lesson that is dropped is answered, hinted at, and gives a receipt that is graded', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await drop(page, DOCUMENT);
    await page.locator('[data-testid=lesson-preview][data-status=done]').waitFor({ timeout: MINUTE });
    assert.deepEqual(await violations(page), []);
    await page.getByTestId('try-1').click();
    await page.getByTestId('student').fill('ada');
    await page.getByTestId('take-student').click();
    await page.getByTestId('student').waitFor({ state: 'detached' });
    await page.getByTestId('number').fill('1000');
    await page.getByTestId('answer-number').click();
    await judged(page, 'Not so. Mind the unit. One more try.');
    await page.locator('[data-testid=root][data-status=done]').waitFor({ timeout: MINUTE });
    const energy = Number(await page.getByTestId('opened-energy').getAttribute('data-energy-pj')) / 1e9;
    await page.getByTestId('number').fill(energy.toFixed(3));
    await page.getByTestId('answer-number').click();
    await judged(page, 'Right.');
    assert.match(await page.getByTestId('marks').innerText(), /^1 of 2 marks/);
    assert.deepEqual(await violations(page), []);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-receipt').click()]);
    const receipt = await readFile(await download.path(), 'utf8');
    // Tampered with: the marks that it names, and a third answer, change nothing.
    const tampered = JSON.parse(receipt);
    tampered.shown = '2 of 2 marks';
    tampered.answers[1].push({ number: energy });
    const folder = mkdtempSync(join(tmpdir(), 'receipts-'));
    for (const [name, text] of [['lab.yaml', DOCUMENT], ['a.json', receipt], ['b.json', JSON.stringify(tampered)]]) {
      writeFileSync(join(folder, name), text);
    }
    const program = process.env.FUSESCAPE ?? 'target/release/fusescape';
    const csv = execFileSync(program, ['grade', '--lesson', join(folder, 'lab.yaml'), folder], { encoding: 'utf8' });
    const [head, first, second] = csv.trim().split('\n');
    assert.equal(head, 'file,lesson,student,marks,of,step 1,remarks');
    assert.match(first, /a\.json,Dropped,ada,1,2,1,$/);
    assert.match(second, /b\.json,Dropped,ada,1,2,1,step 1: 1 answers more than tries do not count; receipt 2 of this student$/);
  }));

test('mistakes of a document are said at once, with lines', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await drop(page, DOCUMENT.replace('unit: mJ', 'unit: furlong').replace('view: schedule', 'view: schedul'));
    const said = await page.getByTestId('lesson-errors').innerText();
    assert.match(said, /furlong/);
    assert.match(said, /Did you mean schedule/);
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
    await view.locator('[data-testid=lesson][data-step=why-fuse-1]').waitFor({ timeout: MINUTE });
    await view.getByTestId('answer-3').click();
    await view.getByTestId('verdict').getByText('Right.').waitFor({ timeout: MINUTE });
    await page.waitForFunction(() => window.values['cmi.core.score.raw'] === '25');
    const { values, calls } = await page.evaluate(() => ({ values: window.values, calls: window.calls }));
    assert.equal(values['cmi.core.lesson_status'], 'incomplete');
    assert.equal(JSON.parse(values['cmi.suspend_data']).student, 'grace');
    assert.ok(calls.includes('LMSInitialize') && calls.includes('LMSCommit'));
  }));
