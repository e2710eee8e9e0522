// The view of attention, end to end: the page's numbers are the command line's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, bytesOf, commandLine, fileButton, violations, withPage } from '../harness.mjs';

test('a step of a transformer is what the command line says, and a link keeps it', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('attention-fusemax').click();
    await page.getByTestId('attention-model').selectOption('llama-3-8b');
    await page.getByTestId('attention-tokens').fill('512');
    await page.getByTestId('attention-bits').fill('16');
    await known(page);
    const rows = await saved(page, 'attention-step');
    const options = ['--model', 'llama-3-8b', '--hardware', 'fusemax-like', '--tokens', '512'];
    const { schedules, recomputed, best } = JSON.parse(commandLine('attention', ...options, '--format', 'json'));
    // With keys and values on the chip, no schedule recomputes them.
    const again = [recomputed].filter(Boolean).map((account) => {
      const kind = JSON.stringify(account.schedule.fusion);
      const { fusion } = schedules.find(({ best }) => JSON.stringify(best?.schedule.fusion) === kind);
      return { fusion: `${fusion}, keys recomputed`, best: account };
    });
    const shown = [...schedules, ...again].map(({ fusion, best: account }) => [
      fusion,
      account.energy_pj,
      account.latency_cycles,
    ]);
    assert.deepEqual(
      rows.map((row) => [row.schedule, row['energy [pJ]'], row['latency [cycles]']]),
      shown,
    );
    assert.equal(rows.find((row) => row.best?.startsWith('best')).schedule, best);
    assert.match(await page.getByTestId('attention-why').innerText(), /Unfused, .+ of scores go to DRAM/);
    await assertFits(page, 'attention-view');

    // A link keeps the choices.
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await known(page);
    assert.equal(await page.getByTestId('attention-model').inputValue(), 'llama-3-8b');
    assert.equal(await page.getByTestId('attention-tokens').inputValue(), '512');
    assert.deepEqual(await saved(page, 'attention-step'), rows);
  }));

test('the headline names the block that is run, and the picture follows it, unless attention by itself is chosen', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('attention-fusemax').click();
    await page.getByTestId('attention-model').selectOption('bert-base');
    await page.getByTestId('attention-tokens').fill('512');
    await known(page);
    const best = await page.getByTestId('attention-best').locator('b').innerText();
    assert.match(best, /^queries, .*attention, .*in one block$/);
    const options = ['--model', 'bert-base', '--hardware', 'fusemax-like', '--tokens', '512', '--bits', '8'];
    const report = commandLine('attention', ...options);
    assert.ok(report.includes(`Best: ${best}.`), report);
    assert.ok(report.includes(await page.getByTestId('attention-block').innerText()), report);

    const motion = page.locator('[data-testid=attention-motion][data-status=done]');
    await motion.getByText('This is the block that is run').waitFor();
    const story = page.getByTestId('attention-motion-story');
    await page.getByTestId('attention-motion-view').focus();
    await page.keyboard.press('Home');
    await story.getByText(/the queries of all heads are computed/).waitFor();
    await page.keyboard.press('End');
    await story.getByText(/have not left the chip. What follows is computed of them: output projection/).waitFor();
    await motion.getByText('all steps together').click();
    await motion.getByText('block of a layer').first().waitFor();
    assert.deepEqual(await violations(page), []);
    await assertFits(page, 'attention-view');

    await page.getByTestId('attention-kind').selectOption({ label: 'attention by itself, the best' });
    await motion.getByText('This is attention by itself').waitFor();
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await motion.getByText('This is attention by itself').waitFor();
    assert.equal(await page.getByTestId('attention-kind').inputValue(), 'alone');
  }));

test('a state-space model has no attention, and takes a vector unit', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await known(page);
    await page.getByTestId('attention-model').selectOption('mamba-130m');
    await page.getByTestId('attention-diagnostics').getByText(/take a vector unit/).waitFor();
    await page.getByTestId('attention-fusemax').click();
    await known(page);
    const parts = page.getByTestId('attention-step').locator('.parts > .scroll');
    await parts.getByText(/selective scan/).first().waitFor();
    assert.equal(await page.getByTestId('attention-energy').count(), 0);
    assert.equal(await page.getByTestId('attention-published').count(), 0);
    await page.locator('[data-testid=attention-generation][data-status=done]').waitFor();
    await assertFits(page, 'attention-view');
  }));

test('a step is divided among cores as the command line says, and a link keeps the cores', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('attention-fusemax').click();
    await page.getByTestId('attention-tokens').fill('1');
    await page.getByTestId('attention-cached').fill('255');
    await page.getByTestId('attention-link-width').fill('64');
    await known(page);
    const divided = page.locator('[data-testid=attention-cores][data-status=done]');
    await divided.waitFor();
    const options = ['--model', 'gpt2-small', '--hardware', 'fusemax-like', '--tokens', '1', '--cached', '255', '--bits', '8'];
    const cores = ['--cores', '4', '--link-width', '64', '--link-energy', '0.2'];
    const { one_core, divided: all, not_divided } = JSON.parse(commandLine('attention', ...options, ...cores, '--format', 'json'));
    const rows = await saved(page, 'attention-cores');
    assert.deepEqual(
      rows.map((row) => [row['latency [cycles]'], row['energy [pJ]'], row['cores']]),
      [one_core, ...all].map((cost, index) => [cost.latency_cycles, cost.energy_pj, index === 0 ? 1 : 4]),
    );
    assert.ok(all.length >= 5 && not_divided.length >= 3, `${all.length}, ${not_divided.length}`);
    assert.match(await page.getByTestId('attention-cores-best').innerText(), /Fastest.+ times as fast as one core/);
    await divided.getByText(`${not_divided.length} ways that there are not here`).waitFor();
    await assertFits(page, 'attention-view');
    // A link keeps the cores.
    const before = await page.evaluate(() => location.href);
    await page.getByTestId('attention-cores-count').fill('2');
    await page.waitForFunction((before) => location.href !== before, before);
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await divided.waitFor();
    assert.equal(await page.getByTestId('attention-cores-count').inputValue(), '2');
    assert.equal(await page.getByTestId('attention-link-width').inputValue(), '64');
    // An invalid number of cores is reported beside the card, and everything else stays.
    await page.getByTestId('attention-cores-count').fill('65');
    await page.getByTestId('attention-cores-diagnostics').getByText('There are 65 cores').waitFor();
    await page.getByTestId('attention-step').waitFor();
  }));

test('attention moves step by step, by keys, by play and in the tiles of the heatmap, which a link keeps', () =>
  withPage(async ({ page, url }) => {
    await open(page, url);
    await page.getByTestId('attention-fusemax').click();
    await page.getByTestId('attention-tokens').fill('256');
    await known(page);
    const motion = page.locator('[data-testid=attention-motion][data-status=done]');
    await motion.waitFor();
    await page.getByTestId('attention-kind').selectOption({ label: 'queries stay, one pass' });
    await page.locator('[data-testid=attention-tiles-card][data-status=done]').waitFor();
    const cells = page.getByTestId('attention-tiles').locator('canvas');
    await cells.scrollIntoViewIfNeeded();
    const box = await cells.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await motion.getByText(/in tiles of \d+ queries and \d+ keys/).waitFor();
    const tiles = await motion.getByText(/in tiles of \d+ queries/).innerText();

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
    assert.match(await page.getByTestId('attention-motion-story').innerText(), /The first tile sets the maximum/);
    await page.getByTestId('attention-motion-play').click();
    await page.waitForFunction(() => Number(document.querySelector('[data-testid=attention-motion-figure]').dataset.step) > 1);
    // The sums over steps equal the account: DRAM of all steps, by tensor.
    await motion.getByText('all steps together').click();
    await motion.locator('details[open] table').first().waitFor();
    assert.deepEqual(await violations(page), []);
    // The click on the heatmap has reached the address by now.
    const link = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(link);
    await motion.getByText(/in tiles of \d+ queries/).waitFor();
    assert.equal(await motion.getByText(/in tiles of \d+ queries/).innerText(), tiles);
    // The list, for use without a pointer, also selects a pair.
    const list = page.getByTestId('attention-pair');
    assert.equal(await list.locator('option:checked').innerText().then((text) => text.split(':')[0].replaceAll(/[^\d,]/g, '')), tiles.match(/\d+/g).join(','));
    await list.selectOption({ index: 1 });
    const pair = await list.inputValue();
    await motion.getByText(`in tiles of ${pair.split(' ')[0]} queries and ${pair.split(' ')[1]} keys`).waitFor();
    await page.getByTestId('attention-best-tiles').click();
    await motion.getByText(/in tiles of \d+ queries/).waitFor({ state: 'detached' });
  }));

for (const width of [390, 1440]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`the view of attention fits ${width} px, ${colorScheme}`, () =>
      withPage(
        async ({ page, url }) => {
          await open(page, url);
          await known(page);
          await page.locator('[data-testid=attention-generation][data-status=done]').waitFor();
          await assertFits(page, 'attention-view');
        },
        { viewport: { width, height: 900 }, colorScheme },
      ));
  }
}

async function open(page, url) {
  await page.goto(url);
  await page.getByTestId('tab-attention').click();
}

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
