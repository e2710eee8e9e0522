// The engine's thread: a question in, its answer out, both texts.

import init, { answer } from './engine.js';

const engine = init();

self.onmessage = async ({ data }) => {
  try {
    await engine;
    self.postMessage({ answer: answer(data, (...told) => self.postMessage({ told })) });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};
