// Caches the page for offline use: all files of one version, or none. `make site` fills in the two constants; the page
// registers this file only if they are filled in.
//
// An open page keeps its version, as the files of two versions do not fit together. The next version takes over when
// the last page of the old one closes, or when a page that is alone restarts (main.js).

const VERSION = 'unpublished';
const FILES = [];

// Several copies may be published below one address.
const PREFIX = `fusescape ${new URL(self.registration.scope).pathname} `;
const NAME = PREFIX + VERSION;

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(forgetOthers()));
self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
self.addEventListener('message', (event) => {
  if (event.data === 'take over') event.waitUntil(takeOver());
});

async function keep() {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)));
}

async function answer(request) {
  const cache = await caches.open(NAME);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}

async function takeOver() {
  const pages = await self.clients.matchAll({ includeUncontrolled: true, type: 'window' });
  if (pages.length <= 1) await self.skipWaiting();
}
