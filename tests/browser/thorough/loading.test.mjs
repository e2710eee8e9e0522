// Files of the page that cannot be fetched: for any file and any fault, the page works without it, or a sentence names
// the file and the reason, and Retry continues as soon as the file is complete. A late file is waited for, with a
// message.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { after, before, test } from 'node:test';
import { WWW, launch } from '../harness.mjs';
import { serve, typeOf } from '../server.mjs';

/** Faults of a file, and the message for each. */
const FAULTS = {
  missing: [/: the server does not have it \(status 404\)/, (_, response) => response.writeHead(404).end()],
  aborted: [/: no answer came from the server/, (_, response) => response.destroy()],
  'cut off': [
    /: it was cut off on its way/,
    (file, response) => {
      const bytes = readFileSync(file);
      response.writeHead(200, { 'content-type': typeOf(file), 'content-length': bytes.length });
      response.write(half(bytes), () => setImmediate(() => response.destroy()));
    },
  ],
  // Browsers cache the damaged file: trying again must fetch it anew, except for the script that would do so.
  halved: [
    /: what came is not whole \(\d+ bytes\)/,
    (file, response) => send(response, typeOf(file), half(readFileSync(file)), !file.endsWith('main.js')),
  ],
  replaced: [
    /: it came as text\/html, not as/,
    (file, response) => send(response, 'text/html', '<!doctype html><p>Sign in to this network first.', !file.endsWith('main.js')),
  ],
};
const half = (bytes) => bytes.subarray(0, bytes.length >> 1);
const send = (response, type, body, isKept) =>
  response.writeHead(200, { 'content-type': type, 'cache-control': isKept ? 'max-age=3600' : 'no-store' }).end(body);

const PAGES = { page: 'index.html', embed: 'embed.html' };
const LINK = `#${readFileSync(new URL('../../links/links.txt', import.meta.url), 'utf8').split('\n')[0].split(' ')[1]}`;
const UNNEEDED = ['EMBED.md', 'embed.html', 'favicon.svg', 'index.html', 'missing.js', 'scorm.html', 'scorm.js', 'service-worker.js'];
const START = ['main.js', 'pkg/style.css', 'pkg/fusescape.js', 'pkg/__wasm_split.js', 'pkg/fusescape_bg.wasm'];
const files = readdirSync(WWW, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && !file.name.startsWith('.'))
  .map((file) => relative(WWW, join(file.parentPath, file.name)).split(sep).join('/'))
  // Sources of pkg/style.css.
  .filter((file) => file !== 'style.css')
  .sort();
const pieces = piecesOf(readFileSync(join(WWW, 'pkg/__wasm_split.js'), 'utf8'));

let browser;
let server;
/** The current fault and file, and requests that wait for their release. */
let fault;
let held = [];

before(async () => {
  browser = await launch();
  server = await serve(WWW, async (file, request, response) => {
    if (fault === undefined || ![fault.file].flat().some((one) => file === join(WWW, one))) return false;
    if (fault.kind !== 'held') FAULTS[fault.kind][1](file, response);
    else await new Promise((released) => held.push(released));
    return fault !== undefined && fault.kind !== 'held';
  });
});

after(async () => {
  await browser.close();
  await server.close();
});

function release() {
  fault = undefined;
  held.splice(0).forEach((released) => released());
}

/** The files of each piece of the page's code, by its name. */
function piecesOf(loader) {
  const pieces = {};
  for (const [, name, chunks] of loader.matchAll(/__wasm_split_load_(\w+) ?=[^;]*?;[^\]]*?\[([^\]]*)\]\)\)/g)) {
    pieces[name] = [`split_${name}`, ...(chunks.match(/chunk_\d+/g) ?? [])].map((file) => `pkg/${file}.wasm`);
  }
  return pieces;
}

/** Opens a tab in a context of its own, closes it, and checks that there was no uncaught exception. */
async function withTab(visit, { isCaught = () => true } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const uncaught = [];
  context.on('weberror', (event) => uncaught.push(String(event.error())));
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await visit(page);
    assert.deepEqual(uncaught.filter(isCaught), []);
  } finally {
    release();
    await context.close();
  }
}

const done = (page) => page.locator('[data-testid=root][data-status=done]').waitFor();
const isOpen = (page) => page.getByTestId('root').waitFor();
const box = (page) => page.locator('missing-files').first();
const retry = (page) => box(page).getByRole('button', { name: 'Retry' }).click();

/** A script for `addInitScript` that removes the page's waiting times from the test. */
function hurry() {
  for (const name of ['setTimeout', 'setInterval']) {
    const wait = window[name];
    window[name] = (call, ms, ...values) => wait(call, ms >= 1000 ? ms / 50 : ms, ...values);
  }
}

/** Each fault of each file in turn is reported, again after another try; then all files are complete. */
async function eachFault(page, files, provoke) {
  let act = provoke;
  for (const file of files) {
    for (const [kind, [why]] of Object.entries(FAULTS)) {
      fault = { file, kind };
      await act();
      const sentence = box(page).locator('li', { hasText: why }).filter({ hasText: file });
      await sentence.waitFor().catch(async (error) => {
        const text = await page.locator('body').innerText();
        throw new Error(`${file}, ${kind}: ${why} is not said in: ${text.slice(0, 3000)}`, { cause: error });
      });
      act = () => retry(page);
    }
  }
  release();
  await retry(page);
}

test('every file is looked at', () => {
  const seen = new Set([...START, 'worker.js', ...Object.values(pieces).flat(), ...UNNEEDED]);
  assert.deepEqual(files.filter((file) => !seen.has(file)), []);
  assert.deepEqual(Object.keys(pieces).sort(), ['answers', 'import', 'links', 'others']);
});

for (const [kind, address] of Object.entries(PAGES)) {
  const start = [...START.filter((file) => !['main.js', 'pkg/style.css'].includes(file)), ...(kind === 'embed' ? pieces.others : [])];

  test(`the ${kind} says which file of its start cannot be had, and why`, () =>
    withTab(async (page) => {
      await eachFault(page, start, () => page.goto(`${server.url}${address}`));
      await isOpen(page);
      assert.equal(await box(page).count(), 0);
    }));

  test(`the ${kind} says which file of its start is late, and goes on by itself`, () =>
    inTurn([...start, 'pkg/style.css'], (file) =>
      withTab(async (page) => {
        await page.addInitScript(hurry);
        fault = { file, kind: 'held' };
        await page.goto(`${server.url}${address}`, { waitUntil: 'commit' });
        const name = pieces.others.includes(file) ? 'pkg/split_others.wasm' : file;
        await page.getByText(`Still waiting for ${name} …`, { exact: true }).waitFor();
        release();
        await isOpen(page);
        assert.equal(await page.getByText('Still waiting').count(), 0);
      }),
    ));

  test(`the ${kind} says so where its first script cannot be had or is late`, () =>
    inTurn([...Object.keys(FAULTS), 'held'], (kind) =>
      withTab(async (page) => {
        fault = { file: 'main.js', kind };
        await page.goto(`${server.url}${address}${LINK}`, { waitUntil: 'commit' });
        const sentence = page.locator('.late');
        await sentence.waitFor({ state: 'attached' });
        // Normally shown after a while; a test need not wait for it.
        await page.waitForFunction(() => document.querySelector('.late').getAnimations().length > 0);
        assert.equal(await sentence.isVisible(), false);
        await sentence.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()));
        await sentence.filter({ hasText: /main\.js.*reload the page/ }).waitFor();
        release();
        if (kind !== 'held') await page.reload();
        await isOpen(page);
        assert.equal(await page.locator('.late').count(), 0);
        assert.equal(new URL(page.url()).hash, LINK);
        // A truncated or missing script is reported to the console alone.
      }, { isCaught: (error) => !error.startsWith('SyntaxError') }),
    ));

  test(`the ${kind} works without its style, says so, and has it once it comes`, () =>
    withTab(async (page) => {
      await eachFault(page, ['pkg/style.css'], () => page.goto(`${server.url}${address}`));
      await page.waitForFunction(() => getComputedStyle(document.body).margin === '0px');
      await isOpen(page);
      assert.equal(await box(page).count(), 0);
    }));

  test(`the ${kind} works without what it does not need`, () =>
    withTab(async (page) => {
      fault = { file: UNNEEDED.filter((file) => file !== address), kind: 'missing' };
      await page.goto(`${server.url}${address}`);
      await done(page);
      assert.equal(await box(page).count(), 0);
    }));

  test(`the ${kind} says why no worker starts, and what it knows of a late one`, () =>
    withTab(async (page) => {
      await page.addInitScript(hurry);
      await eachFault(page, ['worker.js'], () => page.goto(`${server.url}${address}`));
      await done(page);
      fault = { file: 'worker.js', kind: 'held' };
      await page.reload();
      await isOpen(page);
      await box(page).getByText('No worker has started yet').waitFor();
      release();
      await done(page);
      await box(page).waitFor({ state: 'detached' });
    }));
}

async function inTurn(cases, visit) {
  for (const one of cases) await visit(one).catch((error) => Promise.reject(new Error(`${one}: ${error.message}`, { cause: error })));
}

test('where not even the reason can be looked for, there is a sentence and a way on', () =>
  withTab(async (page) => {
    await page.route('**/{missing.js,pkg/fusescape.js}', (route) => route.abort());
    await page.goto(server.url);
    await page.getByText('Fusescape could not start. Nor could missing.js').waitFor();
    await page.unroute('**/{missing.js,pkg/fusescape.js}');
    await page.getByRole('button', { name: 'Retry' }).click();
    await isOpen(page);
  }));

test('a browser without SIMD is not blamed on files', () =>
  withTab(async (page) => {
    await page.addInitScript(() => {
      WebAssembly.validate = () => false;
      WebAssembly.instantiateStreaming = () => Promise.reject(new WebAssembly.CompileError('SIMD unsupported'));
    });
    await page.goto(server.url);
    await box(page).getByText('The browser lacks WebAssembly with SIMD').waitFor();
    assert.doesNotMatch(await box(page).innerText(), /fusescape_bg/);
  }));

test('a document that was cut off after its script is told of, and works', () =>
  withTab(async (page) => {
    fault = { file: 'index.html', kind: 'halved' };
    await page.goto(`${server.url}index.html`);
    await isOpen(page);
    await box(page).getByText('This page has no style').waitFor();
  }));

// Code that is fetched late: how to request it, on a page that has everything else.
const ASKED = {
  others: {
    // Before the landscape rests, as that fetches it, too.
    before: async (page) => {
      await page.goto(server.url);
      await isOpen(page);
    },
    act: (page) => page.getByTestId('tab-gallery').click(),
    works: (page) => page.getByTestId('gallery').waitFor(),
  },
  links: {
    before: async () => {},
    act: (page) => page.goto(`${server.url}${LINK}`),
    works: (page) => isOpen(page),
    isAnew: true,
  },
  answers: {
    before: openWithViews,
    act: (page) => page.getByTestId('tab-mapping').click(),
    works: (page) => page.locator('[data-testid=mapping-view][data-status=done]').waitFor(),
  },
  import: {
    before: openWithViews,
    act: (page) => page.getByTestId('workload-import-files').setInputFiles(SMALL),
    works: (page) => page.getByTestId('workload-import-report').getByText('small').first().waitFor(),
    isAnew: true,
  },
};
const SMALL = {
  name: 'small.yaml',
  mimeType: 'application/yaml',
  buffer: Buffer.from('name: small\nlayers:\n  - { name: conv, type: conv, input: { channels: 3, width: 8, height: 8 }, K: 4, FX: 1, FY: 1 }\n'),
};

async function openWithViews(page) {
  await page.goto(server.url);
  // When the landscape rests, it asks workers for the joint optimum, and they fetch the code for answers.
  await page.getByTestId('tab-gallery').click();
  await page.getByTestId('gallery').waitFor();
  await done(page);
}

for (const [piece, { before, act, works, isAnew }] of Object.entries(ASKED)) {
  test(`the code of ${piece} is missed in words, by whichever of its files, and is there after a Retry`, () =>
    // Files that arrived are not fetched again as long as the page or the worker stays the same.
    inTurn(isAnew ? [pieces[piece]] : pieces[piece].map((file) => [file]), (files) =>
      withTab(async (page) => {
        await before(page);
        await eachFault(page, files, () => act(page));
        await works(page);
        assert.equal(await box(page).count(), 0);
      }),
    ));
}
