// The view of attention, end to end: the page's numbers are the command line's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_COMPARE, assertFits, bytesOf, commandLine, fileButton, violations, withPage } from './harness.mjs';

test('the layers of a transformer are scheduled, moved step by step, and generated', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.goto(url + SMALL_COMPARE);
    await page.getByTestId('tab-attention').click();
    await page.getByTestId('attention-tokens').fill('128');
    await page.getByTestId('attention-generated').fill('16');
    await page.getByTestId('attention-fusemax').click();
    await known(page);
    const motion = page.locator('[data-testid=attention-motion][data-status=done]');

    await step(t, 'a step is what the command line says', async () => {
      const rows = await saved(page, 'attention-step');
      const options = ['--model', 'gpt2-small', '--hardware', 'fusemax-like', '--tokens', '128', '--bits', '8'];
      const { schedules, recomputed, best } = JSON.parse(commandLine('attention', ...options, '--format', 'json'));
      // With keys and values on the chip, no schedule recomputes them.
      const again = [recomputed].filter(Boolean).map((account) => {
        const kind = JSON.stringify(account.schedule.fusion);
        const { fusion } = schedules.find(({ best }) => JSON.stringify(best?.schedule.fusion) === kind);
        return { fusion: `${fusion}, keys recomputed`, best: account };
      });
      const costs = [...schedules, ...again].map(({ fusion, best: account }) => [fusion, account.energy_pj, account.latency_cycles]);
      assert.deepEqual(rows.map((row) => [row.schedule, row['energy [pJ]'], row['latency [cycles]']]), costs);
      assert.equal(rows.find((row) => row.best?.startsWith('best')).schedule, best);
    });

    await step(t, 'attention moves step by step, by keys and in the tiles of the heatmap', async () => {
      await page.getByTestId('attention-kind').selectOption({ label: 'queries stay, one pass' });
      await page.locator('[data-testid=attention-tiles-card][data-status=done]').waitFor();
      const cells = page.getByTestId('attention-tiles').locator('canvas');
      await cells.scrollIntoViewIfNeeded();
      const box = await cells.boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      const told = motion.getByText(/in tiles of \d+ queries and \d+ keys/);
      await told.waitFor();
      const tiles = await told.innerText();
      // The list, for use without a pointer, has the same pair selected, and can select another.
      const list = page.getByTestId('attention-pair');
      const chosen = await list.locator('option:checked').innerText();
      assert.equal(chosen.split(':')[0].replaceAll(/[^\d,]/g, ''), tiles.match(/\d+/g).join(','));
      await list.selectOption({ index: 1 });
      const [queries, keys] = (await list.inputValue()).split(' ');
      await motion.getByText(`in tiles of ${queries} queries and ${keys} keys`).waitFor();
      await page.getByTestId('attention-best-tiles').click();
      // Until the best tiles are followed, the previous figure is shown, and would lose its step.
      await page.getByTestId('attention-best-tiles').waitFor({ state: 'detached' });
      await motion.waitFor();

      const becomes = (step) => page.locator(`[data-testid=attention-motion-figure][data-step="${step}"]`).waitFor();
      await page.getByTestId('attention-motion-view').focus();
      await page.keyboard.press('End');
      const last = await page.getByTestId('attention-motion-steps').getAttribute('max').then(Number);
      assert.ok(last > 2, `${last + 1} steps`);
      await becomes(last);
      await page.keyboard.press('Home');
      await becomes(0);
      await page.keyboard.press('ArrowRight');
      await becomes(1);
      await page.getByTestId('attention-motion-before').click();
      await becomes(0);
      await page.getByTestId('attention-motion-play').click();
      await page.waitForFunction(() => Number(document.querySelector('[data-testid=attention-motion-figure]').dataset.step) > 1);
      await page.getByTestId('attention-motion-play').click();
      await page.getByTestId('attention-motion-view').focus();
      await page.keyboard.press('Home');
      await becomes(0);
      assert.match(await page.getByTestId('attention-motion-story').innerText(), /The first tile sets the maximum/);
      // The sums over steps equal the account: DRAM of all steps, by tensor.
      await motion.getByText('all steps together').click();
      await motion.locator('details[open] table').first().waitFor();
      assert.deepEqual(await violations(page, '[data-testid=attention-motion]'), []);
    });

    await step(t, 'a decoder generates with a cache', async () => {
      const generation = page.locator('[data-testid=attention-generation][data-status=done]');
      await generation.waitFor();
      assert.equal(await generation.locator('> .scroll tbody tr').count(), 4);
      await page.getByTestId('generation-energy').waitFor();
      await page.getByTestId('generation-roofline').waitFor();
      await page.getByTestId('attention-chunk').fill('64');
      await generation.filter({ hasText: '64 at a time' }).waitFor();
    });

    await step(t, 'fields that make no sense are told all at once, and what was known stays', async () => {
      // An invalid number of cores is reported beside their card.
      await page.getByTestId('attention-cores-count').fill('65');
      await page.getByTestId('attention-cores-diagnostics').getByText('There are 65 cores').waitFor();
      await page.getByTestId('attention-cores-count').fill('2');
      await page.locator('[data-testid=attention-cores][data-status=done]').waitFor();
      await page.getByTestId('attention-cores-best').getByText(/Fastest.+ times as fast as one core/).waitFor();

      await page.getByTestId('attention-tokens').fill('many');
      await page.getByTestId('attention-bits').fill('8 8');
      const list = page.getByTestId('attention-diagnostics');
      await list.getByText('many is no number').first().waitFor();
      await list.getByText('neither one number of bits nor four').first().waitFor();
      assert.equal(await page.getByTestId('attention-tokens').getAttribute('aria-invalid'), 'true');
      await page.getByTestId('attention-step').waitFor();
      // An impossible shape is rejected by the engine.
      await page.getByTestId('attention-tokens').fill('0');
      await page.getByTestId('attention-bits').fill('8');
      await page.locator('[data-testid=attention-view][data-status=rejected]').waitFor();
      await list.getByText('The size is 0').first().waitFor();
    });

    await step(t, 'an encoder generates nothing, and the picture is of the block that is run', async () => {
      await page.getByTestId('attention-model').selectOption('bert-base');
      await page.getByTestId('attention-tokens').fill('256'); // the shortest that is published
      await known(page);
      await page.getByTestId('attention-generation').waitFor({ state: 'detached' });
      await page.getByTestId('attention-kind').selectOption({ index: 0 });
      await motion.getByText('This is the block that is run').waitFor();
      const best = await page.getByTestId('attention-best').locator('b').innerText();
      assert.match(best, /^queries, .*attention, .*in one block$/);
      const published = page.locator('[data-testid=attention-published][data-status=done]');
      await published.waitFor();
      assert.equal(await published.locator('> .scroll tbody tr').count(), 5);
      await assertFits(page, 'attention-view');
      await page.getByTestId('attention-kind').selectOption({ label: 'attention by itself, the best' });
      await motion.getByText('This is attention by itself').waitFor();
    });

    await step(t, 'a state-space model has no attention', async () => {
      await page.getByTestId('attention-model').selectOption('mamba-130m');
      await known(page);
      await page.getByTestId('attention-step').locator('.parts > .scroll').getByText(/selective scan/).first().waitFor();
      assert.equal(await page.getByTestId('attention-energy').count(), 0);
      assert.equal(await page.getByTestId('attention-published').count(), 0);
    });
  }));

function known(page) {
  return page.locator('[data-testid=attention-view][data-status=done]').waitFor();
}

/** The first table of a part of the view, as saved. */
async function saved(page, testid) {
  const table = page.getByTestId(testid).locator('> .scroll').first();
  const button = await fileButton(table, 'json');
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return JSON.parse(String(await bytesOf(download)));
}
