// Starts the page, or the view inside another page: `data-open` of the script's element names the function to call. Whatever file
// cannot be had, a person reads which, why, and what to do. Until this script is here, index.html says so of the script itself.
//
// It is no module and waits for nothing, so that no other file keeps it from speaking.
'use strict';
{
  const { open, piece } = document.currentScript.dataset;
  const PATIENCE_MS = 4000;
  const here = new URL('.', document.currentScript.src).href;
  const nameOf = (url) => url.replace(here, '');
  const event = (target, ...kinds) =>
    new Promise((heard) => kinds.forEach((kind) => target.addEventListener(kind, heard, { once: true })));
  const parsed = document.readyState === 'loading' ? event(document, 'DOMContentLoaded') : Promise.resolve();

  /** An element with a class and children. */
  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    element.className = className;
    element.append(...children);
    return element;
  }

  // Text files of the page say this near their ends, so that one that was cut off is told from a whole one.
  const isWhole = (url, bytes) =>
    url.endsWith('.wasm') ? WebAssembly.validate(bytes) : new TextDecoder().decode(bytes).includes('--whole');

  /** Why a file cannot be had; nothing if it can. The browser forgets what it kept of it, so that trying again helps. */
  async function wrongWith(url) {
    try {
      const response = await fetch(url, { cache: 'reload', signal: AbortSignal.timeout(10_000) });
      if (response.status === 404) return 'the server does not have it (status 404)';
      if (!response.ok) return `the server refuses it (status ${response.status})`;
      const type = response.headers.get('content-type') ?? 'no type';
      const bytes = await response.arrayBuffer().catch((error) => error.name === 'TypeError' || Promise.reject(error));
      if (bytes === true) return 'it was cut off on its way';
      if (!{ js: /javascript/, css: /css/, wasm: /wasm/ }[url.split('.').pop()]?.test(type)) return `something else came in its place (${type})`;
      if (!isWhole(url, bytes)) return `what came is not whole (${bytes.byteLength} bytes)`;
    } catch (error) {
      if (error.name === 'TimeoutError') return 'no answer within 10 s';
      return navigator.onLine ? 'no answer from the server' : 'this device has no connection';
    }
  }

  /** What the start needs, as the document says. */
  const startFiles = () => [...document.querySelectorAll('link[rel*=preload], link[rel=stylesheet]')].map(({ href }) => href);
  const hasArrived = (url) => performance.getEntriesByName(url).some(({ responseEnd }) => responseEnd > 0);
  /** What was fetched late: pieces of the page's code. */
  const pieces = () =>
    performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /pkg\/(split|chunk)_\w+\.wasm$/.test(name));

  /**
   * Says in `place`, or else before the page, that something is missing, and finds out which of the files is to blame. True when
   * a person wants it tried again, false when they close it.
   */
  async function ask(place, title, files, otherwise) {
    const box = place ?? make('div', 'toast');
    if (!place) (document.querySelector('dialog[open]') ?? document.body).append(box);
    box.role = 'alert';
    const reasons = make('ul', '', make('li', '', 'Looking for the reason …'));
    const retry = make('button', 'primary', 'Retry');
    const close = make('button', '', 'Close');
    box.replaceChildren(
      make('div', 'failure', make('p', '', make('b', '', title)), reasons, make('div', 'row', retry, ...(box.className === 'toast' ? [close] : []))),
    );
    explain(reasons, files.length ? files : pieces(), otherwise);
    const wants = await Promise.race([event(retry, 'click').then(() => true), event(close, 'click').then(() => false)]);
    if (!place) box.remove();
    return wants;
  }

  async function explain(list, files, otherwise) {
    const urls = [...new Set(files.map((file) => new URL(file, here).href))];
    const found = await Promise.all(urls.map(async (url) => [nameOf(url), await wrongWith(url)]));
    const wrong = found.filter(([, why]) => why);
    const remedy = wrong.length
      ? 'Check the connection, then retry. If that changes nothing, the server lacks the file, or something on the way, such as a sign-in page or a content blocker, holds it back.'
      : otherwise ?? 'All its files can be fetched now.';
    list.replaceChildren(...wrong.map(([name, why]) => make('li', '', make('code', '', name), `: ${why}.`)), make('li', 'hint', remedy));
  }

  /** Where the page will be. */
  function app() {
    const place = document.getElementById('app') ?? make('div', '');
    place.id = 'app';
    if (!place.isConnected) document.body.append(place);
    return place;
  }

  /** Says which files are awaited, as long as any is. */
  function tellAwaited() {
    const awaited = startFiles().filter((url) => !hasArrived(url)).map(nameOf);
    const line = make('p', 'loading', `Still waiting for ${(awaited.length ? awaited : [piece]).join(', ')} …`);
    line.role = 'status';
    app().replaceChildren(line);
    // A browser draws nothing before a style that the document names; one that a script names it does not wait for.
    const style = document.querySelector('link[rel=stylesheet]');
    if (!style.sheet && !style.dataset.late) restyle(style);
  }

  function restyle(style) {
    const again = style.cloneNode();
    again.dataset.late = true;
    style.replaceWith(again);
    return again;
  }

  /** Done when the style is here, or cannot be had. */
  async function styled() {
    for (let style; (style = document.querySelector('link[rel=stylesheet]')) && !style.sheet && document.readyState !== 'complete'; ) {
      await Promise.race([event(style, 'load', 'error'), event(window, 'load'), event(document, 'restyled')]);
    }
  }

  async function tellBare() {
    while (getComputedStyle(document.documentElement).getPropertyValue('--whole') === '') {
      const style = document.querySelector('link[rel=stylesheet]');
      const box = make('div', 'banner');
      document.body.prepend(box);
      await ask(box, 'The page is bare, as its style could not be fetched.', [style.href]);
      box.remove();
      await event(restyle(style), 'load', 'error');
    }
  }

  async function start() {
    const module = await import('./pkg/fusescape.js');
    await module.default();
    await parsed;
    await styled();
    app();
    await module[open](ask);
  }

  // A function that uses SIMD.
  const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
  const canRun = () => typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(SIMD));

  async function run() {
    let waits;
    const patience = setTimeout(() => {
      tellAwaited();
      waits = setInterval(tellAwaited, 1000);
    }, PATIENCE_MS);
    try {
      parsed.then(() => document.querySelector('.late')?.remove());
      await start();
    } catch (error) {
      await parsed;
      if (!canRun()) {
        app().replaceChildren(make('p', 'loading', 'Fusescape needs a browser with WebAssembly and its SIMD. This one lacks them, or forbids them here.'));
      } else {
        const box = make('div', 'banner loading');
        app().replaceChildren(box);
        const reason = `All its files can be fetched now, so retry. If that changes nothing, they may be of two versions: the browser says “${error}”.`;
        ask(box, 'Fusescape could not start.', [...startFiles(), piece, ...pieces()], reason).then(() => location.reload());
      }
    } finally {
      clearTimeout(patience);
      clearInterval(waits);
    }
    await parsed;
    await styled();
    tellBare();
  }
  run();

  // A file that misses the cards would replace the page.
  for (const type of ['dragover', 'drop']) {
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
  }

  // A published page can be opened offline from the second time on, where the browser lets it keep anything.
  parsed.then(() => {
    const version = document.querySelector('meta[name=version]')?.content;
    if (!version || navigator.serviceWorker === undefined) return;
    navigator.serviceWorker.register('./service-worker.js').then(
      ({ waiting }) => {
        if (!waiting) return;
        // What the page has yet to fetch would be of the next version, which does not fit what is here.
        navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
        waiting.postMessage('take over');
      },
      () => {},
    );
  });
}
