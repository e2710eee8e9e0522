// The hardware as a form: an edit changes the text in place, and both always agree.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_COMPARE, assertFits, pickPreset, withPage } from './harness.mjs';

test('the hardware is edited as a form and as text, which always say the same', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.goto(url + SMALL_COMPARE);
    await page.getByTestId('memory-0').waitFor();
    await done(page);
    const before = await textOf(page);

    await step(t, 'an edit by form changes one line of the text, an error is said at its field and repaired there', async () => {
      await page.getByTestId('memory-3').click();
      const size = page.getByTestId('size');
      assert.equal(await size.inputValue(), '1 MiB');
      await size.fill('512 KB');
      await rejected(page);
      const panel = page.getByTestId('memory-panel');
      assert.match(await panel.innerText(), /There is no unit KB here\. Use KiB/);
      assert.equal(await size.getAttribute('aria-invalid'), 'true');
      assert.match(await page.getByTestId('memory-3').innerText(), /1 mistake/);
      await assertFits(page, 'hardware-card');
      assert.match(await textOf(page), /size: 512 KB$/m, 'what is wrong is in the text all the same');
      assert.equal(await size.inputValue(), '512 KB', 'and not lost');
      await panel.getByTestId('repair').click();
      await done(page);
      assert.equal(await size.inputValue(), '512 KiB');

      // The comment beside the number.
      await page.getByTestId('size-note-toggle').click();
      await page.getByTestId('size-note').fill('half of the paper');
      await page.getByTestId('bandwidth').fill('128 bit');

      // White space and commas are kept while more is typed.
      await page.getByTestId('array').click();
      const unrolled = page.getByTestId('unroll-conv-0');
      await unrolled.fill('');
      await unrolled.pressSequentially('K 8, C 4');
      assert.equal(await unrolled.inputValue(), 'K 8, C 4');
      await done(page);
      const [unrolling, ...others] = changed(before, await textOf(page));
      assert.match(unrolling, /conv: \{ D1: \[K 8, C 4\], D2: C/);
      assert.deepEqual(others, ['    size: 512 KiB # half of the paper', '    width: 128 bit']);
    });

    await step(t, 'undo takes back what was typed in one field, not in the one before', async () => {
      await pickPreset(page, 'hardware', 'meta-proto-like-df');
      await done(page);
      await page.getByTestId('memory-3').click();
      await page.getByTestId('memory-panel').waitFor();
      // As fast as a browser can.
      await page.evaluate(async () => {
        for (const [field, texts] of [['size', ['5 MiB', '51 MiB']], ['read_energy', ['7 pJ', '7.5 pJ']]]) {
          const input = document.querySelector(`[data-testid=memory-panel] [data-testid=${field}]`);
          for (const text of texts) {
            input.value = text;
            input.dispatchEvent(new Event('input', { bubbles: true }));
            await new Promise((drawn) => setTimeout(drawn));
          }
        }
      });
      await page.getByTestId('hardware-as-text').click();
      const text = page.getByTestId('hardware-text');
      assert.deepEqual(changed(before, await text.inputValue()), ['    size: 51 MiB', '    read_energy: 7.5 pJ']);
      await page.getByTestId('undo').click();
      assert.deepEqual(changed(before, await text.inputValue()), ['    size: 51 MiB']);
      await page.getByTestId('undo').click();
      assert.equal(await text.inputValue(), before);
    });

    await step(t, 'what is typed as text is what the form shows, mistakes included', async () => {
      await writeText(page, before.replace('size: 32 KiB', 'sizes: 32 KiB').replace('name: rf_1B', 'name: registers'));
      const errors = page.getByTestId('hardware-errors');
      assert.match(await errors.innerText(), /line \d+\s*memories\[2\]\.sizes\s*There is no field sizes here\.\s*Did you mean size\?/);
      await page.getByTestId('hardware-as-text').click();
      assert.match(await page.getByTestId('memory-0').innerText(), /registers/);
      // The other fields can be edited while this one is invalid; the place of the error links to it.
      await page.getByTestId('memory-0').click();
      await page.getByTestId('read_energy').fill('0.02 pJ');
      await errors.getByRole('button', { name: 'memories[2].sizes' }).click();
      await page.getByTestId('memory-panel').getByTestId('repair').click();
      await done(page);
      assert.match(await textOf(page), /read_energy: 0\.02 pJ[^]*size: 32 KiB/);

      // Invalid YAML is reported, with a link to the text.
      await writeText(page, before.replace('array:', 'array: ['));
      await page.getByTestId('hardware-as-text').click();
      assert.match(await page.getByTestId('hardware-card').innerText(), /cannot be read as fields\. Nothing is lost/);
      assert.match(await page.getByTestId('hardware-errors').innerText(), /not YAML/);
      await page.getByTestId('hardware-as-text').click();
      assert.match(await page.getByTestId('hardware-text').inputValue(), /array: \[/);
      await writeText(page, before);
      await page.getByTestId('hardware-as-text').click();
      await done(page);
    });

    await step(t, 'memories are duplicated, moved, added and removed; names are followed', async () => {
      const names = async () => [...(await textOf(page)).matchAll(/- name: (\S+)/g)].map(([, name]) => name);
      await page.getByTestId('objective').selectOption('accesses of a memory');
      await page.getByTestId('objective-memory').selectOption('sram_1MB_W');
      await page.getByTestId('memory-3').click();
      await page.getByTestId('memory-name').fill('global_W');
      await page.getByTestId('memory-name').press('Enter');
      await done(page);
      assert.equal(await page.getByTestId('objective-memory').inputValue(), 'global_W', 'what is minimised is the same memory');
      await page.getByTestId('memory-duplicate').click();
      await page.getByTestId('memory-up').click();
      const [, , , global, other, copy] = await names();
      assert.deepEqual([global, copy], ['global_W', 'global_W2']);
      assert.notEqual(other, 'global_W2');
      assert.equal(await page.getByTestId('memory-name').inputValue(), 'global_W2', 'it stays open');
      await page.getByTestId('memory-remove').click();
      await page.getByTestId('memory-panel').waitFor({ state: 'detached' });
      await page.getByTestId('memory-3').click();
      await page.getByTestId('memory-name').fill('sram_1MB_W');
      await page.getByTestId('memory-name').press('Enter');
      assert.equal(await textOf(page), before, 'the text is what it was, to the byte');
      await page.getByTestId('memory-add').click();
      await page.getByTestId('holds-W').click();
      await page.getByTestId('ports').locator('summary').click();
      await page.getByTestId('ports-state').click();
      await page.getByTestId('port-add').click();
      await page.getByTestId('serves-W.read_to_low').selectOption('rw_port_1');
      await done(page);
      assert.match(await textOf(page), /- name: sram_1MB_W[^]*- name: memory\n[^]*operands: \[I, O, W\][^]*rw_port_1: \[W\.read_to_low\]/);
    });

    await step(t, 'the keyboard alone edits a memory', async () => {
      await page.getByTestId('hardware-preset').focus();
      const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
      const tabTo = async (testid) => {
        for (let steps = 0; steps < 60 && (await focused()) !== testid; steps += 1) await page.keyboard.press('Tab');
        assert.equal(await focused(), testid);
      };
      await tabTo('memory-2');
      await page.keyboard.press('Enter');
      await page.getByTestId('holds-W').waitFor();
      await tabTo('size');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('16 KiB');
      await tabTo('memory-duplicate');
      await page.keyboard.press('Space');
      await done(page);
      assert.equal((await textOf(page)).match(/size: 16 KiB/g).length, 2);
    });
  }));

const status = (page, wanted) =>
  page.waitForFunction((wanted) => document.querySelector('[data-testid=root]').dataset.status === wanted, wanted);
const done = (page) => status(page, 'done');
const rejected = (page) => status(page, 'rejected');

/** The document's text, from the text view; then shows the form again. */
async function textOf(page) {
  await page.getByTestId('hardware-as-text').click();
  const text = await page.getByTestId('hardware-text').inputValue();
  await page.getByTestId('hardware-as-text').click();
  return text;
}

async function writeText(page, text) {
  const area = page.getByTestId('hardware-text');
  if (!(await area.isVisible())) await page.getByTestId('hardware-as-text').click();
  await area.fill(text);
}

/** Lines of one text that differ from the line at the same place in the other. */
function changed(before, after) {
  const lines = before.split('\n');
  assert.equal(after.split('\n').length, lines.length);
  return after.split('\n').filter((line, index) => line !== lines[index]);
}
