// A page with an embedded view.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdableWorkers, withPage } from './harness.mjs';
import { serve } from './server.mjs';

/** Its HTML. `window.tell(message)` sends the view a message; `window.messages` are the received ones. */
export function hostPage(embed) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A course</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body style="margin: 8px"><h1>A course</h1><div style="height: 300px">Text</div>
<iframe src="${embed.replaceAll('&', '&amp;')}" title="Fusescape" width="100%" height="700" style="border: 0"></iframe>
<div style="height: 2000px">More text</div>
<script>
window.messages = [];
const frame = document.querySelector('iframe');
addEventListener('message', ({ data, source }) => source === frame.contentWindow && messages.push(data));
window.tell = (message) => frame.contentWindow.postMessage(message, '*');
</script></body></html>`;
}

/** Calls `visit({ host, folder })` with an origin of its own, `host.url`, and the folder that it serves. */
export async function withOrigin(visit) {
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const host = await serve(folder);
  try {
    await visit({ host, folder });
  } finally {
    await host.close();
    await rm(folder, { recursive: true });
  }
}

/**
 * A page of another origin with the view embedded; `say` sends a message, `heard` waits for one by type and id. The
 * view is refused all storage, and records in `window.touched` which it requested. Its workers can be held.
 */
export function withHost(query, link, visit, options = {}) {
  return withOrigin(({ host, folder }) =>
    withPage(
      async ({ page, url, screenshot, step }) => {
        const embed = `${url}embed.html?${query}${link}`;
        await writeFile(join(folder, 'index.html'), hostPage(embed));
        await page.addInitScript(watchStorage);
        await page.addInitScript(holdableWorkers);
        await page.goto(host.url);
        const frame = await (await page.locator('iframe').elementHandle()).contentFrame();
        await frame.waitForURL(embed);
        const say = (message) => page.evaluate((message) => window.tell(message), message);
        const heard = (type, id) =>
          page
            .waitForFunction(
              ([type, id]) => window.messages.findLast((message) => message.type === type && (id === undefined || message.id === id)),
              [type, id],
            )
            .then((found) => found.jsonValue());
        await visit({ page, frame, say, heard, embed, screenshot, step });
      },
      { ...options, hosts: [host.url] },
    ),
  );
}

/** Records every use of storage, and refuses it. */
function watchStorage() {
  window.touched = [];
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
    Object.defineProperty(window, name, {
      get: () => {
        window.touched.push(name);
        throw new DOMException('Access is denied', 'SecurityError');
      },
    });
  }
  for (const name of ['pushState', 'replaceState']) {
    const original = history[name];
    history[name] = function (...values) {
      window.touched.push(name);
      return original.apply(this, values);
    };
  }
}

export async function done(frame) {
  await frame.locator('[data-testid=root][data-status=done]').waitFor();
}

/**
 * Checks that the host of `view` is told its height at most twice while it loads, at most once when an edit is
 * computed, and not in between. Needs `withHost`.
 */
export async function assertCalm(view, { page, frame, say }) {
  const heights = () => page.evaluate(() => window.messages.filter(({ type }) => type === 'resize').map(({ height }) => height));
  const isTold = (status) =>
    page.waitForFunction((status) => window.messages.findLast(({ type }) => type === 'changed')?.results.status === status, status);
  const settled = async () => {
    await isTold('done');
    if (view === 'schedule') {
      await frame.getByTestId('stack-facts').waitFor();
      await frame.getByTestId('neighbours').waitFor();
    }
    await frame.waitForFunction(() => !document.querySelector('[aria-busy]'));
    const told = () => page.evaluate(() => window.messages.findLast(({ type }) => type === 'resize').height);
    await isHeight(frame, told);
  };
  await settled();
  const loading = await heights();
  assert.ok(loading.length <= 2, `${view}: ${loading.join()}`);

  await frame.evaluate(() => window.hold());
  await say({ fusescape: 1, type: 'set', hardware: 'edge-tpu-like-df' });
  await isTold('running');
  assert.deepEqual(await heights(), loading, `${view}, while workers work`);
  if (view === 'schedule') {
    const schedule = frame.getByTestId('schedule-view');
    assert.equal(await schedule.getAttribute('aria-busy'), 'true');
    assert.match(await schedule.getByTestId('stack-facts').innerText(), /of weights/);
  }
  await frame.evaluate(() => window.release());
  await settled();
  const edited = (await heights()).slice(loading.length);
  assert.ok(edited.length <= 1, `${view}: ${loading.join()}, then ${edited.join()}`);
}

/** Waits until `told()` equals the height of the view, which may still grow meanwhile. */
export async function isHeight(frame, told) {
  const height = () => frame.getByTestId('root').evaluate((root) => Math.ceil(root.getBoundingClientRect().height));
  for (let tries = 0; (await height()) !== (await told()); tries++) {
    assert.ok(tries < 1000, `told: ${await told()} px, high: ${await height()} px`);
    await frame.evaluate(() => new Promise((later) => setTimeout(later, 50)));
  }
}
