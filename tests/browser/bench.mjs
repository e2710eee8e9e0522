// How long the page takes in a real browser, and how much memory its workers have: figures beside their goals, and as JSON
// in target/bench/. A figure without a goal explains the one above it.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withPage } from './harness.mjs';

const OUT = join(fileURLToPath(new URL('../..', import.meta.url)), 'target', 'bench');
const MIB = 1 << 20;
const MINUTE = 60_000;

/** Every visit begins in a new browser, whose caches are empty. What is compiled in the page needs its policy lifted. */
const visit = (measure) => withPage(measure, { bypassCSP: true });

const figures = [];
const load = loadavg()[0];
const note = (what, value, unit, goal, stretch) => figures.push({ what, value, unit, goal, stretch });

await visit(async ({ page, url }) => {
  await page.goto(url);
  note('first number on screen, from navigation', await when(page, `document.querySelector('[data-energy-pj]')`), 'ms', 1500);
  const done = await settled(page, 'none');
  note('108 points, corrected rules, from navigation with an empty cache', done, 'ms', 5000);
  note('the same, as the page counts it: from its first message to the workers', (await state(page)).elapsedMs, 'ms');
  note('memory of the largest worker after it', await memory(page), 'MiB', 256);

  const text = await openHardware(page);
  const { shown, engine } = await edited(page, text.replace('size: 64 KiB', 'size: 128 KiB'));
  note('all 108 points after one memory size changed, from edit to shown', shown, 'ms');
  note('the same, work of the busiest worker', engine, 'ms');

  note('108 points as published, from the click', await clicked(page, 'figure-12'), 'ms', 5000);
});

// The workers are there and have seen nothing of what is asked of them.
await visit(async ({ page, url }) => {
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

await visit(async ({ page, url }) => {
  await page.goto(url);
  await settled(page, 'none');
  for (const mode of ['fully-recompute', 'h-cached-v-recompute']) await page.getByTestId(`mode-${mode}`).uncheck();
  await page.getByTestId('tiles-x').fill('16');
  await page.getByTestId('tiles-y').fill('18');
  await page.waitForFunction(() => window.fusescape.state().points === 1 && window.fusescape.state().status === 'done');
  const text = await openHardware(page);
  const { shown, engine } = await edited(page, text.replace('size: 64 KiB', 'size: 128 KiB'));
  note('one point after one memory size changed, work of the busiest worker', engine, 'ms', 5, 1);
  note('the same, from edit to shown (the page waits for a pause in typing)', shown, 'ms');
});

await visit(async ({ page, url }) => {
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

await visit(async ({ page, url }) => {
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

const rounded = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
for (const { what, value, unit, goal, stretch } of figures) {
  const goals = [goal && `goal ${goal}`, stretch && `stretch ${stretch}`].filter(Boolean).join(', ');
  const verdict = goal === undefined ? '' : ` (${goals}; ${value <= goal ? 'met' : 'missed'})`;
  console.log(`${what}: ${rounded(value)} ${unit}${verdict}`.replace(' ;', ';'));
}
console.log(`chromium, ${availableParallelism()} cores, load ${load.toFixed(2)} at the start`);
await mkdir(OUT, { recursive: true });
await writeFile(join(OUT, 'browser.json'), `${JSON.stringify({ cores: availableParallelism(), load, figures }, null, 2)}\n`);
console.log('written to target/bench/browser.json');

// --- what the figures are made of ---------------------------------------------------------------------------

/** Resolves with the page's clock, ms since navigation, when `condition` (run in the page at every frame) holds. */
async function when(page, condition, argument, timeout = 2 * MINUTE) {
  const handle = await page.waitForFunction(
    ([source, argument]) => (new Function('argument', `return ${source}`)(argument) ? performance.now() : null),
    [condition, argument],
    { timeout },
  );
  return handle.jsonValue();
}

/** The page's clock when everything of an edit later than `generation` is shown. */
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

/** Chooses in a select without waiting for anything; returns the page's clock then. */
function choose(page, testid, value) {
  return page.evaluate(
    ([testid, value]) => {
      const select = document.querySelector(`[data-testid=${testid}]`);
      const start = performance.now();
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
      return start;
    },
    [testid, value],
  );
}

/** Another accelerator, so that coming back asks for everything again. */
async function elsewhere(page) {
  const generation = await generationOf(page);
  await choose(page, 'hardware-preset', 'tpu-like');
  await settled(page, generation);
}

/** Replaces every worker, and with it all it remembers. */
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

async function openHardware(page) {
  await page.getByTestId('hardware-as-text').click();
  return page.getByTestId('hardware-text').inputValue();
}

/** Writes another hardware document; from then until all is shown, and what the busiest worker worked for it, ms. */
async function edited(page, text) {
  await watchWorkers(page);
  const generation = await generationOf(page);
  const start = await page.evaluate((text) => {
    const area = document.querySelector('[data-testid=hardware-text]');
    const start = performance.now();
    if (area.value === text) throw new Error('the edit changes nothing');
    area.value = text;
    area.dispatchEvent(new Event('input', { bubbles: true }));
    return start;
  }, text);
  const shown = (await settled(page, generation)) - start;
  return { shown, engine: await busiest(page) };
}

/** From now on every worker adds up how long it takes to answer. */
async function watchWorkers(page) {
  for (const worker of page.workers()) {
    await worker.evaluate(() => {
      self.answering ??= self.onmessage;
      self.worked = 0;
      self.onmessage = (event) => {
        const start = performance.now();
        self.answering(event);
        self.worked += performance.now() - start;
      };
    });
  }
}

async function busiest(page) {
  return Math.max(...(await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.worked)))));
}

/** MiB of WebAssembly memory that the largest worker has; it never shrinks. */
async function memory(page) {
  // A module that is initialised already only hands out its exports.
  const bytes = (worker) =>
    worker.evaluate(async () => (await import('./pkg/fusescape.js')).initSync().memory.buffer.byteLength);
  return Math.max(...(await Promise.all(page.workers().map(bytes)))) / MIB;
}
