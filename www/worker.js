// A worker: instantiates the module that the page posts, then answers message by message.
// After a trap it is unusable: it says so, and the page replaces it.

import { initSync, WorkerEngine } from './pkg/fusescape.js';

// Thrown if not fetched yet.
const PIECES = new Set(['answers', 'import']);

let engine;
let memory;
// Code may have to be fetched first; the next message waits.
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
      const answer = await (data.files ? WorkerEngine.import(data.files, data.asTransformer) : answerTo(data));
      self.postMessage(answer, [answer.buffer]);
    }
  } catch (error) {
    self.postMessage(PIECES.has(error) ? { Missing: error } : { Failed: reason(error) });
  }
}

async function answerTo(message) {
  const answer = engine.answer(message);
  if (answer !== undefined) return answer;
  await engine.fetch().catch(() => Promise.reject('answers'));
  return engine.answer(message);
}

/** By this lock the page notices the end of the worker. */
function hold(lock) {
  return new Promise((held) => {
    const forever = () => (held(), new Promise(() => {}));
    if (navigator.locks) navigator.locks.request(lock, forever).catch(held);
    else held();
  });
}

/** Memory has run out if a twentieth more cannot be allocated. */
function reason(error) {
  if (memory === undefined) return String(error);
  const { byteLength } = memory.buffer;
  try {
    memory.grow(byteLength / 2 ** 16 / 20);
    return String(error);
  } catch {
    return `it ran out of memory (${Number((byteLength / 2 ** 30).toFixed(1))} GiB)`;
  }
}
// --whole
