// Pieces of the page's code that are fetched when they are first needed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileButton, pickPreset, withPage } from '../harness.mjs';

const PIECE = '**/split_others.wasm';
const LINKS_PIECE = '**/split_links.wasm';
const LINKS = new URL('../../links/links.txt', import.meta.url);

/** Ends all workers from inside, silently, once `busy` of them are busy: a starting worker does not hold its lock. */
async function endAll(page, busy) {
  await page.waitForFunction((busy) => window.fusescape.busy() >= busy, busy);
  await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.close()).catch(() => {})));
}

test('a view whose code cannot be fetched says so, and is there when it can', () =>
  withPage(async ({ page, url, problems }) => {
    await page.route(PIECE, (route) => route.abort());
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('not-fetched').waitFor();
    // By then it was requested again, to find the reason.
    await page.locator('missing-files').getByText('split_others.wasm').first().waitFor();
    assert.ok(problems.length > 0, 'the console knows of it, too');
    problems.splice(0);

    await page.unroute(PIECE);
    await page.getByTestId('tab-landscape').click();
    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('gallery').waitFor();
    assert.equal(await page.getByTestId('not-fetched').count(), 0);
  }));

test('what is saved waits for its code', () =>
  withPage(async ({ page, url }) => {
    // The landscape also fetches the code when it rests.
    const fetched = page.waitForRequest(PIECE);
    await page.goto(url);
    const svg = await fileButton(page, 'svg');
    const download = page.waitForEvent('download');
    await svg.click();
    await fetched;
    assert.match((await download).suggestedFilename(), /\.svg$/);
  }));

test('a link whose code cannot be fetched is not taken for nothing', () =>
  withPage(async ({ page, url, problems }) => {
    const link = readFileSync(LINKS, 'utf8').split('\n')[0].split(' ')[1];
    await page.route(LINKS_PIECE, (route) => route.abort());
    await page.goto(`${url}#${link}`);
    await page.getByText('Fusescape could not start').waitFor();
    await page.locator('missing-files').getByText('split_links.wasm').first().waitFor();
    problems.splice(0);
    await page.unroute(LINKS_PIECE);
    await page.reload();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    assert.equal(new URL(page.url()).hash, `#${link}`);
  }));

test('a first visit reads no link, and its first edit is kept', () =>
  withPage(async ({ page, url }) => {
    let requests = 0;
    page.on('request', (request) => (requests += request.url().endsWith('split_links.wasm')));
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    assert.equal(requests, 0);
    await pickPreset(page, 'hardware', 'tpu-like');
    await page.waitForFunction(() => location.hash.length > 1);
    assert.equal(requests, 1);
    await page.goBack();
    await page.waitForFunction(() => location.hash === '');
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'meta-proto-like-df');
    await page.goForward();
    await page.waitForFunction(() => location.hash.length > 1);
    await page.reload();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'tpu-like');
  }));

test('edits that could not be kept are kept with the next, and nobody leaves them without being asked', () =>
  withPage(async ({ page, url, problems }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.route(LINKS_PIECE, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await page.getByTestId('tiles-x').click();
    await failed;
    // The edit is drawn once the page has tried to store it.
    const tried = page.waitForEvent('requestfailed');
    await page.getByTestId('tiles-x').fill('4 8');
    await tried;
    const asked = page.waitForEvent('dialog');
    const stays = page.goto('about:blank').catch(() => {});
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    await stays;
    await page.unroute(LINKS_PIECE);
    await page.getByTestId('tiles-y').fill('4 9');
    await page.waitForFunction(() => location.hash.length > 1);
    await page.reload();
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    assert.equal(await page.getByTestId('tiles-x').inputValue(), '4 8');
    assert.equal(await page.getByTestId('tiles-y').inputValue(), '4 9');
    assert.ok(problems.length > 0, 'the console knew of it');
    problems.splice(0);
  }));

test('a worker that ends over the question of a view while it fetches what it answers with is replaced, and the question asked again', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
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
