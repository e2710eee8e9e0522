// The initial design's best point in depth: highlighted everywhere, explained, in motion, with other tile sizes, and
// kept while the next one is computed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_POINTS, holdableWorkers, pickPreset, tooWide, withPage } from './harness.mjs';

test('a point of the landscape is looked at in depth', (t) =>
  withPage(async ({ page, url, step }) => {
    const figure = page.getByTestId('motion-figure');
    /** The tile and the layer in the figure. */
    const stepOf = async () => [Number(await figure.getAttribute('data-tile')), Number(await figure.getAttribute('data-node'))];
    const energy = () => page.getByTestId('opened-energy').getAttribute('data-energy-pj');
    const settled = () => page.locator('[data-testid=root][data-status=done] [data-testid=schedule-view]:not([aria-busy])').waitFor();

    await step(t, 'a point that is pointed at in a heatmap is lit there, and marked against energy and latency', async () => {
      await page.addInitScript(holdableWorkers);
      await page.goto(url + FEW_POINTS);
      await page.locator('[data-testid=root][data-status=done]').waitFor();
      const scatter = page.getByTestId('trade-off').locator('canvas');
      await scatter.waitFor();
      const map = page.locator('[data-testid^=heatmap-]').first().locator('.heatmap');
      await map.scrollIntoViewIfNeeded();
      const before = await scatter.evaluate((canvas) => canvas.toDataURL());
      const box = await map.boundingBox();
      // Over the cells, from the left, until one differs from the marked one.
      for (let x = 0.3; x < 0.9; x += 0.15) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * 0.4);
        await map.locator('.lit-parts rect').waitFor();
      }
      await page.waitForFunction((before) => document.querySelector('[data-testid=trade-off] canvas').toDataURL() !== before, before);
      await page.mouse.move(2, 2);
      await page.waitForFunction(() => !document.querySelector('.heatmap .lit-parts'));
    });

    await step(t, 'tile sizes are dragged on the landscape, with what the point costs', async () => {
      const change = page.getByTestId('tile-change');
      assert.match(await change.innerText(), /^\d+ × \d+: [\d.]+ mJ, [\d.]+ Mcycles\.$/);
      await page.getByTestId('tile-width-drag').focus();
      await page.keyboard.press('End');
      await change.getByText(/^60 × .* Energy .*(more|less|as much).* at \d+ × \d+, /).waitFor();
      await page.keyboard.press('Home');
      await change.getByText(/^4 × /).waitFor();
    });

    await step(t, 'a tile type that is pointed at is lit wherever it lies, by pointer and by keys', async () => {
      await page.getByTestId('tab-schedule').click();
      await figure.waitFor();
      const lit = (testid) => page.getByTestId(testid).locator('.lit-parts rect').first();
      const isDark = () => page.waitForFunction(() => !document.querySelector('[data-testid=schedule-view] .lit-parts rect'));
      const map = page.getByTestId('tile-types').locator('.regions');
      await map.hover({ position: { x: 120, y: 60 } });
      for (const figure of ['tile-types', 'motion-figure', 'top-memories']) await lit(figure).waitFor();
      await page.mouse.move(2, 2);
      await isDark();
      await map.focus();
      await page.keyboard.press('End');
      await lit('motion-figure').waitFor();
      await page.keyboard.press('Escape');
      await isDark();
    });

    await step(t, 'what a key pins stays lit in the form and in other views, one thing at a time', async () => {
      const part = (name) => page.locator(`.answers .regions[aria-label^="${name}:"]`);
      const pin = async (name) => {
        await part(name).focus();
        await page.keyboard.press('Home');
        assert.notEqual(await part(name).locator('[aria-live]').innerText(), '', 'the part is named');
        await page.keyboard.press('Enter');
        await part(name).blur();
      };
      await pin('accesses');
      await page.locator('.hierarchy .lit', { hasText: 'dram' }).waitFor();
      await page.getByTestId('tab-mapping').click();
      await page.mouse.move(2, 2);
      await part('memory energy').locator('svg rect').first().waitFor();
      assert.match(await page.locator('.hierarchy .lit').innerText(), /^dram/);
      await page.getByTestId('tab-schedule').click();
      await page.mouse.move(2, 2);
      await pin('tile types');
      for (const name of ['tile types', 'top memories']) await part(name).locator('svg rect').first().waitFor();
      assert.equal(await page.locator('.hierarchy .lit').count(), 0);
      await pin('tile types');
      await page.waitForFunction(() => !document.querySelector('[data-testid=schedule-view] .lit-parts rect'));
    });

    const panel = page.getByTestId('explanation');
    const ask = async (number) => {
      await number.click();
      await panel.getByTestId('explained-value').waitFor();
    };
    const close = async () => {
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
    };

    await step(t, 'the energy unfolds down to single accesses', async () => {
      await ask(page.getByTestId('opened-energy').locator('button.number'));
      const [number, unit] = (await panel.getByTestId('explained-value').innerText()).split(' ');
      const said = Number(number) * { mJ: 1e9, µJ: 1e6 }[unit];
      const shown = Number(await energy());
      assert.ok(Math.abs(said - shown) < 1e-3 * shown, `${said} is not ${shown} pJ`);
      assert.match(await panel.locator('.formula').first().innerText(), /= activations \+ weights \+ data copies \+ MACs/);
      for (const term of ['weights', 'by tile type', /^type 1 /, 'one tile', 'by layer', 'shrink', 'W level', 'words']) {
        const summary = await panel.locator('details.part:not([open]) > summary', { hasText: term }).first().elementHandle();
        await summary.click();
        await summary.waitForSelector('xpath=following-sibling::*[1]');
      }
      await panel.getByText('= transfers × instances × words at a time').waitFor();
      for (const source of [/ZigZag, Section III-B/, /DeFiNES, Section III, step 6/]) assert.match(await panel.innerText(), source);
      await close();
    });

    await step(t, 'a number is asked about with the keyboard alone, and Escape leads back to it', async () => {
      const number = page.getByTestId('opened-latency').locator('button.number').first();
      await number.focus();
      await page.keyboard.press('Enter');
      await panel.getByText('data copies', { exact: true }).waitFor();
      assert.equal(await panel.evaluate((dialog) => dialog.contains(document.activeElement)), true);
      await panel.locator('summary', { hasText: 'computing' }).first().focus();
      await page.keyboard.press('Enter');
      await panel.locator('details[open]').first().waitFor();
      await close();
      assert.equal(await number.evaluate((button) => button === document.activeElement), true);
    });

    await step(t, 'numbers of stacks, layer-tiles and copies are explained where they stand', async () => {
      await ask(page.getByTestId('stack-facts').locator('button.number').first());
      assert.match(await panel.innerText(), /= columns of tiles × rows of tiles/);
      await close();
      const computed = page.getByTestId('layer-tiles').locator('tbody tr', { hasText: 'map1' }).locator('button.number').first();
      await ask(computed);
      assert.match(await panel.innerText(), /needed by map2 − cached by the neighbour/);
      assert.equal(await panel.getByTestId('explained-value').innerText(), await computed.textContent());
      await close();
      await ask(page.getByTestId('copies').locator('button.number').first());
      assert.match(await panel.innerText(), /DeFiNES, Section III, step 4/);
      await close();
      // Every lower memory that is not used has a reason with sizes.
      assert.match(await page.getByTestId('reasons').innerText(), /needs? [\d.]+ [KM]?i?B.* room for [\d.]+ [KM]?i?B/);
    });

    await step(t, 'keys lead from layer to layer and from tile to tile', async () => {
      await page.getByTestId('motion-view').focus();
      const after = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
        return stepOf();
      };
      const last = Number(await page.getByTestId('motion-layers').getAttribute('max'));
      const tiles = Number(await page.getByTestId('motion-tiles').getAttribute('max'));
      assert.deepEqual(await after('Home'), [0, 0]);
      assert.deepEqual(await after('ArrowRight'), [0, 1]);
      assert.deepEqual(await after('ArrowDown'), [1, 1]);
      assert.deepEqual(await after('ArrowLeft', 'ArrowLeft'), [0, last], 'before the first layer of a tile is the last of the tile before');
      assert.deepEqual(await after('End'), [tiles, last]);
      assert.deepEqual(await after('ArrowRight'), [tiles, last], 'nothing comes after the last step');
    });

    await step(t, 'sliders, and a drag over a map, choose the tile', async () => {
      await page.getByTestId('motion-tiles').fill('7');
      await page.getByTestId('motion-layers').fill('2');
      assert.deepEqual(await stepOf(), [7, 2]);
      const view = page.getByTestId('motion-view');
      const y = await view.locator('canvas').evaluate((canvas) => {
        const ratio = canvas.width / canvas.clientWidth;
        const { data } = canvas.getContext('2d').getImageData(Math.round(10 * ratio), 0, 1, canvas.height);
        // The tint of earlier tiles' pixels, or the placeholder, begins at the left edge of the overview: a run of
        // opaque pixels.
        let run = 0;
        for (let row = Math.round(90 * ratio); row < canvas.height; row += 1) {
          run = data[row * 4 + 3] === 255 ? run + 1 : 0;
          if (run > 25 * ratio) return row / ratio - 5;
        }
        return -1;
      });
      assert.ok(y > 0);
      await view.evaluate((view, y) => scrollBy(0, view.getBoundingClientRect().top + y - innerHeight / 2), y);
      // The first overview is at the upper left of the maps: its left edge belongs to the first column of tiles, its
      // right edge to the last.
      const box = await view.boundingBox();
      await page.mouse.move(box.x + 8, box.y + y);
      await page.mouse.down();
      const [first] = await stepOf();
      await page.mouse.move(box.x + 70, box.y + y, { steps: 5 });
      const [second] = await stepOf();
      await page.mouse.up();
      assert.notEqual(first, 7);
      assert.ok(second > first, 'to the right is a later tile of the row');
      await page.mouse.move(box.x + 30, box.y + y);
      assert.equal((await stepOf())[0], second, 'a pointer that is up drags nothing');
    });

    await step(t, 'it plays, stops where it is told to and at its end, and its tables follow', async () => {
      const play = page.getByTestId('motion-play');
      const tiles = Number(await page.getByTestId('motion-tiles').getAttribute('max'));
      const start = await stepOf();
      await page.getByTestId('motion-view').focus();
      await page.keyboard.press(' ');
      assert.equal(await play.getAttribute('aria-pressed'), 'true');
      await page.waitForFunction(([tile, node]) => {
        const { dataset } = document.querySelector('[data-testid=motion-figure]');
        return dataset.tile !== String(tile) || dataset.node !== String(node);
      }, start);
      await page.keyboard.press(' ');
      assert.equal(await play.getAttribute('aria-pressed'), 'false');
      await page.getByTestId('motion-speed').selectOption('tiles-600');
      await page.getByTestId('motion-tiles').fill(String(tiles - 5));
      await play.click();
      await page.locator(`[data-testid=motion-figure][data-tile="${tiles}"]`).waitFor();
      await page.locator('[data-testid=motion-play][aria-pressed=false]').waitFor();
      await figure.getByText('pixels as a table').click();
      await page.getByTestId('motion-tiles').fill('0');
      await figure.locator('caption').first().getByText('Tile 1 of').waitFor({ state: 'attached' });
      await figure.getByText('pixels as a table').click();
    });

    await step(t, 'the loops of the layer at hand turn when a person asks for them', async () => {
      assert.equal(await page.getByTestId('turns-figure').count(), 0);
      await page.getByTestId('motion-layers').fill('1');
      await page.getByTestId('motion-loops').click();
      const turning = page.getByTestId('turns-view').locator('canvas');
      await turning.waitFor();
      const [first] = (await turning.getAttribute('aria-label')).split(':');
      await page.getByTestId('motion-after').click();
      await page.waitForFunction(
        (first) => !document.querySelector('[data-testid=turns-view] canvas')?.getAttribute('aria-label').startsWith(`${first}:`),
        first,
      );
      // An input of the stack is only fetched.
      await page.getByTestId('motion-layers').fill('0');
      await page.getByText('This step only fetches').waitFor();
      await page.getByTestId('motion-loops').click();
    });

    await step(t, 'tile sizes are dragged, with what changed and a way back', async () => {
      const tile = page.getByTestId('opened-tile').locator('b');
      const before = await tile.innerText();
      const slider = page.getByTestId('tile-height-drag');
      await slider.focus();
      await page.keyboard.press((await slider.inputValue()) === '0' ? 'ArrowRight' : 'ArrowLeft');
      const isOther = (before) => document.querySelector('[data-testid=opened-tile] b').innerText !== before;
      await page.waitForFunction(isOther, before);
      assert.match(await page.getByTestId('tile-change').innerText(), /^Energy .*(more|less|as much).*, latency .* at \d+ × \d+, /);
      await page.getByTestId('tile-frame').first().click();
      await tile.getByText(before, { exact: true }).waitFor();
    });

    await step(t, 'undo leaves a point in its place until the numbers of the next are there, also on a small screen', async () => {
      await page.setViewportSize({ width: 390, height: 900 });
      await settled();
      const first = await energy();
      await pickPreset(page, 'hardware', 'edge-tpu-like-df');
      await page.waitForFunction((first) => document.querySelector('[data-testid=opened-energy]')?.dataset.energyPj !== first, first);
      await settled();
      const second = await energy();
      const facts = page.getByTestId('stack-facts');
      await facts.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      const place = () => facts.evaluate((element) => [element.getBoundingClientRect().top, element.innerText]);
      const [top, text] = await place();
      await page.evaluate(() => window.hold());
      await page.keyboard.press('Control+z');
      await page.locator('[data-testid=schedule-view][aria-busy=true].old').waitFor();
      await page.waitForFunction(() => window.fusescape.state().status === 'running');
      const [then, same] = await place();
      assert.ok(Math.abs(then - top) < 1, `${top} px from the top before, ${then} px after`);
      assert.equal(same, text);
      assert.equal(await energy(), second);
      await page.evaluate(() => window.release());
      await settled();
      assert.equal(await energy(), first);
    });

    await step(t, 'it fits a small screen, also with an explanation, which stays in sight', async () => {
      assert.deepEqual(await tooWide(page), []);
      await ask(page.getByTestId('layer-tiles').locator('button.number').last());
      const box = await panel.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 900, JSON.stringify(box));
      assert.deepEqual(await tooWide(page), []);
      await close();
    });

    await step(t, 'where no point of a design fits, nothing of the one before is left', async () => {
      await page.getByTestId('hardware-as-text').click();
      const text = page.getByTestId('hardware-text');
      // Not even DRAM has space for a tile.
      await text.fill((await text.inputValue()).replace(/size: \d+ .*/g, 'size: 2 B'));
      await page.getByTestId('stack-facts').waitFor({ state: 'detached' });
      assert.equal(await page.getByTestId('opened-energy').count(), 0);
    });
  }));
