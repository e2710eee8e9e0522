// Runs the browser tests, as many files side by side as there are processors:
//
//   node tests/browser/run.mjs              those of `make test`
//   node tests/browser/run.mjs --thorough   those of `make test-all`: tests/browser/thorough, too
//   node tests/browser/run.mjs smoke        those whose file's name contains "smoke", in both folders

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { REPOSITORY, WWW, launchServer } from './harness.mjs';

const MINUTE = 60_000;
// The slowest files come first, so that the end of the run is balanced.
const FIRST = ['views', 'embed', 'lessons', 'attention', 'schedule', 'import', 'cores', 'mapping', 'app'].map((name) => `${name}.test.mjs`);

const wanted = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '';
const isThorough = process.argv.includes('--thorough') || wanted !== '';
const folders = [import.meta.dirname, ...(isThorough ? [join(import.meta.dirname, 'thorough')] : [])];
const rank = (file) => (FIRST.includes(file) ? FIRST.indexOf(file) : FIRST.length);
const files = folders
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.test.mjs') && basename(file).includes(wanted))
  .sort((a, b) => rank(basename(a)) - rank(basename(b)) || a.localeCompare(b));

if (files.length === 0) fail(`no file tests/browser/*${wanted}*.test.mjs`);
if (!existsSync(join(WWW, 'pkg'))) fail('the page is not built yet: run `make build`');
// The command line, which the page is compared with.
if (!process.env.FUSESCAPE_CLI) {
  const cargo = spawnSync('cargo', ['build', '--quiet', '--package', 'fusescape-cli'], { cwd: REPOSITORY, stdio: 'inherit' });
  if (cargo.status !== 0) fail('the command line cannot be built');
}

// Each browser has workers for all processors; more browsers would only wait for each other.
const concurrency = Math.min(availableParallelism(), 4);
const browser = await launchServer();
process.env.FUSESCAPE_BROWSER = browser.wsEndpoint();
const took = [];
run({ files, concurrency, timeout: (process.env.FUSESCAPE_SLOWER ? 60 : 15) * MINUTE })
  .on('test:fail', () => (process.exitCode = 1))
  .on('test:pass', ({ name, nesting, details }) => nesting === 0 && took.push([details.duration_ms / 1000, name]))
  .on('end', () => setImmediate(end))
  .compose(spec)
  .pipe(process.stdout);

/** Prints the slowest tests, in lines that tools/test.mjs reads. */
async function end() {
  const slowest = took.sort(([a], [b]) => b - a).slice(0, 20);
  for (const [seconds, name] of slowest) console.log(`took ${seconds.toFixed(1)} s: ${name}`);
  await browser.close();
}

function fail(message) {
  console.error(`browser tests: ${message}`);
  process.exit(1);
}
