// Starts the page. Its workers share the module compiled here.

import init, { openPage } from './pkg/fusescape.js';

try {
  await init();
  await openPage();
} catch (error) {
  const place = document.querySelector('#app .loading') ?? document.body;
  place.textContent = `Fusescape could not start: ${error}. It needs a browser with WebAssembly (and its SIMD).`;
}

// A file that misses the cards would replace the page.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
}

// A published page can be opened offline from the second time on, where the browser lets it keep anything.
const version = document.querySelector('meta[name=version]')?.content;
if (version && navigator.serviceWorker !== undefined) {
  navigator.serviceWorker.register('./service-worker.js').then(
    ({ waiting }) => {
      if (!waiting) return;
      // What the page has yet to fetch would be of the next version, which does not fit what is here.
      navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
      waiting.postMessage('take over');
    },
    () => {},
  );
}
