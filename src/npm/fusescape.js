// Fusescape for web pages: functions that run the engine in a web worker. `fusescape.d.ts` describes them, and
// `README.md` has examples.

/** All errors of documents and options, or the reasons why nothing fits. */
export class FusescapeError extends Error {
  name = 'FusescapeError';

  constructor(diagnostics) {
    super(diagnostics.map(sentence).join('\n'));
    this.diagnostics = diagnostics;
  }
}

export class Fusescape {
  #worker;
  #asked = [];
  #isClosed = false;

  evaluate(hardware, network, { tile, mode = 'fully-cached', ...options } = {}) {
    const [columns, rows] = Array.isArray(tile) ? tile : [];
    const tiles = [[columns], [rows]];
    if (columns === undefined || rows === undefined) {
      const diagnostic = { path: 'tile', line: null, reason: 'The size of the tile is missing', remedy: 'Give tile: [columns, rows]' };
      return Promise.reject(new FusescapeError([diagnostic]));
    }
    return this.#ask('evaluate', { hardware, network }, { ...options, tiles, modes: [mode] });
  }

  depthFirst(hardware, network, options) {
    return this.#ask('depthFirst', { hardware, network }, options);
  }

  optimal(hardware, network, options) {
    return this.#ask('optimal', { hardware, network }, options);
  }

  fuse(hardware, network, options) {
    return this.#ask('fuse', { hardware, network }, options);
  }

  mapLayer(hardware, network, layer, options) {
    return this.#ask('mapLayer', { hardware, network }, { ...options, layers: [layer] });
  }

  mapLayers(hardware, network, options) {
    return this.#ask('mapLayers', { hardware, network }, options);
  }

  hierarchies(network, { pool = 'zigzag-65nm', hardware = 'zigzag-8x8', ...options } = {}) {
    return this.#ask('hierarchies', { pool, hardware, network }, options);
  }

  cores(system, network, { hardware = 'tpu-like', ...options } = {}) {
    return this.#ask('cores', { system, hardware, network }, options);
  }

  attention(hardware, transformer, options) {
    return this.#ask('attention', { hardware, transformer }, options);
  }

  study(study, { documents = {}, ...options } = {}) {
    const named = Object.entries(documents).map(([kind, given]) => [kind, texts(given)]);
    return this.#ask('study', { study }, { ...options, ...Object.fromEntries(named) });
  }

  importFiles(files, options) {
    return this.#ask('import', {}, options, undefined, [...files].map(blob));
  }

  presets(kind) {
    return this.#ask('presets', {}, {}, kind);
  }

  facts(kind, document) {
    return this.#ask('facts', { [kind]: document }, {}, kind);
  }

  close() {
    this.#isClosed = true;
    this.#end(new Error('Fusescape was closed.'), this.#asked.splice(0));
  }

  #ask(command, documents, { signal, progress, ...options } = {}, kind, files = []) {
    return new Promise((found, refused) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error('Fusescape was closed.');
      const sizes = files.map(({ name, data: { size } }) => ({ name, size }));
      const question = JSON.stringify({ command, kind, documents: texts(documents), files: sizes, options });
      const asked = { question, files: files.map(({ data }) => data), progress, found, refused };
      signal?.addEventListener('abort', () => this.#drop(asked, signal.reason), { once: true });
      this.#asked.push(asked);
      if (this.#asked.length === 1) this.#next();
    });
  }

  /** Asks one question at a time: the worker has one thread. */
  #next() {
    const [asked] = this.#asked;
    if (asked === undefined) return;
    this.#worker ??= this.#begin();
    this.#worker.postMessage({ question: asked.question, files: asked.files });
  }

  #begin() {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => this.#fail(event.message || 'its script cannot be loaded');
    return worker;
  }

  #receive({ told, answer, failed }) {
    if (told !== undefined) return this.#asked[0]?.progress?.(...told);
    if (failed !== undefined) return this.#fail(failed);
    const { found, refused } = this.#asked.shift();
    const { found: result, wrong } = JSON.parse(answer);
    if (wrong === undefined) found(result);
    else refused(new FusescapeError(wrong));
    this.#next();
  }

  /** The current question has no answer; the next one gets a new worker. */
  #fail(reason) {
    this.#end(new Error(`Fusescape's engine failed: ${reason}`), this.#asked.splice(0, 1));
    this.#next();
  }

  #drop(asked, reason) {
    const place = this.#asked.indexOf(asked);
    if (place < 0) return;
    this.#asked.splice(place, 1);
    if (place > 0) return asked.refused(reason);
    this.#end(reason, [asked]);
    this.#next();
  }

  #end(reason, unanswered) {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { refused } of unanswered) refused(reason);
  }
}

/** Documents as texts, with the lines that diagnostics refer to. */
function texts(documents) {
  const text = (given) => (typeof given === 'object' && given !== null ? JSON.stringify(given, null, 2) : given);
  return Object.fromEntries(Object.entries(documents).map(([kind, given]) => [kind, text(given)]));
}

/** A file as the worker reads it, piece by piece. */
function blob(file) {
  if (file instanceof File) return { name: file.name, data: file };
  return { name: file.name, data: file.data instanceof Blob ? file.data : new Blob([file.data]) };
}

function sentence({ path, line, reason, remedy }) {
  const place = [path, line && `line ${line}`].filter(Boolean).join(', ');
  return `${place}${place && ': '}${reason}. ${remedy}.`;
}
