// A worker: instantiates the module that the page compiled and posts, then answers message by message, bytes for bytes.
// After a trap the module's state is unusable: it says so, and the page replaces this worker.

import { initSync, WorkerEngine } from './pkg/fusescape.js';

let engine;

self.onmessage = ({ data }) => {
  try {
    if (engine === undefined) {
      initSync({ module: data.module });
      engine = new WorkerEngine();
      self.postMessage('Ready');
    } else {
      const answer = data.files ? engine.import(data.files) : engine.answer(data);
      self.postMessage(answer, [answer.buffer]);
    }
  } catch (error) {
    self.postMessage({ Failed: { text: String(error) } });
  }
};
