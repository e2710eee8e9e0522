// Starts the page, or the view inside another page: `data-open` of the script's element names the function to call. Until this script is
// here, the document says so; what happens where other files cannot be had is in missing.js.
//
// It is no module and waits for nothing, so that no other file keeps it from speaking.
'use strict';
{
  const { open, piece } = document.currentScript.dataset;
  const PATIENCE_MS = 4000;
  const event = (target, ...kinds) =>
    new Promise((heard) => kinds.forEach((kind) => target.addEventListener(kind, heard, { once: true })));
  const parsed = document.readyState === 'loading' ? event(document, 'DOMContentLoaded') : Promise.resolve();
  const style = () => document.querySelector('link[rel=stylesheet]');

  // Says what is missing (`data-what`) and which of its files and pieces (`data-files`) are to blame. It submits itself to have that tried again, and
  // resets itself to be closed.
  customElements.define(
    'missing-files',
    class extends HTMLElement {
      static observedAttributes = ['data-number'];
      connectedCallback() {
        import('./missing.js').then(
          ({ tell }) => tell(this),
          () => {
            const retry = Object.assign(document.createElement('button'), { textContent: 'Retry' });
            retry.onclick = () => this.dispatchEvent(new Event('submit', { bubbles: true }));
            this.replaceChildren(`${this.dataset.what} Nor could missing.js, which knows the reason. Check the connection. `, retry);
          },
        );
      }
      attributeChangedCallback() {
        if (this.isConnected) this.connectedCallback();
      }
    },
  );

  /** Such an element in a place. */
  function lack(place, className, what, files, again, error = '') {
    const element = document.createElement('missing-files');
    Object.assign(element, { className, role: 'alert' });
    Object.assign(element.dataset, { what, files, error });
    element.addEventListener('submit', again);
    for (const end of ['submit', 'reset']) element.addEventListener(end, () => element.remove());
    place.prepend(element);
  }

  /** Says before the page that a piece of its code is missing. */
  function ask(piece, again) {
    const place = document.querySelector('dialog[open]') ?? document.body;
    lack(place, 'toast', 'This part of the page could not be fetched.', piece, again);
  }

  /** Where the page will be. */
  function app() {
    const place = document.getElementById('app') ?? Object.assign(document.createElement('div'), { id: 'app' });
    if (!place.isConnected) document.body.append(place);
    return place;
  }

  /** What the start needs, as the document says. */
  const needed = () => [...document.querySelectorAll('link[rel*=preload], link[rel=stylesheet]')].map(({ href }) => href);

  function tellAwaited() {
    const awaited = needed().filter((url) => !performance.getEntriesByName(url).some(({ responseEnd }) => responseEnd > 0));
    const names = (awaited.length > 0 ? awaited : [`pkg/split_${piece}.wasm`]).map((url) => url.replace(new URL('.', document.baseURI).href, ''));
    app().innerHTML = '<p class="loading" role="status"></p>';
    app().firstChild.textContent = `Still waiting for ${names.join(', ')} …`;
    // Browsers draw nothing before a style that a document names, but do not wait for one that a script names.
    if (style()?.sheet === null && !style().dataset.late) restyle();
  }

  function restyle() {
    const again = style().cloneNode();
    again.dataset.late = '';
    style().replaceWith(again);
    return event(again, 'load', 'error');
  }

  /** Until the style is here, or cannot be had. */
  async function styled() {
    while (style()?.sheet === null && document.readyState !== 'complete') {
      await Promise.race([event(style(), 'load', 'error'), event(window, 'load'), new Promise((later) => setTimeout(later, 500))]);
    }
  }

  /** Says so if the style is not here as a whole. */
  async function checkStyle() {
    await styled();
    if (getComputedStyle(document.documentElement).getPropertyValue('--whole') !== '') return;
    const again = () => (style() ? restyle().then(checkStyle) : location.reload());
    lack(document.body, 'banner', 'This page has no style, as that could not be fetched.', './style.css', again);
  }

  async function start() {
    const module = await import('./pkg/fusescape.js');
    await module.default();
    await parsed;
    await styled();
    app();
    await module[open](ask);
  }

  const patience = setTimeout(() => {
    tellAwaited();
    waits = setInterval(tellAwaited, 1000);
  }, PATIENCE_MS);
  let waits;
  parsed.then(() => {
    document.querySelector('.late')?.remove();
    checkStyle();
  });
  start()
    .catch(async (error) => {
      await parsed;
      app().replaceChildren();
      const files = [...needed(), piece].join(' ');
      lack(app(), 'banner', 'Fusescape could not start.', files, () => location.reload(), error);
    })
    .finally(() => [patience, waits].forEach(clearInterval));

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
