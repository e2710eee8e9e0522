// The page as `make serve` serves it, and the embedded view: they load without errors, and run, load and request only
// their own files, whatever a document contains.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { COMMAND_LINE, WWW, withPage } from './harness.mjs';

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'";

test('the page of a fresh server loads without a complaint', async () => {
  const server = spawn(COMMAND_LINE, ['serve', '--port', '0', '--directory', WWW], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
    const url = /http:\/\/localhost:\d+\//.exec(value)[0];
    await withPage(
      async ({ page, problems }) => {
        await page.goto(url);
        await page.locator('[data-testid=root][data-status=done]').waitFor();
        assert.match(await page.title(), /Fusescape/);
        assert.deepEqual(problems, []);
        await assertClosed(page, problems);
      },
      { hosts: [url] },
    );
  } finally {
    server.kill();
    await ended;
  }
});

test('the embed forbids itself scripts, styles and hosts that are not its own', () =>
  withPage(async ({ page, url, problems }) => {
    await page.goto(`${url}embed.html`);
    await page.locator('[data-testid=root][data-status=done]').waitFor();
    await assertClosed(page, problems);
  }));

/** Checks that the page's own policy blocks foreign content. The resulting messages are taken out of `problems`. */
async function assertClosed(page, problems) {
  assert.equal(await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content'), POLICY);
  // The policy comes before anything that it could forbid.
  const before = await page.evaluate(() => {
    const head = [...document.head.children];
    const policy = head.findIndex((element) => element.httpEquiv === 'Content-Security-Policy');
    return head.slice(0, policy).map((element) => element.outerHTML);
  });
  assert.deepEqual(before, ['<meta charset="utf-8">']);
  assert.equal(await page.locator('[style], script:not([src]), style').count(), 0, 'nothing is written into the page itself');

  const ran = await page.evaluate(async () => {
    window.violated = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => window.violated.push(effectiveDirective));
    const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
    add('script', { textContent: 'window.ran = true' });
    add('script', { src: 'data:text/javascript,window.ran = true' });
    add('div', { innerHTML: '<img src="data:," onerror="window.ran = true"><p style="color: red">x</p>' });
    add('iframe', { src: 'https://elsewhere.example/' });
    add('img', { src: 'https://elsewhere.example/x.png' });
    const fetched = await fetch('https://elsewhere.example/').then(() => true, () => false);
    return fetched || window.ran === true;
  });
  assert.equal(ran, false);
  const expected = ['connect-src', 'frame-src', 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-attr'];
  await page.waitForFunction((expected) => expected.every((directive) => window.violated.includes(directive)), expected);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  // Recorded requests were blocked before they were sent.
  for (const [, asked] of problems.join('\n').matchAll(/^request to another host: (.*)$/gm)) {
    assert.ok(problems.includes(`request failed: ${asked}: csp`), asked);
  }
  problems.splice(0);
}
