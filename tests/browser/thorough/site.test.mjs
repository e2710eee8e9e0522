// The result of `make site`: a folder that works below any path of a host, and offline, and updates to the next
// version.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withPage } from '../harness.mjs';
import { allFetched } from '../views.mjs';

const BUILD_SITE = fileURLToPath(new URL('../../../tools/build-site', import.meta.url));

test('a published page opens offline, from a path below the host, and is replaced as a whole', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fusescape-site-'));
  const folder = join(root, 'courses', 'fusescape');
  const publish = () => execFileSync(BUILD_SITE, [folder], { stdio: 'ignore' });
  const versionOn = (page) => page.locator('meta[name=version]').getAttribute('content');
  try {
    publish();
    await withPage(
      async ({ page, url, problems }) => {
        await page.goto(`${url}courses/fusescape/`);
        await done(page);
        const first = await versionOn(page);
        await page.evaluate(async () => {
          await navigator.serviceWorker.ready;
        });
        // Pieces that are fetched late are not cached before they are needed for the first time.
        await allFetched(page);

        await page.context().setOffline(true);
        await page.reload();
        await done(page);
        assert.equal(await versionOn(page), first);

        // The embedded view, too, with any query.
        await page.goto(`${url}courses/fusescape/embed.html?view=landscape&controls=hardware`);
        await done(page);
        const full = await page.getByTestId('open-in-full').getAttribute('href');
        assert.ok(new URL(full, page.url()).href.startsWith(`${url}courses/fusescape/#1`), full);
        await page.goto(full);
        await done(page);
        assert.equal(await versionOn(page), first);
        await page.goto(`${url}courses/fusescape/`);
        await page.context().setOffline(false);

        // The description of embedding is included.
        assert.match(await readFile(join(folder, 'EMBED.md'), 'utf8'), /postMessage/);

        // The next version is fetched behind the shown page; a page that is alone then updates to it.
        publish();
        await appendFile(join(folder, 'pkg', 'style.css'), '/* another version */');
        execFileSync('sed', ['-i', `s/${first}/0123456789ab/`, join(folder, 'index.html'), join(folder, 'service-worker.js')]);
        assert.match(await readFile(join(folder, 'index.html'), 'utf8'), /0123456789ab/);
        await page.reload();
        assert.equal(await versionOn(page), first);
        await page.evaluate(fetchNext);
        // A page that starts while the previous one is still closing is not alone yet; a later one is, and restarts as
        // the next version.
        const next = page.locator('meta[name=version][content="0123456789ab"]');
        for (let start = 0; start < 10 && (await next.count()) === 0; start++) {
          // It may be restarting just now.
          await page.reload().catch(() => {});
          await next.waitFor({ state: 'attached', timeout: 15_000 }).catch(() => {});
        }
        await done(page);
        // Completely: pieces that are fetched late, too.
        await page.getByTestId('tab-gallery').click();
        await page.getByTestId('gallery').waitFor();
        assert.equal(await versionOn(page), '0123456789ab');
        assert.deepEqual(problems, []);
      },
      { root },
    );
  } finally {
    await rm(root, { recursive: true });
  }
});

/** In the page: fetches the next version, as happens after a day at the latest. */
async function fetchNext() {
  const registration = await navigator.serviceWorker.getRegistration();
  await registration.update();
  const next = registration.installing;
  if (next) await new Promise((kept) => next.addEventListener('statechange', kept, { once: true }));
}

/** Waits until all points of the initial design are shown. */
async function done(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}
