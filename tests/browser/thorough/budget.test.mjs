// Size of the page, gzipped as a host sends it: until its first landscape is complete, and in total.
//
// Anyone who adds more than a twentieth to either must record it in `budget.json`, on purpose.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WWW, withPage } from '../harness.mjs';

/** Bytes of the first landscape. */
const GOAL = 700_000;
const GROWTH = 1.05;
const kilobytes = (bytes) => Math.round(bytes / 1000);

test('what the page loads keeps to its budget', () =>
  withPage(async ({ page, url }) => {
    const loaded = new Map();
    const note = (response) => {
      const { origin, pathname } = new URL(response.url());
      if (url.startsWith(origin)) loaded.set(pathname, response.body().then(gzipped));
    };
    page.on('response', note);
    await page.goto(url);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    // After that, more is fetched.
    page.off('response', note);
    const first = sum(await Promise.all(loaded.values()));
    assert.ok([...loaded.keys()].some((path) => path.endsWith('.wasm')), 'the module was seen');

    const files = await readdir(WWW, { recursive: true, withFileTypes: true });
    const all = sum(
      await Promise.all(
        files
          .filter((file) => file.isFile() && !file.name.startsWith('.'))
          .map(async (file) => gzipped(await readFile(join(file.parentPath, file.name)))),
      ),
    );

    const budget = JSON.parse(await readFile(new URL('budget.json', import.meta.url), 'utf8'));
    assert.ok(first <= GOAL, `${kilobytes(first)} kB gzipped are loaded for the first landscape, more than ${kilobytes(GOAL)}`);
    console.log(`loaded for the first landscape: ${kilobytes(first)} kB gzipped, at most ${kilobytes(GOAL)}; all files: ${kilobytes(all)} kB`);
    for (const [what, is, was] of [
      ['the first landscape', first, budget.firstLandscape],
      ['everything', all, budget.everything],
    ]) {
      assert.ok(
        is <= was * GROWTH,
        `${what} takes ${kilobytes(is)} kB gzipped, more than ${GROWTH} x ${kilobytes(was)}: make it smaller, or budget.json larger`,
      );
    }
  }));

const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
