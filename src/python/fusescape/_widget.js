// The widget of `fusescape.show`: the embedded page in a frame, and its messages to and from Python. Python sends the
// files of the page in custom messages, once per tab. They become blobs, so no request goes to a host.

const PATIENCE_MS = 20_000;
const TYPES = { css: 'text/css', html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
// Fields set by both sides: their names in Python, and in messages of the page.
const SHARED = { hardware: 'hardware', network: 'workload', view: 'view', metric: 'metric', link: 'link' };

/** Addresses of the page's files by name, for each build that this tab has loaded. */
const known = (globalThis[Symbol.for('fusescape files')] ??= new Map());

export default {
  render({ model, el }) {
    let isGone = false;
    let leave = () => {};
    say(el, 'Loading Fusescape …');
    filesOf(model).then(
      (files) => {
        if (!isGone) leave = show(model, el, files);
      },
      ({ message }) => say(el, message),
    );
    return () => {
      isGone = true;
      leave();
    };
  },
};

function say(el, text) {
  el.replaceChildren(Object.assign(document.createElement('p'), { textContent: text }));
}

function filesOf(model) {
  const build = model.get('_build');
  if (!known.has(build)) {
    const files = fetchFiles(model);
    known.set(build, files);
    files.catch(() => known.delete(build));
  }
  return known.get(build);
}

function fetchFiles(model) {
  return new Promise((found, failed) => {
    const late = () => end(() => failed(new Error('Python sends no page. Run this cell again.')));
    const waits = setTimeout(late, PATIENCE_MS);
    const end = (settle) => {
      clearTimeout(waits);
      model.off('msg:custom', hear);
      settle();
    };
    const hear = ({ type, names }, buffers) => {
      if (type === 'files') end(() => found(blobs(names, buffers)));
    };
    model.on('msg:custom', hear);
    model.send({ type: 'files' });
  });
}

async function blobs(names, buffers) {
  const unpacked = buffers.map((buffer) => new Response(new Blob([buffer]).stream().pipeThrough(new DecompressionStream('gzip'))).blob());
  const files = new Map((await Promise.all(unpacked)).map((bytes, index) => [names[index], bytes]));
  const addresses = {};
  const add = (name, ...parts) => (addresses[name] = URL.createObjectURL(new Blob(parts, { type: TYPES[name.split('.').at(-1)] })));
  // Scripts start with the addresses of the files they fetch; for the page they include its worker.
  const told = () => `globalThis.fusescapeFiles = ${JSON.stringify(addresses)};\n`;
  const scripts = ['worker.js', 'page.js'];
  for (const [name, bytes] of files) if (!scripts.includes(name)) add(name, bytes);
  for (const name of scripts) add(name, told(), files.get(name));
  return addresses;
}

/** Shows the embedded page. Returns a function that removes it. */
function show(model, el, files) {
  const frame = document.createElement('iframe');
  const page = new Blob([html(model, files)], { type: TYPES.html });
  const address = URL.createObjectURL(page);
  frame.title = 'Fusescape';
  frame.allow = 'clipboard-write';
  frame.style.cssText = 'display: block; width: 100%; border: 0';
  frame.style.height = `${model.get('_height') ?? 720}px`;
  frame.src = `${address}#${model.get('link')}`;

  // `first` is the state in the page's address, `shown` the state last reported by the page or sent to it.
  const first = wanted(model);
  const shown = { ...first, metric: null };
  let isReady = false;
  const tell = (message) => frame.contentWindow?.postMessage({ fusescape: 1, ...message }, '*');
  const set = () => {
    const now = wanted(model);
    const changed = Object.entries(now).filter(([field, value]) => value !== shown[field] && value !== null);
    if (!isReady || changed.length === 0) return;
    Object.assign(shown, now);
    tell({ type: 'set', id: 'set', ...Object.fromEntries(changed) });
  };
  const take = (values) => {
    for (const [name, value] of Object.entries(values)) {
      if (name in SHARED) shown[SHARED[name]] = value;
      model.set(name, value);
    }
    model.save_changes();
  };
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.fusescape !== 1) return;
    if (data.type === 'ready') {
      // A notebook removes cells that are out of sight; when they come back, the page starts again.
      if (isReady) Object.assign(shown, first, { metric: shown.metric });
      isReady = true;
      set();
      tell({ type: 'get', id: 'get' });
    } else if (data.type === 'resize' && model.get('_height') === null) {
      frame.style.height = `${data.height}px`;
    } else if (data.type === 'changed') {
      results = data.results;
      tell({ type: 'get', id: 'get' });
    } else if (data.type === 'state') {
      const { link, view, hardware, workload } = data;
      results = data.results ?? results;
      // Invalid documents, such as unfinished edits, are not passed to Python.
      const design = results?.status === 'rejected' ? {} : { hardware, network: workload, link };
      take({ view, ...design, ...(results && { results }), errors: [] });
    } else if (data.type === 'error') {
      take({ errors: data.errors });
    }
  };
  let results;
  window.addEventListener('message', hear);
  model.on('change', set);
  el.replaceChildren(frame);
  return () => {
    window.removeEventListener('message', hear);
    model.off('change', set);
    URL.revokeObjectURL(address);
  };
}

function wanted(model) {
  return Object.fromEntries(Object.entries(SHARED).map(([name, field]) => [field, model.get(name)]));
}

/** HTML of the page. Its policy forbids all requests except of blobs. */
function html(model, files) {
  const theme = model.get('_theme') === 'auto' ? notebookTheme() : model.get('_theme');
  const asked = new URLSearchParams({ view: model.get('view'), controls: model.get('_controls').join(','), theme });
  const policy = "default-src 'none'; script-src blob: 'wasm-unsafe-eval'; style-src blob:; worker-src blob:; connect-src blob:; img-src blob: data:";
  return `<!doctype html>
<html lang="en" data-theme="auto" data-asked="${String(asked).replaceAll('&', '&amp;')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Fusescape in a notebook</title>
<link rel="stylesheet" href="${files['style.css']}">
<script src="${files['page.js']}" data-open="openEmbed" data-piece="others"></script>
</head>
<body><div id="app"><p class="loading">Loading Fusescape …</p></div></body>
</html>`;
}

/** The theme of JupyterLab; elsewhere `auto`, that of the system. */
function notebookTheme() {
  return { true: 'light', false: 'dark' }[document.body.dataset.jpThemeLight] ?? 'auto';
}
