// A worker: instantiates the module that the page compiled and posts, then answers message by message, bytes for bytes.
// After a trap the module's state is unusable: it says so, and the page replaces this worker.

import { initSync, WorkerEngine } from './pkg/fusescape.js';

let engine;
// Some answers need code that is fetched first; the next message waits meanwhile.
let previous = Promise.resolve();

self.onmessage = ({ data }) => {
  previous = previous.then(() => receive(data));
};

async function receive(data) {
  try {
    if (engine === undefined) {
      initSync({ module: data.module });
      engine = new WorkerEngine();
      self.postMessage('Ready');
    } else {
      const answer = await (data.files ? WorkerEngine.import(data.files) : answerTo(data));
      self.postMessage(answer, [answer.buffer]);
    }
  } catch (error) {
    self.postMessage({ Failed: { text: String(error) } });
  }
}

async function answerTo(message) {
  const answer = engine.answer(message);
  if (answer !== undefined) return answer;
  await engine.fetch();
  return engine.answer(message);
}
