// Starts the page, or an embedded view (`data-open`). Not a module, so that it can report any other missing file.
'use strict';
{
  const { open, piece } = document.currentScript.dataset;
  const PATIENCE_MS = 4000;
  const event = (target, ...kinds) =>
    new Promise((heard) => kinds.forEach((kind) => target.addEventListener(kind, heard, { once: true })));
  const parsed = document.readyState === 'loading' ? event(document, 'DOMContentLoaded') : Promise.resolve();
  const make = (tag, fields) => Object.assign(document.createElement(tag), fields);
  const style = () => document.querySelector('link[rel=stylesheet]');
  const isPending = () => style()?.sheet === null;

  // Submitted to try again, reset to be closed.
  customElements.define(
    'missing-files',
    class extends HTMLElement {
      static observedAttributes = ['data-number'];
      connectedCallback() {
        const onclick = () => this.dispatchEvent(new Event('submit', { bubbles: true }));
        import('./missing.js').then(
          ({ tell }) => tell(this),
          () => this.replaceChildren(`${this.dataset.what} Nor could missing.js. `, make('button', { textContent: 'Retry', onclick })),
        );
      }
      attributeChangedCallback() {
        if (this.isConnected) this.connectedCallback();
      }
    },
  );

  function lack(place, className, what, files, again, error = '') {
    const element = make('missing-files', { className, role: 'alert' });
    Object.assign(element.dataset, { what, files, error });
    element.addEventListener('submit', again);
    event(element, 'submit', 'reset').then(() => element.remove());
    place.prepend(element);
  }

  function ask(piece, again) {
    lack(document.querySelector('dialog[open]') ?? document.body, 'toast', 'This part of the page could not be fetched.', piece, again);
  }

  function app() {
    if (!document.getElementById('app')) document.body.append(make('div', { id: 'app' }));
    return document.getElementById('app');
  }

  const needed = () => [...document.querySelectorAll('link[rel*=preload], link[rel=stylesheet]')].map(({ href }) => href);

  function tellAwaited() {
    const awaited = needed().filter((url) => !performance.getEntriesByName(url).some(({ responseEnd }) => responseEnd > 0));
    const names = (awaited.length > 0 ? awaited : [`pkg/split_${piece}.wasm`]).map((url) => url.replace(new URL('.', document.baseURI).href, ''));
    app().replaceChildren(make('p', { className: 'loading', role: 'status', textContent: `Still waiting for ${names.join(', ')} …` }));
    // Browsers draw nothing before a style sheet unless a script adds it.
    if (isPending() && !style().dataset.late) restyle();
  }

  function restyle() {
    const again = style().cloneNode();
    again.dataset.late = '';
    style().replaceWith(again);
    return event(again, 'load', 'error');
  }

  async function styled() {
    while (isPending() && document.readyState !== 'complete') await new Promise((later) => setTimeout(later, 50));
  }

  async function checkStyle() {
    await styled();
    if (getComputedStyle(document.documentElement).getPropertyValue('--whole')) return;
    const again = () => (style() ? restyle().then(checkStyle) : location.reload());
    lack(document.body, 'banner', 'This page has no style.', './pkg/style.css', again);
  }

  async function start() {
    const module = await import('./pkg/fusescape.js');
    await module.default();
    await parsed;
    await styled();
    app();
    await module[open](ask);
  }

  let waits = setTimeout(() => {
    tellAwaited();
    waits = setInterval(tellAwaited, 1000);
  }, PATIENCE_MS);
  parsed.then(() => {
    document.querySelector('.late')?.remove();
    checkStyle();
  });
  start()
    .catch(async (error) => {
      await parsed;
      app().replaceChildren();
      // On the machine of the build the module is in one piece.
      const isCut = document.querySelector('link[href$="__wasm_split.js"]') !== null;
      const files = isCut ? [...needed(), piece] : needed();
      lack(app(), 'banner', 'Fusescape could not start.', files.join(' '), () => location.reload(), error);
    })
    .finally(() => clearInterval(waits));

  // A dropped file would replace the page.
  for (const type of ['dragover', 'drop']) {
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
  }

  // Offline from the second visit on.
  parsed.then(() => {
    const version = document.querySelector('meta[name=version]')?.content;
    if (!version || !navigator.serviceWorker) return;
    navigator.serviceWorker.register('./service-worker.js').then(
      ({ waiting }) => {
        if (!waiting) return;
        // Later requests get the next version.
        navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
        waiting.postMessage('take over');
      },
      () => {},
    );
  });
}
