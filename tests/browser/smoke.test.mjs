import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPage } from './harness.mjs';

test('the page loads without a complaint', () =>
  withPage(async ({ page, url }) => {
    await page.goto(url, { waitUntil: 'networkidle' });
    assert.match(await page.title(), /Fusescape/);
  }));
