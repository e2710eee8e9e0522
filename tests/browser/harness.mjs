// Common parts of browser tests: the page served as it is, a Chromium that opens it, and a record of all errors.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { countTasks, waitForDrawing } from './drawn.mjs';
import { serve } from './server.mjs';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const SCREENSHOTS = join(REPOSITORY, 'target', 'screenshots');

/** The command line program; FUSESCAPE_CLI names another. */
export const COMMAND_LINE = process.env.FUSESCAPE_CLI ?? join(REPOSITORY, 'target', 'debug', 'fusescape');

/** The folder that is served; FUSESCAPE_WWW names another, such as that of the published page. */
export const WWW = resolve(REPOSITORY, process.env.FUSESCAPE_WWW ?? 'www');

// Limit on every wait, milliseconds: tests are not about time, and a busy machine is slow.
const PATIENCE = 180_000;
/** FUSESCAPE_SLOWER=8 makes the page's processor eight times slower, to find tests that depend on time. */
const SLOWER = Number(process.env.FUSESCAPE_SLOWER ?? 0);

// Without the last five, Chromium contacts its vendor's hosts, which fail one by one in a closed network.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Serves `root`, opens an empty tab that shares nothing with other tabs, calls
 * `visit({ page, url, problems, screenshot, step })`, and closes everything.
 *
 * - `page`: Playwright's page, before any navigation
 * - `url`: the address of the served page, with a slash at its end
 * - `problems`: texts of the problems so far. One that remains at the end fails the visit, so a test that provokes a
 *   problem removes it: `problems.splice(0)`
 * - `screenshot(name)`: writes target/screenshots/NAME.png and returns its path
 * - `step(t, name, act)`: a test within the test `t` that continues with the page of the previous step, which saves
 *   the seconds for starting a page and its first landscape. It fails for the same reasons as a visit. Then the visit
 *   fails, too, and no further step starts.
 *
 * Requests to other hosts than the page's and `hosts`, addresses with a slash at the end, are problems.
 */
export async function withPage(
  visit,
  { root = WWW, viewport = { width: 1280, height: 800 }, colorScheme = 'light', hosts = [], ...more } = {},
) {
  const server = await serve(root);
  const browser = await browserOfFile();
  const context = await browser.newContext({ viewport, colorScheme, ...more });
  context.setDefaultTimeout(PATIENCE);
  context.on('page', waitForDrawing);
  try {
    await countTasks(context);
    const problems = collectProblems(context, [server.url, ...hosts]);
    const page = await context.newPage();
    if (SLOWER) {
      const processor = await context.newCDPSession(page);
      await processor.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    }
    const screenshot = (name) => takeScreenshot(page, name);
    let failure;
    const checked = async (act) => {
      try {
        const result = await act();
        if (problems.length > 0) throw new Error('something went wrong on the page');
        return result;
      } catch (error) {
        // The failure of a step is explained already.
        if (error !== failure) failure = await explained(error, problems, screenshot);
        throw failure;
      }
    };
    const step = async (t, name, act) => {
      await t.test(name, () => checked(act));
      if (failure) throw failure;
    };
    return await checked(() => visit({ page, url: server.url, problems, screenshot, step }));
  } finally {
    await context.close();
    if (!isShared) await browser.close();
    await server.close();
  }
}

/**
 * Waits until `condition(value)`, evaluated in the page once per frame, is true or a promise of true.
 * `page.waitForFunction` would take the promise itself as true.
 */
export async function waitUntil(page, condition, value) {
  const last = Date.now() + PATIENCE;
  while (!(await page.evaluate(condition, value))) {
    if (Date.now() > last) throw new Error(`never true: ${condition}`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

// All tests share the browser of run.mjs, or those of one file share one: starting it takes as long as starting the
// page. Benchmarks have one of their own.
const isShared = process.env.NODE_TEST_CONTEXT !== undefined;
let shared;
if (isShared) after(() => shared?.close());

/** A browser without state of other tabs. */
async function browserOfFile() {
  if (!isShared) return launch();
  if (!shared?.isConnected()) shared = await (process.env.FUSESCAPE_BROWSER ? chromium.connect(process.env.FUSESCAPE_BROWSER) : launch());
  return shared;
}

/** A Chromium that sends no requests by itself. */
export function launch() {
  return chromium.launch(how());
}

/** The same for several processes, which connect to `wsEndpoint()`. */
export function launchServer() {
  return chromium.launchServer(how());
}

const how = () => ({ executablePath: pathOf('chromium', 'CHROMIUM'), args: FLAGS });

/** The path of a browser: the environment's `variable`, else the program with this name on the PATH. */
export function pathOf(program, variable) {
  if (process.env[variable]) return process.env[variable];
  try {
    return execFileSync('which', [program], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error(`There is no \`${program}\` on the PATH. Run \`tools/setup browser\`, or set ${variable}.`);
  }
}

// Links to start from, as a suffix of the page's address. They open for ever.

/** Three small convolutions with one tile size, for tests that are not about the landscape. */
export const SMALL = '#1Y2S45L6MiYWBkYUViNWYAQDx';
/** The same in the view of comparisons, which shows no landscape: little is drawn per edit in tests with many edits. */
export const SMALL_COMPARE = '#1Y2S45L6MiYWBkYUViNWYxVgBp5M';
/** The initial design with three widths and heights of tiles instead of six: 27 points, as 108 would prove no more. */
export const FEW_POINTS = '#1Y2FgZhGwYQWSQh5qzACOzQ';
/** The initial design with one tile size, 60 x 72, in all three modes: 3 points. */
export const THREE_POINTS = '#1Y2FgtGFlYPRQYwYAzTY';

/** The content of a download; a browser of another program has no local path for it. */
export async function bytesOf(download) {
  return Buffer.concat(await (await download.createReadStream()).toArray());
}

/** The output of the command line, which `run.mjs` has built. */
export function commandLine(...args) {
  return execFileSync(COMMAND_LINE, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A list of all errors, warnings, failed requests and crashes in any tab of the context. */
function collectProblems(context, urls) {
  const problems = [];
  const note = (text) => problems.push(text);
  context.on('page', (page) => page.on('crash', () => note('the tab crashed')));
  // The console of a tab and those of its workers.
  context.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) {
      note(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  context.on('weberror', (event) => note(`uncaught: ${event.error().stack ?? event.error()}`));
  context.on('requestfailed', (request) => {
    // Pending requests of a page that is left are dropped.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    note(`request failed: ${request.url()}: ${request.failure()?.errorText}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) note(`status ${response.status()}: ${response.url()}`);
  });
  // The page promises to send no requests to other hosts.
  context.on('request', (request) => {
    const { protocol } = new URL(request.url());
    const isLocal = protocol === 'data:' || protocol === 'blob:' || urls.some((url) => request.url().startsWith(url));
    if (!isLocal) note(`request to another host: ${request.url()}`);
  });
  return problems;
}

/** Picks a preset of hardware or workload, and waits for it: texts of presets are fetched after the first screen. */
export async function pickPreset(page, half, option) {
  const [value] = await page.getByTestId(`${half}-preset`).selectOption(option);
  await page.locator(`[data-testid=${half}-card][data-preset="${value}"]`).waitFor({ state: 'attached' });
}

/** The button for a kind of file of the first figure or table in a place, after unfolding its kinds. */
export async function fileButton(place, kind) {
  const save = place.locator('.save[data-of]').first();
  const word = save.getByTestId('save');
  if ((await word.getAttribute('aria-expanded')) === 'false') await word.click();
  return save.getByTestId(`save-${kind}`);
}

/** Writes target/screenshots/NAME.png and returns its path. The page is Playwright's or Puppeteer's. */
export async function takeScreenshot(page, name) {
  const path = join(SCREENSHOTS, `${name.replace(/[^\w.-]+/g, '-')}.png`);
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path });
  return path;
}

/** The error behind one that reports problems of the page, with a screenshot. */
export async function explained(error, problems, screenshot) {
  const picture = await screenshot(`failed-${Date.now()}`).catch((reason) => `none, ${reason.message}`);
  const report = problems.length > 0 ? problems.map((problem) => `\n  - ${problem}`).join('') : ' nothing';
  return new Error(`${error.message}\nThe page reported:${report}\nScreenshot: ${picture}`, { cause: error });
}

// WCAG 2.2 AA, and best practices of axe; the size of targets is selected by name.
const RULES = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  rules: { 'target-size': { enabled: true } },
};

/** Violations found by axe in the page, or in the first match of `selector`, as texts. `options` are passed to axe. */
export async function violations(page, selector, options = {}) {
  // Colours in transition belong to no state.
  await page.evaluate(() => {
    const ends = ({ playState, effect }) =>
      playState === 'running' && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
    return Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished)).then(() => {});
  });
  // Only violations, and without frames a single pass in the page: axe would otherwise describe every passing element,
  // for a minute.
  const axe = new AxeBuilder({ page }).setLegacyMode(page.frames().length === 1).options({ resultTypes: ['violations'], ...options });
  const { violations } = await (selector ? axe.include(selector) : axe).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Checks that the page does not scroll sideways, and that axe finds no violations in the element with this test id. */
export async function assertFits(page, testid) {
  const { scrolled, room } = await page.evaluate(() => ({
    scrolled: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
  }));
  assert.ok(scrolled <= room, `${scrolled} px in a window of ${room} px`);
  assert.deepEqual(await violations(page, `[data-testid="${testid}"]`), []);
}

/** Violations by the strictest rules of axe, and elements that make the page scroll sideways. */
export async function mistakes(page) {
  // Elements half below the sticky header would count as too small to click.
  await page.evaluate(() => scrollTo(0, 0));
  return [...(await violations(page, undefined, RULES)), ...(await tooWide(page))];
}

/** Elements that make the page scroll sideways. */
export function tooWide(page) {
  return page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    const scrolls = (element) => {
      for (let at = element; at; at = at.parentElement) {
        if (at !== document.body && at !== document.documentElement && getComputedStyle(at).overflowX !== 'visible') return true;
      }
      return false;
    };
    const sticking = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > room + 1 && !scrolls(element) && !element.closest('.sr-only'),
    );
    const scrolled = document.documentElement.scrollWidth;
    return scrolled > room ? [`${scrolled} px wide: ${sticking.slice(0, 3).map((element) => element.outerHTML.slice(0, 160)).join(' | ')}`] : [];
  });
}

/**
 * A script for `addInitScript`: between `hold()` and `release()` messages from the page to workers are held back, so
 * that the page stays in the middle of its work. The first message to each worker is not held: it starts the worker.
 */
export function holdableWorkers() {
  const tell = Worker.prototype.postMessage;
  const started = new WeakSet();
  let held;
  Worker.prototype.postMessage = function (...message) {
    if (held && started.has(this)) held.push([this, message]);
    else tell.apply(this, message);
    started.add(this);
  };
  window.hold = () => (held ??= []);
  window.release = () => {
    const waiting = held ?? [];
    held = undefined;
    waiting.forEach(([worker, message]) => tell.apply(worker, message));
  };
}
