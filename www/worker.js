// A worker: instantiates the module that the page compiled and posts, then answers message by message, bytes for bytes.
// After a trap the module's state is unusable: it says so, and the page replaces this worker. What it cannot fetch changes nothing.

import { initSync, WorkerEngine } from './pkg/fusescape.js';

let engine;
let memory;
// Some answers need code that is fetched first; the next message waits meanwhile.
let previous = Promise.resolve();

self.onmessage = ({ data }) => {
  previous = previous.then(() => receive(data));
};

async function receive(data) {
  try {
    if (engine === undefined) {
      const isHeld = hold(data.lock);
      ({ memory } = initSync({ module: data.module }));
      engine = new WorkerEngine();
      await isHeld;
      self.postMessage('Ready');
    } else {
      const answer = await (data.files ? importOf(data.files) : answerTo(data));
      if (answer !== undefined) self.postMessage(answer, [answer.buffer]);
    }
  } catch (error) {
    self.postMessage({ Failed: { text: isExhausted() ? `it ran out of memory (${gibibytes()} GiB)` : String(error) } });
  }
}

async function answerTo(message) {
  const answer = engine.answer(message);
  if (answer !== undefined) return answer;
  if (await has(engine.fetch())) return engine.answer(message);
}

async function importOf(files) {
  if (await has(WorkerEngine.fetchImporter())) return WorkerEngine.import(files);
}

/** Whether code could be fetched; if not the page hears of the files. */
async function has(code) {
  try {
    await code;
    return true;
  } catch {
    const files = performance.getEntriesByType('resource').map(({ name }) => name);
    self.postMessage({ Missing: { files: files.filter((name) => name.endsWith('.wasm')) } });
  }
}

/** Takes a lock for as long as this worker lives, which tells the page when it does not any more. */
function hold(lock) {
  return new Promise((held) => {
    const forever = () => (held(), new Promise(() => {}));
    if (navigator.locks) navigator.locks.request(lock, forever).catch(held);
    else held();
  });
}

const gibibytes = () => Number((memory.buffer.byteLength / 2 ** 30).toFixed(1));

/** Whether memory has come so near its limit, whichever that is, that a twentieth more cannot be had. */
function isExhausted() {
  try {
    memory?.grow(Math.ceil(memory.buffer.byteLength / 2 ** 16 / 20));
    return false;
  } catch {
    return true;
  }
}
// --whole
