// Runs everything that a change may break, one thing after another, and prints where the time went:
//
//   node tools/test.mjs               what `make test` runs
//   node tools/test.mjs --thorough    what `make test-all` runs: all tests in full, and all packages and clusters
//
// `--began=LINE` is the first line of /proc/uptime when the set-up began. The output of commands is kept in
// target/test. CPU is that of the machine, as browsers do not report the CPU time of their processes: nothing else
// should run beside it.

import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '..');
const LOGS = join(REPOSITORY, 'target', 'test');
const SLOWEST = 10;

process.chdir(REPOSITORY);
process.env.PATH = `${join(REPOSITORY, '.tools/bin')}:${process.env.PATH}`;
const isThorough = process.argv.includes('--thorough');
const began = clock(process.argv.find((argument) => argument.startsWith('--began='))?.slice('--began='.length));

// The tests' own programs report the time of each test if they are asked as with a nightly compiler, which does not
// affect compiling.
const TIMES = ['--config', 'target."cfg(unix)".runner = ["env", "RUSTC_BOOTSTRAP=1"]'];
const AS = ['--', '-Zunstable-options', '--report-time', ...(isThorough ? ['--include-ignored'] : [])];
const WASM = ['--target', 'wasm32-unknown-unknown'];
const OF_BROWSERS = ['--package', 'fusescape-module', '--package', 'fusescape-npm', '--package', 'fusescape-bench', ...WASM];

// Code compiled for tests is linted as it is compiled: alone, clippy would read all of it once more. It replaces rustc
// for the packages of this workspace, with its lints passed as in `cargo clippy -- -D warnings`. It switches rustc's
// own inlining off, so that tests would take half as long again without LLVM's inlining between codegen units (`lto =
// false` is cargo's name for it).
const LINTED = {
  RUSTC_WORKSPACE_WRAPPER: 'clippy-driver',
  CLIPPY_ARGS: '-Dwarnings__CLIPPY_HACKERY__',
  CARGO_PROFILE_DEV_LTO: 'false',
};

// A macro names the modules of views (src/app/mod.rs), so rustfmt does not come to them by itself.
const MODULES_OF_PAGE = readdirSync('src/app').map((name) => (name.endsWith('.rs') ? `src/app/${name}` : `src/app/${name}/mod.rs`));

// Each command with the part of the work that its time is counted for.
const COMMANDS = [
  ['compiling', 'cargo', 'fmt', '--all', '--', '--check', ...MODULES_OF_PAGE],
  ['compiling', 'cargo', 'build', '--lib', '--bins', '--tests', '--bench', '*'],
  ['compiling', 'tools/build-page'],
  ['compiling', 'cargo', 'build', '--lib', ...OF_BROWSERS],
  ['native', 'cargo', 'test', '--tests', ...TIMES, ...AS],
  ['native', 'cargo', 'test', '--doc'],
  ['Python', 'tools/test-python', '--quick'],
  ['browser', 'node', 'tests/browser/run.mjs'],
];
const THOROUGH = [
  ['published', 'cargo', 'build', '--release', '--package', 'fusescape-cli'],
  ['published', 'cargo', 'clippy', '--package', 'fusescape-bind', '--features', 'cut', '--', '-D', 'warnings'],
  ['published', 'cargo', 'clippy', '--package', 'fusescape', '--features', 'pieces', '--lib', ...WASM, '--', '-D', 'warnings'],
  ['published', 'tools/build-published'],
  ['published', 'tools/build-site'],
  ['published', 'tools/build-scorm'],
  ['published', 'tools/build-npm'],
  ['published', 'tools/build-wheel'],
  ['published', 'tools/test-python'],
  ['published', 'env', 'FUSESCAPE_WWW=target/published', 'node', 'tests/browser/run.mjs', '--thorough'],
  ['oracles', 'make', 'oracle'],
];

rmSync(LOGS, { recursive: true, force: true });
mkdirSync(LOGS, { recursive: true });
const parts = new Map();
let last = began;
count('set-up');
for (const [part, ...command] of [...COMMANDS, ...(isThorough ? THOROUGH : [])]) {
  const failed = await run(part, command);
  count(part);
  if (failed) {
    report();
    console.error(`\ntest: \`${command.join(' ')}\` failed`);
    process.exit(1);
  }
}
report();
console.log('\nall passed');

/** Runs a command, keeping its output; returns whether it failed. */
function run(part, [program, ...given]) {
  console.log(`\ntest: ${program} ${given.join(' ')}`);
  const log = createWriteStream(join(LOGS, `${part}.log`), { flags: 'a' });
  const isPublished = part === 'published';
  // Built with all tests: alone it would be compiled again, as some dependencies have other features then. Published
  // builds state their commit in results, and are compared with a command line that does, too.
  const commandLine = join(REPOSITORY, process.env.CARGO_TARGET_DIR ?? 'target', isPublished ? 'release' : 'debug', 'fusescape');
  const env = { ...process.env, FUSESCAPE_CLI: commandLine, ...(isPublished ? {} : LINTED) };
  const child = spawn(program, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [from, to] of [[child.stdout, process.stdout], [child.stderr, process.stderr]]) {
    from.pipe(to, { end: false });
    from.pipe(log, { end: false });
  }
  return new Promise((ended) => {
    child.on('error', (error) => {
      console.error(`test: ${program}: ${error.message}`);
      ended(true);
    });
    child.on('close', (code) => log.end(() => ended(code !== 0)));
  });
}

/** Seconds since this machine was started, and idle seconds of its processors since then (proc(5)). */
function clock(line = readFileSync('/proc/uptime', 'utf8')) {
  const [seconds, idle] = line.trim().split(' ').map(Number);
  return { seconds, idle };
}

/** Counts the time since the last call for a part of the work. */
function count(part) {
  const now = clock();
  const { seconds, cpu } = parts.get(part) ?? { seconds: 0, cpu: 0 };
  const passed = now.seconds - last.seconds;
  parts.set(part, { seconds: seconds + passed, cpu: cpu + passed * cpus().length - (now.idle - last.idle) });
  last = now;
}

function report() {
  const row = (...cells) => console.log(`  ${cells[0].padEnd(12)}${cells.slice(1).map((cell) => cell.padStart(10)).join('')}`);
  const minutes = (seconds) => (seconds / 60).toFixed(1);
  console.log('\nwhere the time went, minutes');
  row('', 'wall', 'CPU');
  for (const [part, { seconds, cpu }] of parts) row(part, minutes(seconds), minutes(cpu));
  const all = [...parts.values()];
  row('all', minutes(all.reduce((sum, { seconds }) => sum + seconds, 0)), minutes(all.reduce((sum, { cpu }) => sum + cpu, 0)));
  console.log('\nthe slowest tests, seconds');
  for (const { seconds, name } of slowest()) console.log(`  ${seconds.toFixed(1).padStart(6)}  ${name}`);
}

/** The slowest tests, from the output of Rust's, Python's and the browsers' runners. */
function slowest() {
  const found = [];
  const read = (part, pattern, name) => {
    const file = join(LOGS, `${part}.log`);
    if (!existsSync(file)) return;
    for (const match of readFileSync(file, 'utf8').matchAll(pattern)) found.push(name(match));
  };
  read('native', /^test (.*) \.\.\. ok <([\d.]+)s>$/gm, ([, name, seconds]) => ({ seconds: Number(seconds), name }));
  read('native', /^(\S+): \d+ cases, .*, ([\d.]+) s$/gm, ([, name, seconds]) => ({ seconds: Number(seconds), name }));
  for (const part of ['Python', 'published']) {
    read(part, /^([\d.]+)s (?:call|setup) +(\S+)$/gm, ([, seconds, name]) => ({ seconds: Number(seconds), name }));
  }
  for (const part of ['browser', 'published']) {
    read(part, /^took ([\d.]+) s: (.*)$/gm, ([, seconds, name]) => ({ seconds: Number(seconds), name }));
  }
  return found.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
}
