// Finds out which files cannot be fetched and why, and reports it in an element `missing-files` (main.js).

const PATIENCE_MS = 10_000;
// Types accepted by browsers, by the end of the name.
const TYPES = { css: /css/, js: /javascript/, wasm: /wasm/ };
const KINDS = { css: 'a style', js: 'a script', wasm: 'WebAssembly' };
// A function that uses SIMD.
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

const CHECK =
  'Check the connection, then retry. If that changes nothing, the server lacks what is named above, or something on the way replaces or ' +
  'blocks it: a page to sign in to this network, a proxy, a content blocker.';
const SOUND = 'Every file can be fetched now: retry.';
const UNEQUAL = 'If that changes nothing, its files may be of different versions. The browser says:';
const UNFIT = 'The browser lacks WebAssembly with SIMD, or forbids it here. Use a newer browser, or allow it for this address.';

/**
 * Fills the element: the missing part, the files to blame with reasons, a remedy. Its files are addresses and names of
 * pieces of code.
 */
export async function tell(element) {
  const { what, files, error } = element.dataset;
  let wrong = [];
  const reasons = make('ul', make('li', 'Looking for the reason …'));
  const buttons = make('div', button('Retry', 'primary', retry));
  buttons.className = 'row';
  if (element.className === 'toast') buttons.append(button('Close', '', () => fire(element, 'reset')));
  element.replaceChildren(make('p', make('b', what)), reasons, buttons);

  const listed = await Promise.all(files.split(' ').map((file) => (file.includes('.') ? [file] : filesOf(file))));
  const urls = new Set(listed.flat().map((file) => new URL(file, document.baseURI).href));
  const found = await Promise.all([...urls].map(async (url) => ({ url, why: await wrongWith(url) })));
  wrong = found.filter(({ why }) => why);
  reasons.replaceChildren(...sentences(wrong, error));

  async function retry() {
    this.disabled = true;
    // Browsers would use their cached copies of the bad files.
    await Promise.all(wrong.map(({ url }) => wrongWith(url)));
    fire(element, 'submit');
  }
}

function sentences(wrong, error) {
  if (!canRun()) return [make('li', UNFIT)];
  const name = (url) => url.replace(new URL('.', document.baseURI).href, '');
  if (wrong.length > 0) return [...wrong.map(({ url, why }) => make('li', make('code', name(url)), `: ${why}.`)), make('li', CHECK)];
  return [make('li', SOUND), ...(error ? [make('li', `${UNEQUAL} ${error}`)] : [])];
}

function canRun() {
  return typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(SIMD));
}

/** The files of a piece of code, as listed in the script that fetches it. */
async function filesOf(piece) {
  const loader = await fetch('./pkg/__wasm_split.js')
    .then((response) => response.text())
    .catch(() => '');
  const [, chunks] = loader.match(new RegExp(`__wasm_split_load_${piece} ?=[^[]*\\[([^\\]]*)\\]`)) ?? [];
  const others = (chunks ?? '').match(/chunk_\d+/g) ?? [];
  return [`split_${piece}`, ...others].map((name) => `pkg/${name}.wasm`);
}

/**
 * The reason why a file cannot be fetched; nothing if it can. Replaces the browser's cached copy, so that trying again
 * helps.
 */
async function wrongWith(url) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const late = `no answer came within ${PATIENCE_MS / 1000} s`;
  let response;
  try {
    response = await fetch(url, { cache: 'reload', signal });
  } catch {
    if (signal.aborted) return late;
    return navigator.onLine ? 'no answer came from the server' : 'this device has no connection';
  }
  if (response.status === 404) return 'the server does not have it (status 404)';
  if (!response.ok) return `the server refuses it (status ${response.status})`;
  const kind = url.split('.').pop();
  const type = response.headers.get('content-type') ?? 'no type';
  if (!TYPES[kind]?.test(type)) return `it came as ${type.split(';')[0]}, not as ${KINDS[kind]}`;
  try {
    const bytes = await response.arrayBuffer();
    if (!isWhole(kind, bytes)) return `what came is not whole (${bytes.byteLength} bytes)`;
  } catch {
    return signal.aborted ? late : 'it was cut off on its way';
  }
}

/** Text files of the page end with this word. */
function isWhole(kind, bytes) {
  return kind === 'wasm' ? WebAssembly.validate(bytes) : new TextDecoder().decode(bytes).includes('--whole');
}

function make(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

function button(text, className, onclick) {
  return Object.assign(make('button', text), { type: 'button', className, onclick });
}

function fire(element, kind) {
  element.dispatchEvent(new Event(kind, { bubbles: true }));
}
