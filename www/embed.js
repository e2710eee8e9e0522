// Starts one view inside another page (www/EMBED.md).

import init, { openEmbed } from './pkg/fusescape.js';

try {
  await init();
  await openEmbed();
} catch (error) {
  const place = document.querySelector('#app .loading') ?? document.body;
  place.textContent = `Fusescape could not start: ${error}. It needs a browser with WebAssembly (and its SIMD).`;
}
