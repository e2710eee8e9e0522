// The first minute: three automatic demonstrations, terms with glossary entries, the reason why the best point beats
// its neighbours, and drags.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdableWorkers, violations, withPage } from './harness.mjs';

const settled = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();

test('the first minute', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.addInitScript(holdableWorkers);
    await page.goto(url);
    await settled(page);

    await step(t, 'a click shrinks the memory step by step, says what that changes, and one undo takes it back', async () => {
      const box = page.locator('.hierarchy button', { hasText: 'sram_64KB' });
      await page.getByTestId('try-shrink').click();
      await box.getByText('16 KiB').waitFor();
      await settled(page);
      await page.getByTestId('kpi-best').getByTestId('change').waitFor();
      assert.match(await page.getByTestId('kpi-best').innerText(), /[\d.]+ % more than before/);
      const frames = page.getByTestId('film-frame');
      assert.equal(await frames.count(), 2);
      assert.match(await frames.nth(1).innerText(), /sram_64KB size: 64 KiB → 16 KiB/);
      // The whole drag is one edit.
      await page.keyboard.press('Control+z');
      await box.getByText('64 KiB').waitFor();
      await settled(page);
      // The filmstrip returns to it.
      await frames.nth(1).click();
      await box.getByText('16 KiB').waitFor();
      await page.locator('[data-testid=film-frame][aria-current=true]', { hasText: '16 KiB' }).waitFor();
      assert.deepEqual(await violations(page), []);
      // Neighbours of the previous point are not shown as current, however long these take.
      await page.evaluate(() => window.hold());
      await page.getByTestId('undo').click();
      await box.getByText('64 KiB').waitFor();
      await page.locator('[data-testid=neighbours][aria-busy=true] li').first().waitFor();
      await page.evaluate(() => window.release());
      await settled(page);
    });

    await step(t, 'every neighbour of the best point says in a sentence what changes towards it', async () => {
      const rows = page.locator('[data-testid=neighbours] li');
      await page.locator('[data-testid=neighbours]:not([aria-busy])').waitFor();
      // The best point is inside of the grid: four tile sizes, two modes, two fuse depths; a single stack has no cut to
      // remove.
      assert.equal(await rows.count(), 9);
      for (const text of await rows.allInnerTexts()) assert.match(text, /(as much|more|less) energy.*\n+.+\./s);
      assert.match(await rows.nth(1).innerText(), /wider tile, 16 × 72[^]*does not fit into sram_64KB/);
      await rows.nth(1).getByRole('button').first().click();
      await page.getByTestId('opened-tile').getByText('16 × 72').waitFor();
    });

    // The opened point is not the best any more.
    await page.getByTestId('open-best').click();
    await page.getByTestId('tab-landscape').click();

    await step(t, 'the strip of top memories says why data lies where it lies, and lights up with the graph and the memories', async () => {
      const why = page.getByTestId('why-there');
      await why.waitFor();
      const first = await why.innerText();
      await page.getByTestId('layer-4').hover();
      await page.locator('[data-testid=layer-4].lit').waitFor();
      await why.getByText('I of map2').waitFor();
      await page.mouse.move(2, 2);
      await why.getByText(first.split(':')[0]).waitFor();
      const figure = page.getByTestId('point-memories-figure').locator('canvas');
      const { width, height } = await figure.boundingBox();
      await figure.hover({ position: { x: width * 0.5, y: height * 0.45 } });
      assert.equal(await page.locator('.hierarchy .lit').count(), 1);
      assert.equal(await page.locator('.graph .lit').count(), 1);
    });

    await step(t, 'a term opens its entry beside it by keys, and the help sheet lists all of them', async () => {
      const term = page.getByTestId('first-minute').getByRole('button', { name: 'WACO' });
      await term.focus();
      await page.keyboard.press('Enter');
      const entry = page.getByTestId('term-entry');
      await entry.getByText('Stream, Section 5.4').waitFor();
      const [at, of] = [await entry.boundingBox(), await term.boundingBox()];
      assert.ok(Math.abs(at.x - of.x) < 460 && (at.y >= of.y || at.y + at.height <= of.y + of.height), JSON.stringify([at, of]));
      assert.deepEqual(await violations(page, '[data-testid=term-entry]'), []);
      await entry.getByRole('button', { name: 'steady state' }).click();
      await entry.getByText('the iteration that a stack repeats').waitFor();
      await page.keyboard.press('Escape');
      await entry.waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByTestId('find-term').fill('overlap storing');
      assert.equal(await page.locator('[data-testid=glossary] dt').count(), 1);
      await page.keyboard.press('Escape');
    });

    await step(t, 'the best of one cut more opens with a click, and leads back by one cut fewer', async () => {
      const neighbours = page.locator('[data-testid=neighbours]:not([aria-busy])');
      const more = neighbours.getByRole('button', { name: /^one cut more, after / });
      const layer = /after (.*)$/.exec(await more.innerText())[1];
      await neighbours.getByText('The best of 7.').waitFor();
      await more.click();
      await page.getByTestId('network-facts').getByText('in 2 stacks').waitFor();
      const fewer = neighbours.getByRole('button', { name: `one cut fewer, none after ${layer}` });
      await neighbours.getByText('The only one.').waitFor();
      await fewer.click();
      await page.getByTestId('network-facts').getByText('in one stack').waitFor();
      await page.getByTestId('undo').click();
      await page.getByTestId('undo').click();
    });

  }));

test('the first steps are closed for good', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await settled(page);
    await page.getByTestId('first-minute-close').click();
    assert.equal(await page.getByTestId('first-minute').count(), 0);
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('schedule-view').waitFor();
    await page.getByTestId('tab-landscape').click();
    await page.getByTestId('answer').waitFor();
    assert.equal(await page.getByTestId('first-minute').count(), 0);
  }));

test('a slider drags a figure by keys, and the best point stays in sight meanwhile', () =>
  withPage(
    async ({ page, url }) => {
      await page.goto(url);
      await settled(page);
      const box = page.locator('.hierarchy button', { hasText: 'sram_64KB' });
      await box.click();
      const slider = page.getByTestId('size-drag');
      assert.equal(await slider.getAttribute('aria-valuetext'), '64 KiB');
      await slider.press('ArrowLeft');
      await slider.press('ArrowLeft');
      await box.getByText('32 KiB').waitFor();
      assert.equal(await slider.getAttribute('aria-valuetext'), '32 KiB');
      await page.getByTestId('readout').getByText('than before').waitFor();
      assert.ok(await page.getByTestId('readout').isVisible());
      await page.getByTestId('undo').click();
      await box.getByText('64 KiB').waitFor();
    },
    { viewport: { width: 390, height: 844 } },
  ));
