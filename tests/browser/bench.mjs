// Times of the page in a real browser, and memory of its workers: figures beside their goals, and as JSON in
// target/bench/. A figure without a goal explains the one above it. Measures the parts named on the command line, or
// all.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { fileButton, withPage } from './harness.mjs';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(REPOSITORY, 'target', 'bench');
const REFERENCE = join(REPOSITORY, 'tests', 'reference', 'stream');
const MIB = 1 << 20;
const MINUTE = 60_000;
/** Resolution of a page's clock. Anything faster counts as one step. */
const CLOCK_MS = 0.1;

const named = process.argv.slice(2);

/** Every visit begins in a new browser with empty caches. Code compiled in the page needs its policy lifted. */
const visit = async (part, measure, options) => {
  if (named.length === 0 || named.includes(part)) await withPage(measure, { bypassCSP: true, ...options });
};

const figures = [];
const load = loadavg()[0];
const note = (what, value, unit, goal, stretch) => figures.push({ what, value, unit, goal, stretch });
const noteAtLeast = (what, value, unit, least) => figures.push({ what, value, unit, least });

await visit('sweep', async ({ page, url }) => {
  await page.goto(url);
  note('first number on screen, from navigation', await when(page, `document.querySelector('[data-energy-pj]')`), 'ms', 1500);
  const done = await settled(page, 'none');
  note('108 points, corrected rules, from navigation with an empty cache', done, 'ms', 5000);
  note('the same, as the page counts it: from its first message to the workers', (await state(page)).elapsedMs, 'ms');
  note('memory of the largest worker after it', await memory(page), 'MiB', 256);

  await page.getByTestId('memory-4').click();
  const edits = [];
  // The minimum over several edits, as other load on the machine only ever adds time.
  for (const size of ['128 KiB', '96 KiB', '192 KiB', '80 KiB', '64 KiB']) {
    edits.push(await edited(page, '[data-testid=memory-panel] [data-testid=size]', size));
    await pauseInTyping(page);
  }
  const least = edits.reduce((least, edit) => (edit.shown < least.shown ? edit : least));
  note('all 108 points after one memory size changed by form, from the edit to the last number on screen', least.shown, 'ms', 100);
  note('the same, work of the busiest worker', least.engine, 'ms');
  await page.getByTestId('memory-4').click();

  note('108 points as published, from the click', await clicked(page, 'figure-12'), 'ms', 5000);
});

// Work of the page's thread meanwhile. Tracing and reading its record take time of their own.
await visit('thread', async ({ page, url }) => {
  const visiting = await tasks(page, async () => {
    await page.goto(url);
    await settled(page, 'none');
  });
  const sweeps = [];
  for (const preset of ['tpu-like', 'meta-proto-like-df', 'tpu-like']) {
    sweeps.push(
      await tasks(page, async () => {
        const generation = await generationOf(page);
        await choose(page, 'hardware-preset', preset);
        await settled(page, generation);
      }),
    );
  }
  const longest = sweeps.reduce((least, sweep) => (sweep.wall < least.wall ? sweep : least));
  note("longest task on the page's thread while 108 points are swept", longest.wall, 'ms', 50);
  note('the same, time on the processor', longest.processor, 'ms');
  note("longest task on the page's thread from navigation to the last number", visiting.wall, 'ms');
  note('the same, time on the processor', visiting.processor, 'ms');
});

// The workers are ready but have no cached results.
await visit('cold', async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  const first = await page.evaluate(() => document.querySelector('[data-testid=hardware-preset]').value);
  await elsewhere(page);
  await freshWorkers(page);
  const generation = await generationOf(page);
  await watchWorkers(page);
  const start = await choose(page, 'hardware-preset', first);
  note('108 points cold, corrected rules, from the click to the last number', (await settled(page, generation)) - start, 'ms', 300, 50);
  note('the same, work of the busiest worker', await busiest(page), 'ms');
});

await visit('point', async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  for (const mode of ['fully-recompute', 'h-cached-v-recompute']) await page.getByTestId(`mode-${mode}`).uncheck();
  await page.getByTestId('tiles-x').fill('16');
  await page.getByTestId('tiles-y').fill('18');
  await page.waitForFunction(() => window.fusescape.state().points === 1 && window.fusescape.state().status === 'done');
  await page.getByTestId('memory-4').click();
  const { shown, engine } = await edited(page, '[data-testid=memory-panel] [data-testid=size]', '128 KiB');
  note('one point after one memory size changed, work of the busiest worker', engine, 'ms', 5, 1);
  note('the same, from edit to shown', shown, 'ms');
});

await visit('resolution', async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  // All tile sizes that are multiples of 10, in three modes: 96 x 54 x 3.
  const generation = await generationOf(page);
  const start = await choose(page, 'tile-grid', 'full resolution');
  const picture = `window.fusescape.state().points === 15552 && window.fusescape.state().pointsDone > 0
    && document.querySelector('[data-testid="root"]').dataset.generation !== argument`;
  note('15,552 points of FSRCNN, from the choice to the first picture', (await when(page, picture, generation)) - start, 'ms', 100);
  // Three times the goal.
  const deadline = MINUTE;
  const finished = await settled(page, generation, deadline).catch(() => undefined);
  const { pointsDone, elapsedMs } = await state(page);
  if (finished === undefined) note(`points of 15,552 done after ${deadline / 1000} s, when the bench gave up`, pointsDone, '');
  const [last, took] = finished === undefined ? ['when it gave up', deadline] : ['the last', finished - start];
  note(`15,552 points of FSRCNN, from the choice to ${last}`, took, 'ms', 20_000, 5000);
  note('points a second', pointsDone / (elapsedMs / 1000), '');
  note('memory of the largest worker after it', await memory(page), 'MiB', 256);
});

await visit('stop', async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  const generation = await generationOf(page);
  await choose(page, 'strategy', 'LOMA, loop orders');
  await settled(page, generation);
  await page.getByTestId('lpf-limit').selectOption('10');
  await page.waitForFunction(() => {
    const { status, points, pointsDone } = window.fusescape.state();
    return status === 'running' && points > pointsDone && window.fusescape.busy() > 0;
  });
  const stopping = await page.evaluate(async () => {
    const root = document.querySelector('[data-testid=root]');
    const start = performance.now();
    document.querySelector('[data-testid=stop]').click();
    const isAtRest = () => root.dataset.status === 'stopped' && window.fusescape.busy() === 0;
    while (!isAtRest()) await new Promise((next) => requestAnimationFrame(next));
    return performance.now() - start;
  });
  note('a sweep of problems that take seconds each, stopped', stopping, 'ms', 100);
});

// Optimus' searches on the networks of its paper, in a worker, by the questions of the view: the median of all runs.
// Goals are the paper's times of Algorithm 1, and a millisecond for a decision on line.
await visit('groups', async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  await page.getByTestId('tab-fusion').click();
  await page.locator('[data-testid=fusion-view][data-status=done]').waitFor({ timeout: 2 * MINUTE });
  await page.waitForFunction(() => window.fusescape.busy() === 0, undefined, { timeout: 2 * MINUTE });
  await page.getByTestId('fusion-times-part').click();
  await page.getByTestId('times-start').click();
  await page.locator('[data-testid=fusion-times][data-status=done]').waitFor({ timeout: 5 * MINUTE });
  for (const { network, search, ...row } of await savedTable(page, 'fusion-times')) {
    const published = row['published [ms]'];
    const goals = { 'Algorithm 1': published, 'on line': network === 'ResNet152' ? 1 : undefined };
    note(`groups of ${network}, 128 KB, ${search}`, row['here [ms]'], 'ms', goals[search]);
  }
  // The view's own network, as a person drags the buffer.
  const ways = [];
  await page.getByTestId('fusion-buffer-part').click();
  await page.locator('[data-testid=fusion-online][data-step]').waitFor();
  for (const step of [-12, -8, -4, -2, 2, 4, 8, 12, 0]) {
    const start = await enter(page, '[data-testid=online-buffer]', String(step), 'input');
    ways.push((await when(page, `document.querySelector('[data-testid=fusion-online]')?.dataset.step === argument`, String(step))) - start);
  }
  note('groups decided on line as the buffer is dragged, from the slider to the screen, median', ways.sort((a, b) => a - b)[4], 'ms', 34);
});

for (const network of ['resnet18', 'mobilenet-v1']) {
  await visit('stacks', async ({ page, url }) => {
    await page.goto(url);
    await settled(page, 'none');
    const generation = await generationOf(page);
    await choose(page, 'workload-preset', network);
    await settled(page, generation);
    for (const side of ['tiles-x', 'tiles-y']) await enter(page, `[data-testid=${side}]`, '1 2 4 7 14 28', 'input');
    await page.waitForFunction(() => window.fusescape.state().points === 108 && window.fusescape.state().status === 'done');
    await freshWorkers(page);
    const start = await page.evaluate(() => {
      document.querySelector('[data-testid=tab-fusion]').click();
      return performance.now();
    });
    const shown = await when(page, `document.querySelector('[data-testid=fusion-view]')?.dataset.status === 'done'`);
    note(`jointly optimal stacks of ${network}, 6 x 6 x 3, from the click to the last verdict`, shown - start, 'ms', 2000);
  });
}

// Many cores: from a choice to the schedule on the screen. Another scheduler recomputes everything, including costs of
// tiles.
await visit('schedule', async ({ page, url }) => {
  const isDone = `document.querySelector('[data-testid=cores-view]')?.dataset.status === 'done'`;
  const answered = (page, old) => when(page, `${isDone} && document.querySelector('[data-testid=cores-answer]').textContent !== argument`, old);
  const answer = () => page.evaluate(() => document.querySelector('[data-testid=cores-answer]').textContent);
  const atRest = () => page.locator('[data-testid=cores-improving][data-done=true]').waitFor({ timeout: 5 * MINUTE });
  const cold = async () => {
    await choose(page, 'core-scheduler', '1');
    await atRest();
    const old = await answer();
    const start = await choose(page, 'core-scheduler', '0');
    return (await answered(page, old)) - start;
  };
  const byHand = async () => {
    const old = await answer();
    const start = await page.evaluate(() => {
      const start = performance.now();
      const row = document.querySelector('[data-testid=cores-allocation] tbody tr:last-child');
      const on = row.querySelectorAll('input:checked');
      (on.length > 1 ? on[0] : row.querySelector('input:not(:checked):not(:disabled)')).click();
      return start;
    });
    return (await answered(page, old)) - start;
  };
  await page.goto(url);
  await settled(page, 'none');
  await page.getByTestId('tab-cores').click();
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  await when(page, isDone);
  await atRest();
  note('FSRCNN in 4,320 tiles on four cores, a layer on another core by hand, from the click to the new schedule on the screen', await byHand(), 'ms');
  await page.getByTestId('cores-found').click();
  await page.getByTestId('core-tiles').selectOption('by hand');
  const inRows = await answer();
  await page.getByTestId('core-tiles-text').fill('OY 540, OX 24');
  await answered(page, inRows);
  note('the same in 103,680 tiles', await byHand(), 'ms');
  await page.getByTestId('cores-found').click();
  await page.getByTestId('core-tiles').selectOption({ label: 'rows' });
  await choose(page, 'system-preset', 'tpu-quad');
  const generation = await generationOf(page);
  await choose(page, 'workload-preset', 'resnet18');
  await settled(page, generation);
  await when(page, isDone);
  note('ResNet18 on four TPU-like cores, costs of tiles, allocation and schedule, all anew', await cold(), 'ms', 2000);
});

// The engine on many cores alone, as benches/multicore.rs measures it natively.
await visit(
  'cores',
  async ({ page, url }) => {
    // A page for the module alone, which requests no icon.
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }));
    await page.goto(url);
    for (const name of ['of pixels', 'of rows']) {
      const [{ first_ms, ms, tiles }] = await rows(page, 'graph', name);
      note(`${tiles} tiles ${name}, with dependencies`, ms, 'ms', 1000);
      note('the same, for the first time in a new worker', first_ms, 'ms');
    }
    const [chip] = await rows(page, 'scheduled_chip', await reference('validation/v_depfin.json.gz'));
    note(`FSRCNN on DepFiN, ${chip.tiles} tiles scheduled`, chip.ms, 'ms', 50);
    for (const { cores, cut, ms, tiles } of await rows(page, 'scheduled_meshes')) {
      noteAtLeast(`${tiles} tiles scheduled, ${cores} cores, fused, ${cut}`, tiles / (ms / 1000), 'tiles/s', 200_000);
    }
    const small = [];
    for (const file of await readdir(join(REFERENCE, 'waco_units'))) small.push(...(await allocations(page, `waco_units/${file}`)));
    const slowest = small.reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest));
    note(`the slowest of ${small.length} small allocations, ${slowest.name}`, slowest.ms, 'ms', 50);
    for (const file of await readdir(join(REFERENCE, 'waco_e2e'))) {
      const goal = file.includes('resnet18') ? 10_000 : file.includes('fsrcnn') ? 200 : 50;
      const stacks = (await allocations(page, `waco_e2e/${file}`)).filter(({ tiles }) => tiles > 1);
      for (const { name, ms } of stacks) note(`allocation of ${name}`, Math.max(ms, CLOCK_MS), 'ms', goal);
    }
  },
  { root: join(OUT, 'browser') },
);

// Attention alone, as benches/attention.rs measures it natively.
await visit(
  'attention',
  async ({ page, url }) => {
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }));
    await page.goto(url);
    for (const { name, ms, goal_ms } of await rows(page, 'scheduled_attention')) note(name, ms, 'ms', goal_ms);
  },
  { root: join(OUT, 'browser') },
);

// Consistency of figures: a part is at most the whole, which is the figure above it.
for (const [at, { what, value }] of figures.entries()) {
  assert.ok(Number.isFinite(value) && value > 0, `${what}: ${value} cannot be`);
  if (what.startsWith('the same, work')) assert.ok(value <= figures[at - 1].value, `${what}: more than the whole, ${figures[at - 1].what}`);
}
const before = await earlier(join(OUT, 'browser.json'), commit());
const rounded = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
for (const { what, value, unit, goal, stretch, least } of figures) {
  const goals = [goal && `goal ${goal}`, stretch && `stretch ${stretch}`, least && `goal at least ${least}`].filter(Boolean).join(', ');
  const verdict = goals === '' ? '' : ` (${goals}; ${value <= goal || value >= least ? 'met' : 'missed'})`;
  const old = before?.figures.find((figure) => figure.what === what);
  const was = old === undefined ? '' : `, ${rounded(old.value)} at ${before.commit}`;
  console.log(`${what}: ${rounded(value)} ${unit}${was}${verdict}`.replace(' ;', ';'));
}
console.log(`chromium, ${availableParallelism()} cores, load ${load.toFixed(2)} at the start`);
await mkdir(OUT, { recursive: true });
await writeFile(join(OUT, 'browser.json'), `${JSON.stringify({ commit: commit(), cores: availableParallelism(), load, figures }, null, 2)}\n`);
console.log('written to target/bench/browser.json');

/** The measured commit, with a mark if files differ from it. */
function commit() {
  return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: REPOSITORY, encoding: 'utf8' }).trim();
}

/** The figures of the previously measured commit: the last file, or the one that it has put aside. */
async function earlier(file, commit) {
  const aside = file.replace('.json', '.before.json');
  const read = async (file) => JSON.parse(await readFile(file, 'utf8').catch(() => 'null'));
  const last = await read(file);
  if (last?.commit === undefined || last.commit === commit) return read(aside);
  await writeFile(aside, `${JSON.stringify(last, null, 2)}\n`);
  return last;
}

// --- helpers ------------------------------------------------------------------------------------------------

/** Resolves with the page's clock, ms since navigation, when `condition` (run in the page at every frame) holds. */
async function when(page, condition, argument, timeout = 2 * MINUTE) {
  const handle = await page.waitForFunction(
    ([source, argument]) => (new Function('argument', `return ${source}`)(argument) ? performance.now() : null),
    [condition, argument],
    { timeout },
  );
  return handle.jsonValue();
}

/** The page's clock when all results of an edit later than `generation` are shown. */
function settled(page, generation, timeout) {
  const condition = `document.querySelector('[data-testid="root"]')?.dataset.status === 'done'
    && document.querySelector('[data-testid="root"]').dataset.generation !== argument`;
  return when(page, condition, generation, timeout);
}

function generationOf(page) {
  return page.getByTestId('root').getAttribute('data-generation');
}

function state(page) {
  return page.evaluate(() => window.fusescape.state());
}

async function clicked(page, testid) {
  const generation = await generationOf(page);
  const start = await page.evaluate((testid) => {
    document.querySelector(`[data-testid=${testid}]`).click();
    return performance.now();
  }, testid);
  return (await settled(page, generation)) - start;
}

/** The table in a card, as a file. */
async function savedTable(page, testid) {
  const json = await fileButton(page.getByTestId(testid), 'json');
  const download = page.waitForEvent('download');
  await json.click();
  return JSON.parse(await readFile(await (await download).path(), 'utf8'));
}

/** Selects an option, in a task of its own, without waiting for its effect; returns the page's clock then. */
function choose(page, testid, value) {
  return enter(page, `[data-testid=${testid}]`, value, 'change');
}

/** Sets the value of a field; returns the page's clock then. */
function enter(page, selector, value, event) {
  return page.evaluate(
    ([selector, value, event]) =>
      new Promise((entered) =>
        setTimeout(() => {
          const field = document.querySelector(selector);
          const start = performance.now();
          if (field.value === value) throw new Error('the edit changes nothing');
          field.value = value;
          field.dispatchEvent(new Event(event, { bubbles: true }));
          entered(start);
        }),
      ),
    [selector, value, event],
  );
}

/** A keystroke after this begins another edit. */
async function pauseInTyping(page) {
  const now = await page.evaluate(() => performance.now());
  await page.waitForFunction((until) => performance.now() > until, now + 1200);
}

/** The longest task of the page's thread while `act` runs, ms: on the clock, and on the processor. */
async function tasks(page, act) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['toplevel'] });
  await act();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isOfPage = ({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && event.dur > 0 && isOfPage(event));
  const longest = tasks.reduce((longest, task) => (task.dur > longest.dur ? task : longest));
  return { wall: longest.dur / 1000, processor: longest.tdur / 1000 };
}

/** Another accelerator, so that returning computes everything again. */
async function elsewhere(page) {
  const generation = await generationOf(page);
  await choose(page, 'hardware-preset', 'tpu-like');
  await settled(page, generation);
}

/** Replaces every worker, and drops all its cached results. */
async function freshWorkers(page) {
  const count = await page.evaluate(() => window.fusescape.workers());
  for (let slot = 0; slot < count; slot += 1) {
    const old = page.workers();
    await page.evaluate((slot) => window.fusescape.killWorker(slot), slot);
    while (page.workers().length < count || page.workers().every((worker) => old.includes(worker))) {
      await page.waitForTimeout(20);
    }
  }
  await page.waitForFunction(() => window.fusescape.busy() === 0);
}

/** Changes a field; returns the time until everything is shown, and the time that the busiest worker worked, ms. */
async function edited(page, selector, text) {
  await watchWorkers(page);
  const generation = await generationOf(page);
  const start = await enter(page, selector, text, 'input');
  const shown = (await settled(page, generation)) - start;
  return { shown, engine: await busiest(page) };
}

/** From now on every worker adds up the time from each message to its answer: it handles one at a time. */
async function watchWorkers(page) {
  for (const worker of page.workers()) {
    await worker.evaluate(() => {
      self.answering ??= self.onmessage;
      self.posting ??= self.postMessage.bind(self);
      self.worked = 0;
      let start;
      self.onmessage = (event) => {
        start = performance.now();
        self.answering(event);
      };
      self.postMessage = (...answer) => {
        self.worked += performance.now() - start;
        self.posting(...answer);
      };
    });
  }
}

/** Working time of the busiest worker in the last sweep, ms, checked against the time counted by the page. */
async function busiest(page) {
  const worked = await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.worked)));
  const { elapsedMs } = await state(page);
  const all = worked.reduce((sum, one) => sum + one, 0);
  assert.ok(all > elapsedMs / 2, `in ${elapsedMs} ms of a sweep the workers cannot have worked ${all} ms together`);
  return Math.max(...worked);
}

/** MiB of WebAssembly memory of the largest worker; it never shrinks. */
async function memory(page) {
  // A module that is initialised already only hands out its exports.
  const bytes = (worker) =>
    worker.evaluate(async () => (await import('./pkg/fusescape.js')).initSync().memory.buffer.byteLength);
  return Math.max(...(await Promise.all(page.workers().map(bytes)))) / MIB;
}

/** The result of a function of benches/browser in a new worker, whose memory has not grown yet. */
async function rows(page, measure, ...given) {
  const started = page.waitForEvent('worker');
  await page.evaluate(() => {
    window.worker?.terminate();
    window.worker = new Worker(URL.createObjectURL(new Blob([], { type: 'text/javascript' })), { type: 'module' });
  });
  const text = await (await started).evaluate(
    async ([module, measure, given]) => {
      const bench = await import(module);
      await bench.default();
      return bench[measure](...given);
    },
    [new URL('fusescape_bench.js', page.url()).href, measure, given],
  );
  return JSON.parse(text);
}

/** The allocations of a reference file, all of which must be proved to have the optimum stated there. */
async function allocations(page, file) {
  const found = await rows(page, 'allocations', await reference(file));
  for (const { name, is_proved } of found) assert.ok(is_proved, `${file}, ${name}: not the proved optimum`);
  return found;
}

async function reference(file) {
  return gunzipSync(await readFile(join(REFERENCE, file))).toString();
}
