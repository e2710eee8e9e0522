// The page as `make serve` serves it. Every server and every browser is fresh, as a first load must work.
//
//   SERVERS=50 node tests/browser/run.mjs serve      50 servers instead of 10

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { COMMAND_LINE, WWW, withPage } from '../harness.mjs';

const SERVERS = Number(process.env.SERVERS ?? 10);

/** A server of `www` in a process of its own: `{ url, port, close }`. */
async function freshServer() {
  const server = spawn(COMMAND_LINE, ['serve', '--port', '0', '--directory', WWW], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout });
  const { value } = await lines[Symbol.asyncIterator]().next();
  const url = /http:\/\/localhost:\d+\//.exec(value)[0];
  const ended = new Promise((resolve) => server.once('exit', resolve));
  return {
    url,
    port: Number(new URL(url).port),
    close: () => {
      server.kill();
      return ended;
    },
  };
}

/** Waits until all points of the initial design are shown. */
const loads = (server) =>
  withPage(
    async ({ page }) => {
      await page.goto(server.url);
      await page.locator('[data-testid=root][data-status=done]').waitFor();
    },
    { hosts: [server.url] },
  );

test(`each of ${SERVERS} fresh servers shows the page to a fresh browser`, async () => {
  for (let trial = 0; trial < SERVERS; trial++) {
    const server = await freshServer();
    try {
      await loads(server);
    } finally {
      await server.close();
    }
  }
});

/** A connection on which `text` is sent; the answer is not read. */
const opened = (port, text) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause();
      socket.write(text);
      resolve(socket);
    });
    // The server may close it at any time.
    socket.on('error', reject);
  });

test('the page loads beside a thousand who are silent, slow or hostile', async () => {
  const server = await freshServer();
  const get = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  const said = [
    ...Array(1000).fill(''),
    // Clients that never end their requests, or never read their answers.
    ...Array(50).fill('GET /pkg/fusescape_bg.w'),
    ...Array(50).fill(get('/pkg/fusescape_bg.wasm')),
    ...Array(20).fill(get('/', 'Content-Length: 99999999999999\r\n')),
    ...Array(20).fill(get('/', `X: ${'x'.repeat(1 << 16)}\r\n`)),
    ...Array(20).fill(get('/../../etc/passwd', 'Range: bytes=0-,0-,0-\r\n')),
  ];
  try {
    const sockets = await Promise.all(said.map((text) => opened(server.port, text)));
    await loads(server);
    sockets.forEach((socket) => socket.destroy());
    await loads(server);
  } finally {
    await server.close();
  }
});

test('the embed may be shown by any page, the page itself by none but its own', async () => {
  const server = await freshServer();
  try {
    const policy = async (file) => (await fetch(server.url + file)).headers.get('content-security-policy');
    assert.match(await policy(''), /; frame-ancestors 'self'$/);
    assert.match(await policy('pkg/fusescape.js'), /; frame-ancestors 'self'$/);
    assert.doesNotMatch(await policy('embed.html'), /frame-ancestors/);
  } finally {
    await server.close();
  }
});
