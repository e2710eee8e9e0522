// What ends from outside or runs full: workers that the browser ends without a word, memory, storage.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WWW, withPage } from './harness.mjs';

const done = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();

/** Ends all workers from inside, of which nobody is told, once so many of them are busy: the lock of one that is still starting is not its own yet. */
async function endAll(page, busy) {
  await page.waitForFunction((busy) => window.fusescape.busy() >= busy, busy);
  await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.close()).catch(() => {})));
}

test('workers that end during a sweep are replaced, and the sweep is finished', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    const cells = () => page.getByTestId('heatmap-fully-cached').locator('canvas').first().evaluate((canvas) => canvas.toDataURL());
    const expected = await cells();
    // So many that the sweep still runs when the workers end.
    await page.getByTestId('tiles-x').fill(Array.from({ length: 200 }, (_, index) => index + 1).join(' '));
    const count = await page.evaluate(() => window.fusescape.workers());
    assert.ok(count > 0);
    await endAll(page, count);
    await page.getByTestId('notices').getByText(/Worker \d failed \(the browser has ended it, perhaps for want of memory\)/).first().waitFor();
    await done(page);
    assert.equal(await page.evaluate(() => window.fusescape.workers()), count);
    const { points, pointsDone } = await page.evaluate(() => window.fusescape.state());
    assert.equal(pointsDone, points);
    await page.getByTestId('undo').click();
    await done(page);
    assert.equal(await cells(), expected);
  }));

test('a worker that ends over the question of a view is replaced, and the question asked again', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    let released;
    const isReleased = new Promise((release) => (released = release));
    const asked = [];
    await page.context().route('**/split_answers.wasm', async (route) => {
      asked.push(route.request());
      await isReleased;
      await route.continue().catch(() => {});
    });
    const request = page.context().waitForEvent('request', (request) => request.url().endsWith('split_answers.wasm'));
    await page.getByTestId('tab-mapping').click();
    await request;
    await endAll(page, 1);
    await page.getByTestId('notices').getByText('the browser has ended it').first().waitFor();
    released();
    await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
  }));

test('a worker without memory says so', () =>
  withPage(async ({ page, url }) => {
    const script = readFileSync(join(WWW, 'worker.js'), 'utf8');
    const body = `WebAssembly.Memory.prototype.grow = () => { throw new RangeError('no more'); };\n${script}`;
    await page.context().route('**/worker.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
    await page.goto(url);
    await done(page);
    await page.evaluate(() => window.fusescape.killWorker(0));
    await page.getByTestId('notices').getByText(/Worker 1 failed \(it ran out of memory \([\d.]+ GiB\)\)/).waitFor();
  }));

test('where storage is full the draft of the last visit stays, and a person is told once', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await done(page);
    const tiles = page.getByTestId('tiles-x');
    const draft = () => page.evaluate(() => localStorage.getItem('fusescape.draft'));
    const edit = async (text) => {
      const before = page.url();
      await tiles.fill(text);
      await page.waitForURL((address) => address.href !== before);
    };
    await edit('4 8');
    const kept = await draft();
    assert.ok(kept);
    await page.evaluate(() => {
      for (let size = 1 << 22; size >= 1; size >>= 1) {
        try {
          localStorage.setItem(`filler ${size}`, '#'.repeat(size));
        } catch {
          // The next smaller one may fit.
        }
      }
    });
    await edit(`4 8 ${'16 '.repeat(400)}60`);
    await page.getByTestId('notices').getByText("This browser's storage is full").waitFor();
    assert.equal(await draft(), kept);
    await page.getByTestId('dismiss').click();
    await edit(`4 8 ${'16 '.repeat(401)}60`);
    assert.equal(await page.getByTestId('notices').count(), 0);
    // The tab keeps what was entered.
    await page.reload();
    await tiles.waitFor();
    assert.equal(await tiles.inputValue(), `4 8 ${'16 '.repeat(401)}60`);
    // Room for the next draft is used.
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('filler')).forEach((key) => localStorage.removeItem(key)));
    await edit('4 9');
    assert.notEqual(await draft(), kept);
  }));
