// Failures from outside: workers that the browser ends silently, files that do not arrive, memory and storage that run
// out. Every file in every way is in thorough/.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WWW, holdableWorkers, withPage } from './harness.mjs';

const done = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();

/** Makes workers end silently from inside when they receive a certain word. */
async function serveMortal(page) {
  const script = readFileSync(join(WWW, 'worker.js'), 'utf8');
  const body = `new BroadcastChannel('end').onmessage = () => self.close();\n${script}`;
  await page.context().route('**/worker.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
}

/** Ends all workers once `busy` of them were asked something; the questions are held, so they do not reach them. */
async function endAll(page, busy) {
  await page.waitForFunction((busy) => window.fusescape.busy() >= busy, busy);
  await page.evaluate(() => {
    new BroadcastChannel('end').postMessage('all');
    window.release();
  });
}

test('what ends from outside or runs full', (t) =>
  withPage(async ({ page, url, step }) => {
    await page.addInitScript(holdableWorkers);
    await serveMortal(page);
    await page.goto(url);
    await done(page);
    const isReplaced = page.getByTestId('notices').getByText(/Worker \d failed \(the browser has ended it, perhaps for want of memory\)/);

    await step(t, 'workers that end during a sweep are replaced, and the sweep is finished', async () => {
      const cells = () => page.getByTestId('heatmap-fully-cached').locator('canvas').first().evaluate((canvas) => canvas.toDataURL());
      const expected = await cells();
      const count = await page.evaluate(() => window.fusescape.workers());
      assert.ok(count > 0);
      await page.evaluate(() => window.hold());
      await page.getByTestId('tiles-x').fill('4 6 8 10 12 14 16 18 20 22 24');
      await endAll(page, count);
      await isReplaced.first().waitFor();
      await done(page);
      assert.equal(await page.evaluate(() => window.fusescape.workers()), count);
      const { points, pointsDone } = await page.evaluate(() => window.fusescape.state());
      assert.equal(pointsDone, points);
      await page.getByTestId('undo').click();
      await done(page);
      assert.equal(await cells(), expected);
      await page.getByTestId('dismiss').click();
      await page.getByTestId('notices').waitFor({ state: 'detached' });
    });

    await step(t, 'a worker that ends over the question of a view is replaced, and the question asked again', async () => {
      await page.evaluate(() => window.hold());
      await page.getByTestId('tab-mapping').click();
      await endAll(page, 1);
      await isReplaced.first().waitFor();
      await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
      await page.getByTestId('dismiss').click();
      await page.getByTestId('notices').waitFor({ state: 'detached' });
    });

    await step(t, 'where storage is full the draft of the last visit stays, and a person is told once', async () => {
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
      // The tab keeps the input.
      await page.reload();
      await tiles.waitFor();
      assert.equal(await tiles.inputValue(), `4 8 ${'16 '.repeat(401)}60`);
      // Space freed for the next draft is used.
      await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('filler')).forEach((key) => localStorage.removeItem(key)));
      await edit('4 9');
      assert.notEqual(await draft(), kept);
    });
  }));

test('a file that does not come, and memory', (t) =>
  withPage(async ({ page, url, problems, step }) => {
    await step(t, 'a file that cannot be had is named, and the page goes on with it as soon as it can', async () => {
      await page.route('**/fusescape_bg.wasm', (route) => route.abort());
      await page.goto(url);
      const box = page.locator('missing-files').first();
      await box.locator('li', { hasText: 'pkg/fusescape_bg.wasm: no answer came from the server' }).waitFor();
      assert.ok(problems.length > 0, 'the console knows of it, too');
      problems.splice(0);
      await page.unroute('**/fusescape_bg.wasm');
      const script = readFileSync(join(WWW, 'worker.js'), 'utf8');
      const body = `WebAssembly.Memory.prototype.grow = () => { throw new RangeError('no more'); };\n${script}`;
      await page.context().route('**/worker.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
      await box.getByRole('button', { name: 'Retry' }).click();
      await done(page);
      assert.equal(await box.count(), 0);
    });
    await step(t, 'a worker without memory says so', async () => {
      await page.evaluate(() => window.fusescape.killWorker(0));
      await page.getByTestId('notices').getByText(/Worker 1 failed \(it ran out of memory \([\d.]+ GiB\)\)/).waitFor();
    });
  }));
