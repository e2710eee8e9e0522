// Runs before the page's own scripts in a notebook, in the page and in its workers. No server has the page's files:
// the widget brings them as blobs, and `fusescapeFiles` has their addresses by name.

const { fetch, Worker, fusescapeFiles } = globalThis;
const blobOf = (address) => fusescapeFiles[String(address.url ?? address).split('/').at(-1)];

globalThis.fetch = async (address) => {
  const blob = blobOf(address);
  if (blob === undefined) throw new TypeError(`a notebook has no file ${address.url ?? address}`);
  return fetch(blob);
};

if (Worker) {
  globalThis.Worker = class extends Worker {
    constructor(address, options) {
      super(blobOf(address) ?? address, options);
    }
  };
}
