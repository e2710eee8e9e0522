// How long the page takes in a real browser: figures beside their goals, and as JSON in target/bench/.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withPage } from './harness.mjs';

const OUT = join(fileURLToPath(new URL('../..', import.meta.url)), 'target', 'bench');

/** Resolves with the page's clock, ms since navigation, when `condition` (run in the page at every frame) holds. */
async function when(page, condition, argument) {
  const handle = await page.waitForFunction(
    ([source, argument]) => (new Function('argument', `return ${source}`)(argument) ? performance.now() : null),
    [condition, argument],
    { timeout: 120_000 },
  );
  return handle.jsonValue();
}

const IS_DONE = `document.querySelector('[data-testid="root"]')?.dataset.status === 'done'
  && document.querySelector('[data-testid="root"]').dataset.generation !== argument`;

async function measure() {
  return withPage(
    async ({ page, url }) => {
      // The condition below is compiled in the page, which its Content-Security-Policy rightly forbids to its own code.
      await page.goto(url);
      const firstNumber = await when(page, `document.querySelector('[data-energy-pj]')`);
      const done = await when(page, IS_DONE, 'none');
      const generation = await page.getByTestId('root').getAttribute('data-generation');
      const clicked = await page.evaluate(() => {
        document.querySelector('[data-testid="figure-12"]').click();
        return performance.now();
      });
      const published = (await when(page, IS_DONE, generation)) - clicked;
      const effort = await page.getByTestId('kpi-effort').innerText();
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
      return { firstNumber, corrected: done, published, stopping, effort: effort.replace(/\s+/g, ' ') };
    },
    { bypassCSP: true },
  );
}

const { firstNumber, corrected, published, stopping, effort } = await measure();
const figures = [
  { what: 'first number on screen after navigation', seconds: firstNumber / 1000, goal: 1.5 },
  { what: '108 points of Fig. 12, corrected rules, from navigation', seconds: corrected / 1000, goal: 5 },
  { what: '108 points of Fig. 12, as published, from the click', seconds: published / 1000, goal: 5 },
  { what: 'a sweep of problems that take seconds each, stopped', seconds: stopping / 1000, goal: 0.1 },
];
for (const { what, seconds, goal } of figures) {
  console.log(`chromium, ${availableParallelism()} cores: ${what}: ${seconds.toFixed(2)} s (goal ${goal} s)`);
}
console.log(`chromium: the page says: ${effort}`);
await mkdir(OUT, { recursive: true });
await writeFile(join(OUT, 'chromium.json'), `${JSON.stringify({ figures, effort }, null, 2)}\n`);
console.log('written to target/bench/chromium.json');
