// Additions to harness.mjs for the tests in Firefox. Playwright's own Firefox is patched, and its driver for the
// unpatched one sends Debian's Firefox unknown commands; so Puppeteer drives it.

import puppeteer from 'puppeteer-core';
import { explained, pathOf, takeScreenshot, WWW } from './harness.mjs';
import { Tab } from './firefox-tab.mjs';
import { serve } from './server.mjs';

const MINUTE = 60_000;

// Requests of Firefox to its vendor's hosts are useless here, and fail in a closed network.
const PREFERENCES = {
  'app.update.disabledForTesting': true,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.enabled': false,
};

// Without a screen there is no mouse, and the page would leave out hover hints: this pretends a mouse with fine
// pointing and hover.
const MOUSE = { 'ui.allPointerCapabilities': 6, 'ui.primaryPointerCapabilities': 6 };

/** Starts a headless Firefox; the caller closes it. `colorScheme` is for all pages: Firefox cannot set it per page. */
export function launchFirefox({ colorScheme = 'light' } = {}) {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: pathOf('firefox-esr', 'FIREFOX'),
    // A busy machine is slow.
    timeout: 2 * MINUTE,
    extraPrefsFirefox: { ...PREFERENCES, ...MOUSE, 'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1 },
  });
}

/**
 * Serves `root`, opens an empty tab with its own storage, calls `visit({ page, url, problems, screenshot, server })`,
 * and closes everything except the browser. As `withPage`, except:
 *
 * - `page`: a `Tab`
 * - `server`: the server, for tests that close it
 */
export async function withTab(browser, visit, { root = WWW, viewport = { width: 1280, height: 800 }, hosts = [] } = {}) {
  const server = await serve(root);
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport(viewport);
    const tab = new Tab(page);
    const problems = collectProblems(page, tab, [server.url, ...hosts]);
    const screenshot = (name) => takeScreenshot(page, name);
    try {
      await visit({ page: tab, url: server.url, problems, screenshot, server });
      if (problems.length > 0) throw new Error('something went wrong on the page');
    } catch (error) {
      throw await explained(error, problems, screenshot);
    }
  } finally {
    await context.close();
    await server.close();
  }
}

/** A list of all errors, warnings and failed requests in the tab. Consoles of workers are not included. */
function collectProblems(page, tab, urls) {
  const problems = [];
  const note = (text) => problems.push(text);
  page.on('console', (message) => {
    if (!['error', 'warn', 'assert'].includes(message.type())) return;
    // For a logged error only the place is known.
    const { url, lineNumber } = message.location();
    // When leaving a page Firefox reports that pieces of code still being fetched have failed; Chromium does not.
    if (tab.isLeaving && url?.endsWith('/__wasm_split.js')) return;
    note(`console ${message.type()}: ${message.text()} (${url}, line ${lineNumber + 1})`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error}`));
  page.on('requestfailed', (request) => {
    // Pending requests of a page that is left, or of a worker that is ended, are dropped.
    if (['NS_BINDING_ABORTED', 'NS_BASE_STREAM_CLOSED'].includes(request.failure()?.errorText)) return;
    note(`request failed: ${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`status ${response.status()}: ${response.url()}`);
  });
  // The page promises to send no requests to other hosts.
  page.on('request', (request) => {
    const url = request.url();
    if (!['data:', 'blob:', ...urls].some((start) => url.startsWith(start))) note(`request to another host: ${url}`);
  });
  return problems;
}
