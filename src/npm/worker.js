// The engine's thread: a question and its files as input, its answer as output; both are texts.

import init, { answer } from './engine.js';

const engine = init();
const reader = new FileReaderSync();

self.onmessage = async ({ data: { question, files } }) => {
  const read = (file, start, end) => new Uint8Array(reader.readAsArrayBuffer(files[file].slice(start, end)));
  try {
    await engine;
    self.postMessage({ answer: answer(question, (...told) => self.postMessage({ told }), read) });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};
