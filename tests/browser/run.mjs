// Runs the browser tests one after the other, so that each has the machine for itself:
//
//   node tests/browser/run.mjs            all of them
//   node tests/browser/run.mjs smoke      those whose file's name contains "smoke"

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WWW } from './harness.mjs';

const MINUTE = 60_000;

const wanted = process.argv[2] ?? '';
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.mjs') && name.includes(wanted))
  .sort()
  .map((name) => join(import.meta.dirname, name));

if (files.length === 0) fail(`no file tests/browser/*${wanted}*.test.mjs`);
if (!existsSync(join(WWW, 'pkg'))) fail('the page is not built yet: run `make build`');

const options = ['--test', '--test-concurrency=1', '--test-reporter=spec', `--test-timeout=${10 * MINUTE}`];
const { status } = spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit' });
process.exit(status ?? 1);

function fail(message) {
  console.error(`browser tests: ${message}`);
  process.exit(1);
}
