// What the tests in Firefox need beside harness.mjs. Playwright's own Firefox is patched, and its driver for the unpatched one asks
// Debian's for commands that it does not know; Puppeteer drives it.

import puppeteer from 'puppeteer-core';
import { explained, pathOf, takeScreenshot, WWW } from './harness.mjs';
import { Tab } from './firefox-tab.mjs';
import { serve } from './server.mjs';

const MINUTE = 60_000;

// What Firefox asks its maker's hosts for is of no use here, and a closed network refuses it.
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

// Without a screen there is no mouse either, and the page leaves out hints for those who have none: this is one that points finely and hovers.
const MOUSE = { 'ui.allPointerCapabilities': 6, 'ui.primaryPointerCapabilities': 6 };

/** Starts a Firefox without a window; close it. `colorScheme` is what pages are told, as pages in Firefox cannot be told one by one. */
export function launchFirefox({ colorScheme = 'light' } = {}) {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: pathOf('firefox-esr', 'FIREFOX'),
    // A busy machine takes its time.
    timeout: 2 * MINUTE,
    extraPrefsFirefox: { ...PREFERENCES, ...MOUSE, 'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1 },
  });
}

/**
 * Opens an empty tab with storage of its own, calls `visit({ page, url, problems, screenshot, server })`, and closes all but the browser.
 * Serves `root`. All is as in `withPage`, except:
 *
 * - `page`: a `Tab`
 * - `server`: what serves, for tests that end it
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

/** A list that grows with every error, warning and failed request in the tab. Consoles of workers are not heard. */
function collectProblems(page, tab, urls) {
  const problems = [];
  const note = (text) => problems.push(text);
  page.on('console', (message) => {
    if (!['error', 'warn', 'assert'].includes(message.type())) return;
    // Of an error that is logged only the place is known.
    const { url, lineNumber } = message.location();
    // To a page that is left Firefox says that the pieces of code it was still asking for have failed. Chromium keeps silent.
    if (tab.isLeaving && url?.endsWith('/__wasm_split.js')) return;
    note(`console ${message.type()}: ${message.text()} (${url}, line ${lineNumber + 1})`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error}`));
  page.on('requestfailed', (request) => {
    // A page that is left drops what it was still asking for, and so does a worker that is ended.
    if (['NS_BINDING_ABORTED', 'NS_BASE_STREAM_CLOSED'].includes(request.failure()?.errorText)) return;
    note(`request failed: ${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`status ${response.status()}: ${response.url()}`);
  });
  // The page promises to ask nobody else for anything.
  page.on('request', (request) => {
    const url = request.url();
    if (!['data:', 'blob:', ...urls].some((start) => url.startsWith(start))) note(`request to another host: ${url}`);
  });
  return problems;
}
