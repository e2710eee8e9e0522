// From a published number to the mapping behind it: an entry of the gallery, its mapping, one made by hand beside it,
// and its loops as they turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_POINTS, tooWide, withPage } from './harness.mjs';

test('a published mapping is opened, compared with the best, changed, constrained and explained', (t) =>
  withPage(async ({ page, url, step }) => {
    const view = page.getByTestId('mapping-view');
    const source = page.getByTestId('mapping-source');
    /** Waits for the cost of a mapping with this description of its origin. */
    const settled = async (words) => {
      await source.getByText(words).waitFor();
      await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
    };
    /** Energy in pJ and latency in cycles of the shown mapping. */
    const costs = async () => {
      const number = async (what, attribute) => Number(await page.getByTestId(`mapping-${what}`).getAttribute(attribute));
      return [await number('energy', 'data-energy-pj'), await number('latency', 'data-latency-cycles')];
    };
    let best;

    await step(t, 'the gallery is filtered by paper and by how close its numbers are', async () => {
      await page.goto(url + FEW_POINTS);
      await page.getByTestId('tab-gallery').click();
      const cards = page.locator('[data-testid^=entry-]');
      await cards.first().waitFor();
      const all = await cards.count();
      await page.getByTestId('gallery-paper').selectOption('Optimus');
      const ofOptimus = await cards.count();
      const papers = await cards.locator('.entry-head + .hint').allInnerTexts();
      assert.ok(ofOptimus > 0 && ofOptimus < all && papers.every((place) => place.startsWith('Optimus, ')), papers.join('; '));
      await page.getByText(`${ofOptimus} of ${all} entries`).waitFor();
      await page.getByTestId('gallery-numbers').selectOption('departs');
      for (const summary of await cards.locator('summary').allInnerTexts()) assert.match(summary, /\d+ departs/);
      await page.getByTestId('gallery-paper').selectOption('');
      await page.getByTestId('gallery-numbers').selectOption('');
      assert.equal(await cards.count(), all);
    });

    await step(t, 'the numbers of an entry are computed when it is opened, and stand beside the published ones', async () => {
      const entry = page.getByTestId('entry-zigzag-fig-6');
      await entry.locator('summary').click();
      await page.locator('[data-testid=entry-zigzag-fig-6][data-status=done]').waitFor();
      const count = await entry.locator('table.wrapped tbody tr:has(th)').count();
      const said = await entry.getByTestId('published-and-ours').locator('canvas').getAttribute('aria-label');
      assert.match(said, new RegExp(`${count} published numbers, ours beside ${count} of them`));
    });

    await step(t, 'an entry opens the mapping that it is about, by keyboard; from there it is one click to the best', async () => {
      await page.getByTestId('open-zigzag-fig-6').focus();
      await page.keyboard.press('Enter');
      await page.getByTestId('design').getByText('Eyeriss-like').waitFor();
      await page.getByTestId('loop-information').waitFor();
      assert.equal(await page.getByTestId('mapping-layer').inputValue(), 'conv2');
      // The landscape beneath is at rest, and moves nothing any more.
      await page.locator('[data-testid=root][data-status=done]').waitFor();
      await page.getByRole('button', { name: 'Back to the best' }).click();
      await settled('that the search finds');
      best = await costs();
      assert.match(await page.getByTestId('mapping-proof').innerText(), /^Proved optimal: no order of the loops/);
      for (const figure of ['loop-nest', 'loop-effect', 'memory-energy', 'port-stalls']) await assertDrawn(page, figure);
    });

    await step(t, 'an edit is costed beside the best, is never called done before it is, and is taken back and made again', async () => {
      // All texts of the view, in order.
      await view.evaluate(() => {
        const said = () => {
          const view = document.querySelector('[data-testid=mapping-view]');
          const source = view.querySelector('[data-testid=mapping-source]').textContent;
          const loops = view.querySelector('[data-testid=loop-editor]').textContent;
          return { status: view.dataset.status, source, loops };
        };
        window.told = [said()];
        const monitor = { subtree: true, childList: true, attributes: true, characterData: true };
        window.watched = new MutationObserver(() => window.told.push(said()));
        window.watched.observe(document.body, monitor);
      });
      const turning = await page.getByTestId('turns-view').locator('canvas').getAttribute('aria-label');
      await page.getByTestId('lower-I-0').click();
      await settled('of your own');
      const told = await page.evaluate(() => (window.watched.disconnect(), window.told));
      const first = told.find(({ loops }) => loops !== told[0].loops);
      assert.equal(first?.status, 'running', JSON.stringify(first));
      assert.match(first.source, /is being worked out/);
      // The loops are those of the mapping made by hand.
      await page.waitForFunction((told) => document.querySelector('[data-testid=turns-view] canvas').getAttribute('aria-label') !== told, turning);
      const worse = await costs();
      assert.ok(worse[0] > best[0], `${worse[0]} pJ are not more than ${best[0]}`);
      assert.match(await page.getByTestId('mapping-energy').innerText(), /% above the best/);

      await page.getByTestId('undo').click();
      await settled('that the search finds');
      assert.deepEqual(await costs(), best);
      await page.getByTestId('redo').click();
      await settled('of your own');
      assert.deepEqual(await costs(), worse);
      await page.getByTestId('mapping-reset').click();
      await settled('that the search finds');
      assert.deepEqual(await costs(), best);
    });

    const loops = () => page.evaluate(() => [...document.querySelectorAll('[data-loop] th')].map((loop) => loop.textContent).reverse());
    const become = (wanted) =>
      page.waitForFunction(
        (wanted) => [...document.querySelectorAll('[data-loop] th')].reverse().every((loop, place) => loop.textContent === wanted[place]),
        wanted,
      );

    await step(t, 'loops move by keyboard and by a drag; dropped outside, nothing changes', async () => {
      const before = await loops();
      const [first, second, third, ...rest] = before;
      assert.notEqual(first, second);
      await page.getByTestId('loop-0').focus();
      await page.keyboard.press('Alt+ArrowUp');
      await page.waitForFunction((name) => document.activeElement.textContent === name && document.activeElement.id === 'loop-1', first);
      await settled('of your own');
      await page.keyboard.press('Control+z');
      await become(before);
      // Results that arrive late may move a loop from under the pointer.
      await settled('that the search finds');

      await drag(page, page.getByTestId('loop-0'), page.getByTestId('loop-2'));
      await become([second, third, first, ...rest]);
      await page.getByTestId('undo').click();
      await become(before);
      await settled('that the search finds');
      await drag(page, page.getByTestId('loop-0'), source);
      assert.deepEqual(await loops(), before);
    });

    await step(t, 'a nest that does not fit is shown with what is wrong, and called neither best nor proved', async () => {
      // The weights' spad cannot hold all loops.
      const outermost = (await loops()).length - 1;
      await drag(page, page.locator('[data-testid^=drag-end-1-]').last(), page.getByTestId(`loop-${outermost}`));
      await page.getByTestId('mapping-flaws').getByText('spad_W has 448 B').waitFor();
      assert.match(await source.innerText(), /not valid, so it has no cost/);
      assert.equal(await page.getByTestId('mapping-proof').count(), 0);
      assert.match(await page.getByTestId('loop-nest').locator('canvas').getAttribute('aria-label'), /Too small: .*spad_W/);
      await page.getByTestId('undo').click();
      await settled('that the search finds');
    });

    await step(t, 'constraints are written and searched exactly, their mistakes are said at once, and they are let go', async () => {
      await page.getByTestId('keep-order').click();
      await settled('The best mapping under your constraints. Proved optimal');
      const [kept] = await costs();
      assert.ok(Math.abs(kept / best[0] - 1) < 1e-9, `${kept} pJ, ${best[0]} pJ`);
      const text = page.getByTestId('constraints-text');
      const order = 'name: Mine\nlayers: [{ layer: conv2, order: [OX any, rest, C any] }]\n';
      await text.fill(order);
      await page.getByTestId('loop-0').getByText(/^OX/).waitFor();
      await settled('under your constraints');
      const [constrained] = await costs();
      assert.ok(constrained > best[0], `${constrained} pJ are not more than the best, ${best[0]} pJ`);

      await text.fill(order.replace('OX any', 'M any').replace('conv2', 'conv22'));
      const wrong = page.getByTestId('constraint-errors');
      for (const words of ['There is no loop dimension M', 'The network computes no layer conv22', 'Did you mean']) {
        await wrong.getByText(words).first().waitFor();
      }
      await settled('so this is the best mapping without them');
      assert.deepEqual(await costs(), best);
      await page.getByTestId('unconstrain').click();
      await settled('that the search finds');
      assert.deepEqual(await costs(), best);

      await page.getByTestId('even-only').click();
      await settled('The best mapping under your constraints. Proved optimal');
      const stationary = await costs();
      await text.fill((await text.inputValue()).replace('even: stationary', 'even: strict'));
      await page.waitForFunction(
        (pj) => Number(document.querySelector('[data-testid=mapping-energy]')?.dataset.energyPj) > 1.05 * pj,
        stationary[0],
      );
      await page.getByTestId('unconstrain').click();
      await settled('that the search finds');
    });

    await step(t, 'the loops turn by keys, by the slider, at another depth, and play to their end', async () => {
      const figure = page.getByTestId('turns-figure');
      const at = async () => Number(await figure.getAttribute('data-step'));
      const steps = Number(await figure.getAttribute('data-steps'));
      assert.ok(steps > 1 && steps <= 1000, `${steps} steps`);
      await page.getByTestId('turns-view').focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await at(), 1);
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowRight');
      assert.equal(await at(), steps - 1, 'nothing comes after the last step');
      await page.getByTestId('turns-steps').fill('7');
      assert.equal(await at(), 7);
      // With one more loop per step the number of steps changes, and the same iteration stays.
      await page.getByTestId('turns-depth').selectOption(String(Number(await figure.getAttribute('data-depth')) - 1));
      const more = Number(await figure.getAttribute('data-steps'));
      assert.equal(await at(), 7 * (more / steps));
      await page.getByTestId('turns-speed').selectOption('steps-1000');
      await page.getByTestId('turns-steps').fill(String(more - 5));
      await page.getByTestId('turns-play').click();
      await page.locator(`[data-testid=turns-figure][data-step="${more - 1}"]`).waitFor();
      await page.locator('[data-testid=turns-play][aria-pressed=false]').waitFor();
    });

    await step(t, 'a memory that is pointed at in a chart is lit in hierarchy, nest and document; so is what the caret is in', async () => {
      await page.getByTestId('hardware-as-text').click();
      const lit = page.getByTestId('hardware-card').locator('.lit');
      const inNest = page.getByTestId('loop-nest').locator('.lit-parts rect').first();
      assert.equal(await lit.count(), 0);
      const chart = page.getByTestId('memory-energy').locator('.regions');
      await chart.focus();
      await page.keyboard.press('ArrowRight');
      await lit.first().waitFor();
      await inNest.waitFor();
      assert.equal(await page.locator('textarea.document.lit').count(), 1, 'the lines of the document');
      await page.keyboard.press('Enter');
      await page.getByTestId('mapping-layer').focus();
      assert.ok((await lit.count()) > 0, 'it stays lit when the focus goes');
      await chart.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => !document.querySelector('[data-testid=hardware-card] .lit'));

      const area = page.getByTestId('hardware-card').locator('textarea.document');
      await area.evaluate((area) => {
        const at = area.value.indexOf('- name: dram');
        area.focus();
        area.setSelectionRange(at, at);
      });
      await page.keyboard.press('ArrowRight');
      await inNest.waitFor();
      await area.evaluate((area) => area.blur());
      await page.waitForFunction(() => !document.querySelector('[data-testid=loop-nest] .lit-parts rect'));
      await page.getByTestId('hardware-as-text').click();
    });

    await step(t, 'a number unfolds into the formula behind it', async () => {
      const sizes = page.getByTestId('loop-information').locator('table').last().locator('tr', { hasText: 'data size in a unit' });
      const size = sizes.locator('button.number').last();
      await size.click();
      const panel = page.getByTestId('explanation');
      const value = await panel.getByTestId('explained-value').innerText();
      assert.equal(value.replace(' elements', ''), await size.textContent());
      assert.match(await panel.innerText(), /ZigZag, Section III-B and Table III/);
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
    });

    await step(t, 'other unrollings are searched, and one is taken and given back', async () => {
      const card = page.getByTestId('unrollings');
      await card.locator('summary').click();
      await page.locator('[data-testid=unrollings][data-status=done]').waitFor();
      const first = card.locator('tbody tr').first();
      const [unrolled, energy] = [await first.locator('th').innerText(), await first.locator('td').nth(1).innerText()];
      await first.getByRole('button').click();
      await page.getByTestId('unrolling-reset').waitFor();
      await page.locator('.layer-picker').getByText(`unrolled ${unrolled}`).waitFor();
      await page.getByTestId('mapping-energy').getByText(energy, { exact: true }).waitFor();
      await page.getByTestId('unrolling-reset').click();
      await page.locator('.layer-picker').getByText('unrolled FY 5 × OY 2 over rows (12)').waitFor();
      await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
      assert.deepEqual(await costs(), best);
    });

    await step(t, 'it fits a small screen', async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      assert.deepEqual(await tooWide(page), []);
    });
  }));

async function drag(page, from, to) {
  await from.scrollIntoViewIfNeeded();
  await from.hover();
  await page.mouse.down();
  await to.hover({ force: true });
  await page.mouse.up();
}

/** Checks that the figure's canvas is not empty, described in words and numbers, and available as a table. */
async function assertDrawn(page, figure) {
  const canvas = page.getByTestId(figure).locator('canvas');
  const colors = await canvas.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colors > 3, `${figure} is empty`);
  assert.ok((await canvas.getAttribute('aria-label')).length > 20, `${figure} is not described`);
  // Large tables are built when opened, and removed when closed: thousands of cells slow axe down.
  const twin = page.getByTestId(figure).locator('summary');
  await twin.click();
  await page.getByTestId(figure).locator('tbody tr').first().waitFor();
  await twin.click();
}
