// The package for JavaScript, in a foreign page: target/npm as built by `tools/build-npm`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE, REPOSITORY, commandLine, withPage } from '../harness.mjs';
import { input, model, node, weights } from '../onnx.mjs';

const PACKAGE = join(REPOSITORY, 'target', 'npm');

/** The code blocks in this language in the README, in order. */
const README = await readFile(join(PACKAGE, 'README.md'), 'utf8').catch(() => assert.fail('there is no target/npm: run `make npm`'));
const fenced = (language) => [...README.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text);
const [PAGE] = fenced('html');

/** A page with the package beside it, and with `fusescape` and `Fusescape` as globals. */
async function withPackage(visit) {
  const root = await mkdtemp(join(tmpdir(), 'fusescape-npm-'));
  try {
    await cp(PACKAGE, join(root, 'fusescape'), { recursive: true });
    await writeFile(join(root, 'index.html'), PAGE.replace('<pre', '<link rel="icon" href="data:,"><pre'));
    const own = `<!doctype html><title>Own</title><link rel="icon" href="data:,"><script type="module">
      import { Fusescape, FusescapeError } from '/fusescape/fusescape.js';
      Object.assign(window, { Fusescape, FusescapeError, fusescape: new Fusescape() });
    </script>`;
    await writeFile(join(root, 'own.html'), own);
    return await withPage(async ({ page, url, problems }) => {
      await page.goto(`${url}own.html`);
      await page.waitForFunction(() => window.fusescape);
      return visit({ page, url, problems });
    }, { root });
  } finally {
    await rm(root, { recursive: true });
  }
}

test('the page of the README shows what stands below it', () =>
  withPackage(async ({ page, url }) => {
    await page.goto(url);
    const [said] = fenced('text');
    await page.getByText(said.trim(), { exact: true }).waitFor();
  }));

test('every example of the README says what stands below it', () =>
  withPackage(async ({ page }) => {
    const examples = fenced('js');
    const said = await page.evaluate(async (examples) => {
      const Run = Object.getPrototypeOf(async () => {}).constructor;
      const all = [];
      for (const example of examples) {
        const lines = [];
        await new Run('fusescape', 'say', example)(window.fusescape, (line) => lines.push(`${line}\n`));
        all.push(lines.join(''));
      }
      return all;
    }, examples);
    assert.deepEqual(said, fenced('text').slice(1));
  }));

const CORE = ['--hardware', 'meta-proto-like-df', '--workload', 'fsrcnn-60'];
const GRID = ['--grid', '4,60x4,60'];
const MAPPED = ['--hardware', 'zigzag-8x8', '--workload', 'alexnet-eyeriss', '--layer', 'conv3'];
const ON_CORE = ['meta-proto-like-df', 'fsrcnn-60'];
const TILES = [[4, 60], [4, 60]];
const JSON_FORMAT = ['--format', 'json'];

// A question, and the arguments of the same command.
const SAME = [
  ['evaluate', [...ON_CORE, { tile: [60, 4] }], ['depth-first', ...CORE, '--tile', '60x4', '--mode', 'fully-cached', ...JSON_FORMAT]],
  ['depthFirst', ON_CORE, ['depth-first', ...CORE, ...JSON_FORMAT]],
  [
    'depthFirst',
    [...ON_CORE, { tiles: TILES, modes: ['h-cached-v-recompute'], stacks: ['map2'], objective: 'edp', strategy: 'loma', lpf_limit: 5 }],
    ['depth-first', ...CORE, ...GRID, '--mode', 'h-cached-v-recompute', '--stacks', 'map2', '--objective', 'edp', '--strategy', 'loma']
      .concat('--lpf-limit', '5', JSON_FORMAT),
  ],
  [
    'optimal',
    [...ON_CORE, { tiles: TILES, most_layers: 3, rules: 'defines-2022' }],
    ['depth-first', ...CORE, ...GRID, '--stacks', 'optimal', '--most-layers', '3', '--rules', 'defines-2022', ...JSON_FORMAT],
  ],
  ['fuse', [...ON_CORE, { tiles: TILES }], ['fuse', ...CORE, ...GRID, ...JSON_FORMAT]],
  ['mapLayers', ON_CORE, ['layer', ...CORE, '--json']],
  [
    'mapLayer',
    ['zigzag-8x8', 'alexnet-eyeriss', 'conv3', { unroll: 'search', lpf_limit: 4, hints: { D1: ['K', 'C'] } }],
    ['layer', ...MAPPED, '--unroll', 'search', '--lpf-limit', '4', '--hint', 'D1=K,C', '--json'],
  ],
  [
    'hierarchies',
    ['alexnet-eyeriss', { layers: ['conv3'], max_levels: 1, budget_um2: 1.1e6 }],
    ['hierarchy', '--workload', 'alexnet-eyeriss', '--layer', 'conv3', '--max-levels', '1', '--budget', '1100000um2', ...JSON_FORMAT],
  ],
  ['cores', ['ws-pair', 'three-convs'], ['cores', '--system', 'ws-pair', '--workload', 'three-convs', ...JSON_FORMAT]],
  [
    'cores',
    ['ws-pair', 'three-convs', { tiles: '4', allocation: 'genetic', generations: 3 }],
    ['cores', '--system', 'ws-pair', '--workload', 'three-convs', '--tiles', '4', '--allocation', 'genetic', '--generations', '3']
      .concat(JSON_FORMAT),
  ],
  [
    'attention',
    ['fusemax-like', 'gpt2-small', { tokens: 1024, bits: { keys: 8, weights: 4 }, objective: 'latency', generate: 8, chunk: 512 }],
    ['attention', '--hardware', 'fusemax-like', '--model', 'gpt2-small', '--tokens', '1024', '--bits', 'keys=8,weights=4']
      .concat('--objective', 'latency', '--generate', '8', '--chunk', '512', JSON_FORMAT),
  ],
  ['attention', ['fusemax-like', 'bert-base', { tokens: 512, bits: 8 }], [
    'attention', '--hardware', 'fusemax-like', '--model', 'bert-base', '--tokens', '512', '--bits', '8', ...JSON_FORMAT,
  ]],
];

// Times, counts that depend on how threads share work, and the build.
const DIFFER = new Set(['seconds', 'searched', 'pruned', 'mapping_problems_searched', 'strategies_ruled_out_by_bounds', 'commit']);
function comparable(found) {
  if (Array.isArray(found)) return found.map(comparable);
  if (typeof found !== 'object' || found === null) return found;
  const fields = Object.entries(found).filter(([name]) => !DIFFER.has(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, comparable(value)]));
}

// Additional fields of the package.
const MORE = { mapLayer: ['mapping'], mapLayers: ['mapping'], hierarchies: ['hardware'], cores: ['trace'] };

test('numbers equal those of the command line to the bit', () =>
  withPackage(async ({ page }) => {
    for (const [name, given, words] of SAME) {
      const found = await page.evaluate(([name, given]) => window.fusescape[name](...given), [name, given]);
      const { notes, ...rest } = comparable(found);
      for (const field of MORE[name] ?? []) {
        assert.equal(typeof rest[field], 'string', `${name} gives ${field}`);
        delete rest[field];
      }
      assert.ok(Array.isArray(notes));
      assert.deepEqual(rest, comparable(JSON.parse(commandLine(...words))), words.join(' '));
    }
  }));

test('a mapping, a core with the best hierarchy and an own network go back in', () =>
  withPackage(async ({ page }) => {
    const found = await page.evaluate(async () => {
      const { fusescape } = window;
      const best = await fusescape.mapLayer('zigzag-8x8', 'three-convs', 'conv1');
      const priced = await fusescape.mapLayer('zigzag-8x8', 'three-convs', 'conv1', { mapping: best.mapping });
      const { hardware } = await fusescape.hierarchies('alexnet-eyeriss', { layers: ['conv3'], max_levels: 1 });
      const facts = await fusescape.facts('hardware', hardware);
      const presets = await fusescape.presets('network');
      return { energies: [best, priced].map(({ layers }) => layers[0].cost?.energy_pj ?? layers[0].energy_pj), facts, presets };
    });
    assert.ok(found.energies[0] > 0);
    assert.equal(found.energies[0], found.energies[1]);
    assert.equal(found.facts.memories.at(-1).name, 'sram_2MiB');
    assert.equal(found.presets.fsrcnn, 'FSRCNN');
  }));

// Single and many cores, words and numbers, designs that violate a constraint or are dominated, a grid and a refined
// front.
const STUDIES = [
  `name: Buffers
hardware: [own, tpu-like-df]
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
constraints: [energy <= 3 uJ]
objectives: [energy, latency, capacity]
beaten: skip
axes:
  - { vary: hardware.memories.dram.width, from: 16 bit, to: 256 bit, count: 5, scale: log }
  - { vary: schedule.stacks, values: [auto, layer-by-layer] }
  - { vary: network.precision.W, values: [8, 4] }
`,
  `name: Links
system: ws-pair
network: three-convs
schedule: { tiles: 4 }
objectives: [energy, latency]
sampling: { refine: 12 }
axes:
  - { vary: system.offchip.width, from: 16 bit, to: 128 bit, count: 8 }
  - { vary: schedule.stacks, values: [automatic, one, each-layer] }
`,
];

test('a study finds the rows and the front of the command line', () =>
  withPackage(async ({ page }) => {
    const folder = await mkdtemp(join(tmpdir(), 'fusescape-npm-study-'));
    const preset = await readFile(join(REPOSITORY, 'presets', 'hardware', 'meta-proto-like-df.yaml'), 'utf8');
    const own = preset.replace('size: 64 KiB', 'size: 16 KiB');
    assert.notEqual(own, preset);
    await writeFile(join(folder, 'own'), own);
    for (const text of STUDIES) {
      const [file, parquet, csv] = ['study.yaml', 'found.parquet', 'found.csv'].map((name) => join(folder, name));
      await writeFile(file, text);
      for (const out of [parquet, csv]) {
        await rm(out, { force: true });
        commandLine('study', 'run', file, '--out', out);
      }
      const told = [];
      await page.exposeFunction(`tell${STUDIES.indexOf(text)}`, (...now) => told.push(now));
      const { rows, notes, ...front } = comparable(await page.evaluate(
        ([text, own, tell]) => window.fusescape.study(text, { documents: { hardware: { own } }, progress: window[tell] }),
        [text, own, `tell${STUDIES.indexOf(text)}`],
      ));
      assert.deepEqual(front, comparable(JSON.parse(commandLine('study', 'front', parquet, '--format', 'json'))));
      const [names, ...lines] = (await readFile(csv, 'utf8')).trim().split('\n').map((line) => line.split(','));
      assert.equal(rows.length, lines.length);
      // The last cell is a reason, which may contain commas and quotes.
      const cell = (row, at) => {
        const text = lines[row].slice(at, at + 1 < names.length ? at + 1 : undefined).join(',');
        if (text === '') return null;
        return typeof rows[row][names[at]] === 'number' ? Number(text) : text.replace(/^"|"$/g, '').replaceAll('""', '"');
      };
      assert.deepEqual(rows.map((row) => names.map((name) => row[name])), rows.map((_, row) => names.map((_, at) => cell(row, at))));
      assert.deepEqual(notes, []);
      assert.deepEqual(told.at(-1), [rows.length, rows.length, 'designs']);
    }
    const broken = await refusal(page, 'study', 'name: no\nhardware: nobody\nnetwork: three-convs\n', { documents: { hardwar: {} } });
    assert.deepEqual(broken.map(({ path }) => path), ['hardwar']);
    const unknown = await refusal(page, 'study', 'name: no\nhardware: nobody\naxes: []\nnetwork: three-convs\n');
    assert.ok(unknown.some(({ path, line }) => path === 'hardware' && line === 2), JSON.stringify(unknown));
    const many = STUDIES[0].replace('own, ', '').replace('16 bit, to: 256 bit, count: 5', '1 MiB, to: 9 MiB, count: 9000')
      .replace('[8, 4]', '[8, 7, 6, 5, 4, 3, 2]');
    assert.match((await refusal(page, 'study', many))[0].reason, /designs are more than the 100000/);
    await rm(folder, { recursive: true });
  }));

test('files become the documents that the command line makes of them', () =>
  withPackage(async ({ page }) => {
    const folder = await mkdtemp(join(tmpdir(), 'fusescape-npm-files-'));
    const bytes = model(
      node('Conv', ['x', 'w'], 'y', { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }),
      node('Conv', ['y', 'v'], 'z', { kernel_shape: [1, 1] }),
      weights('w', [16, 3, 3, 3]),
      weights('v', [8, 16, 1, 1]),
      input('x', ['N', 3, 32, 32]),
    );
    const path = join(folder, 'net.onnx');
    await writeFile(path, bytes);
    const imported = await page.evaluate(async (bytes) => {
      const { fusescape } = window;
      const data = new Uint8Array(bytes);
      const { network, report, ...others } = await fusescape.importFiles([{ name: 'net.onnx', data }], { sizes: { N: 2 } });
      const [file] = [new File([data], 'net.onnx')];
      const again = await fusescape.importFiles([file], { sizes: { N: 2 } });
      return { network, report, others, again: again.network, facts: await fusescape.facts('network', network) };
    }, [...bytes]);
    assert.equal(imported.network, commandLine('import', path, '--size', 'N=2'));
    assert.equal(imported.again, imported.network);
    assert.deepEqual(imported.others, {});
    assert.match(imported.report[0], /^net\.onnx, written by test: 2 layers/);
    assert.equal(imported.facts.macs, 2 * 32 * 32 * (16 * 27 + 8 * 16));
    const cut = await refusal(page, 'importFiles', [{ name: 'cut.onnx', data: 'not a model' }]);
    assert.ok(cut[0].reason.includes('cut.onnx'), JSON.stringify(cut));
    assert.deepEqual((await refusal(page, 'importFiles', [], { size: { N: 2 } })).map(({ path }) => path), ['size']);
    await rm(folder, { recursive: true });
  }));

/** Diagnostics of a rejected question. */
const refusal = (page, name, ...given) =>
  page.evaluate(
    ([name, given]) =>
      window.fusescape[name](...given).then(
        () => 'an answer',
        (error) => error instanceof window.FusescapeError && error.message.length > 0 && error.diagnostics,
      ),
    [name, given],
  );

test('what is wrong is told at once, with line, reason and remedy', () =>
  withPackage(async ({ page }) => {
    const options = { objective: 'enrgy', modes: ['fully-cachd'], rules: 'zigzag-3' };
    const words = await refusal(page, 'depthFirst', 'meta-proto-like-df', 'fsrcnn', options);
    assert.deepEqual(words.map(({ path }) => path), ['modes', 'objective', 'rules']);
    assert.match(words[0].remedy, /did you mean `fully-cached`/i);

    const shapes = await refusal(page, 'depthFirst', 'meta-proto-lik-df', 'fsrcn', { tiles: [[4], 'x'], lpf: 3, lpf_limit: -1 });
    assert.deepEqual(shapes.map(({ path }) => path), ['hardware', 'network', 'lpf', 'lpf_limit', 'tiles[1]']);
    assert.match(shapes[0].remedy, /meta-proto-like-df/);
    assert.match(shapes[2].reason, /unknown field `lpf`, expected one of `tiles`/);
    assert.ok(shapes.every(({ reason, remedy }) => reason && remedy));

    const core = { name: 'My core', array: { dimensions: { D1: 0 }, mac_energy: '1 parsec' }, memories: [] };
    const document = await refusal(page, 'facts', 'hardware', core);
    assert.deepEqual(document.slice(0, 2).map(({ path, line }) => [path, line]), [['array.dimensions.D1', 5], ['array.mac_energy', 7]]);
    const none = await refusal(page, 'evaluate', 'meta-proto-like-df', 'fsrcnn');
    assert.deepEqual(none.map(({ path }) => path), ['tile']);
    const missing = await refusal(page, 'cores', 'ws-pair');
    assert.deepEqual(missing.map(({ path }) => path), ['network']);
    assert.match((await refusal(page, 'presets', 'hardwar'))[0].remedy, /hardware, network, system, pool/);
  }));

test('questions wait for each other, tell how far they are, and can be given up', () =>
  withPackage(async ({ page }) => {
    const found = await page.evaluate(async () => {
      const { fusescape } = window;
      const stop = new AbortController();
      const told = [];
      const given = [
        fusescape.optimal('meta-proto-like-df', 'fsrcnn', {
          signal: stop.signal,
          progress: (...now) => (told.push(now), stop.abort('enough')),
        }),
        fusescape.optimal('meta-proto-like-df', 'fsrcnn', { signal: stop.signal }),
        fusescape.evaluate('meta-proto-like-df', 'fsrcnn-60', { tile: [60, 4], progress: (...now) => told.push(now) }),
        fusescape.facts('network', 'fsrcnn', { signal: stop.signal }),
      ];
      const ends = await Promise.allSettled(given);
      const late = await fusescape.fuse('meta-proto-like-df', 'fsrcnn', { signal: stop.signal }).catch((reason) => reason);
      const waiting = fusescape.presets('pool').catch(({ message }) => message);
      fusescape.close();
      const closed = await fusescape.presets('pool').catch(({ message }) => message);
      return { ends: ends.map(({ status, reason }) => reason ?? status), told, late, waiting: await waiting, closed };
    });
    assert.deepEqual(found.ends, ['enough', 'enough', 'fulfilled', 'fulfilled']);
    assert.equal(found.late, 'enough');
    const [first, ...more] = found.told;
    assert.equal(first[0], 0);
    assert.equal(first[2], 'parts of stacks');
    assert.deepEqual(more.at(-1).slice(0, 1), more.at(-1).slice(1, 2));
    assert.equal(found.waiting, 'Fusescape was closed.');
    assert.equal(found.closed, 'Fusescape was closed.');
  }));

test('an engine that cannot be loaded is told, and tried again', () =>
  withPackage(async ({ page, problems }) => {
    await page.route('**/engine_bg.wasm', (route) => route.abort());
    const first = await page.evaluate(() => window.fusescape.presets('pool').catch(({ message }) => message));
    assert.match(first, /^Fusescape's engine failed: /);
    await page.unroute('**/engine_bg.wasm');
    assert.ok((await page.evaluate(() => window.fusescape.presets('pool')))['zigzag-65nm']);
    // The message on the console may come later than the error in the page.
    assert.ok(problems.splice(0).every((problem) => problem.includes('engine_bg.wasm')));
  }));

test('the types are those of what is found and taken', () => {
  const compiler = join(REPOSITORY, 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, ['--project', join(import.meta.dirname, '..', 'npm-types')], { stdio: 'pipe', encoding: 'utf8' });
});

test('the package has what it names, and is as small as it says', () => {
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: PACKAGE, encoding: 'utf8', stdio: 'pipe' }));
  const names = files.map(({ path }) => path).filter((path) => !path.startsWith('results/'));
  assert.deepEqual(names.sort(), [
    'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'engine.js', 'engine_bg.wasm', 'fusescape.d.ts', 'fusescape.js', 'package.json', 'worker.js',
  ]);
  const version = execFileSync(COMMAND_LINE, ['--version'], { encoding: 'utf8' }).trim().split(' ')[1];
  assert.equal(JSON.parse(execFileSync('npm', ['pkg', 'get', 'version'], { cwd: PACKAGE, encoding: 'utf8' })), version);
});
