// Starts the page. Its workers share the module compiled here.

import init, { openPage } from './pkg/fusescape.js';

try {
  await init();
  openPage();
} catch (error) {
  const place = document.querySelector('#app .loading') ?? document.body;
  place.textContent = `Fusescape could not start: ${error}. It needs a browser with WebAssembly (and its SIMD).`;
}
