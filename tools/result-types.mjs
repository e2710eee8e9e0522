// Types of what commands find, made of docs/schema: node tools/result-types.mjs FOLDER writes a file a kind of result into it.

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
for (const [kind, name] of Object.entries(KINDS)) {
  const schema = JSON.parse(await readFile(join(import.meta.dirname, '..', 'docs', 'schema', `${kind}-1.json`), 'utf8'));
  // The title would become the type's name.
  delete schema.title;
  const text = await compile(schema, name, { bannerComment: '', additionalProperties: false, format: false, unknownAny: true });
  await writeFile(join(folder, `${kind}.d.ts`), text);
}
