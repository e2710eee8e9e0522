// A static file server for the tests, with the behaviour of any host of the page.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';

// `.wasm` needs exactly this type to be compiled while it loads, and module scripts need a JavaScript type.
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * Serves the files below `root` on a free port of this machine: `{ url, close }`. A request that
 * `fault(file, request, response)` answers itself, returning true, is not served.
 */
export async function serve(root, fault = () => false) {
  const server = createServer(async (request, response) => {
    const file = fileFor(resolve(root), request.url);
    if (!(await fault(file, request, response))) await answer(file, request, response);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(file, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return response.writeHead(405).end();
  }
  try {
    if (file === undefined) throw new Error('outside');
    const body = await readFile(file);
    response.writeHead(200, {
      'content-type': typeOf(file),
      'content-length': body.length,
      'cache-control': 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  } catch {
    response.writeHead(404).end();
  }
}

/** The media type of a file. */
export function typeOf(file) {
  return TYPES[extname(file)] ?? 'application/octet-stream';
}

/** The file of an address; undefined if it is malformed or leaves `root`. */
export function fileFor(root, address) {
  let path;
  try {
    path = decodeURIComponent(address.split(/[?#]/, 1)[0]);
  } catch {
    return undefined;
  }
  if (path.includes('\0')) return undefined;
  const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
  return file.startsWith(root + sep) ? file : undefined;
}
