// Runs the browser tests, as many files side by side as there are processors:
//
//   node tests/browser/run.mjs            all of them
//   node tests/browser/run.mjs smoke      those whose file's name contains "smoke"

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { REPOSITORY, WWW } from './harness.mjs';

const MINUTE = 60_000;
// These take longest, so they begin: nothing is left to wait for at the end.
const FIRST = ['views', 'loading', 'embed', 'firefox', 'share', 'app', 'explain', 'network'].map((name) => `${name}.test.mjs`);

const wanted = process.argv[2] ?? '';
const rank = (file) => (FIRST.includes(file) ? FIRST.indexOf(file) : FIRST.length);
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.mjs') && name.includes(wanted))
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  .map((name) => join(import.meta.dirname, name));

if (files.length === 0) fail(`no file tests/browser/*${wanted}*.test.mjs`);
if (!existsSync(join(WWW, 'pkg'))) fail('the page is not built yet: run `make build`');
// The command line, which the page is held against: just as the native tests have built it, so that it is there after them.

// Each browser has workers for all processors; more of them than this only wait for each other.
const concurrency = Math.min(availableParallelism(), 4);
run({ files, concurrency, timeout: 10 * MINUTE })
  .on('test:fail', () => (process.exitCode = 1))
  .compose(spec)
  .pipe(process.stdout);

function fail(message) {
  console.error(`browser tests: ${message}`);
  process.exit(1);
}
