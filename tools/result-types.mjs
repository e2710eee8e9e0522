// Types of what commands find, made of docs/schema, and of their options, made of docs/options.json: node tools/result-types.mjs FOLDER writes
// a file for each kind of result into it, and options.d.ts.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from 'json-schema-to-typescript';

const KINDS = {
  attention: 'Attention',
  'depth-first': 'DepthFirst',
  optimal: 'Optimal',
  fuse: 'Fuse',
  layer: 'Layer',
  hierarchy: 'Hierarchy',
  cores: 'Cores',
  'study-front': 'StudyFront',
};

const [folder] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const [kind, name] of Object.entries(KINDS)) await write(kind, await read('schema', `${kind}-1.json`), name);
// Nothing refers to the options of a command.
await write('options', await read('options.json'), 'Options', { unreachableDefinitions: true });

async function read(...path) {
  return JSON.parse(await readFile(join(import.meta.dirname, '..', 'docs', ...path), 'utf8'));
}

async function write(file, schema, name, more = {}) {
  // The title would become the type's name.
  delete schema.title;
  const options = { bannerComment: '', additionalProperties: false, format: false, unknownAny: true, ...more };
  await writeFile(join(folder, `${file}.d.ts`), await compile(schema, name, options));
}
