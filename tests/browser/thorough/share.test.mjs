// Links of every version, in Chromium.

import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withPage } from '../harness.mjs';

const LINKS = fileURLToPath(new URL('../../links/links.txt', import.meta.url));

test('links of every version open without an error', () =>
  withPage(async ({ page, url }) => {
    for (const line of readFileSync(LINKS, 'utf8').trim().split('\n')) {
      const [name, link] = line.split(' ');
      await page.goto('about:blank');
      await page.goto(`${url}#${link}`);
      await page.getByTestId('design').getByText('on').waitFor();
      assert.equal(await page.getByTestId('notices').count(), 0, name);
      if (name === 'own-mapping') await page.getByTestId('mapping-view').waitFor();
      await page.locator('[data-testid=root]:is([data-status=done], [data-status=rejected], [data-status=running])').waitFor();
    }
  }));
