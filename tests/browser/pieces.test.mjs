// Pieces of the page's code that are fetched when they are first needed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './harness.mjs';

const PIECE = '**/split_others.wasm';

test('a view whose code cannot be fetched says so, and is there when it can', () =>
  withPage(async ({ page, url, problems }) => {
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await page.route(PIECE, (route) => route.abort());
    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('not-fetched').waitFor();
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
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    const fetched = page.waitForRequest(PIECE);
    const download = page.waitForEvent('download');
    await page.getByTestId('save-svg').first().click();
    await fetched;
    assert.match((await download).suggestedFilename(), /\.svg$/);
  }));
