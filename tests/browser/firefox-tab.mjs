// Puppeteer's tab with the method names of Playwright, as far as the tests in both browsers need them (views.mjs).

const MINUTE = 60_000;

/** Finds elements in a page or in one of its frames, and runs functions there. */
class Finder {
  constructor(frame) {
    this.frame = frame;
  }

  locator(css) {
    return new Locator(this.frame, css);
  }

  getByTestId(id) {
    return this.locator(testId(id));
  }

  getByText(text) {
    return this.locator(withText(text));
  }

  getByRole(role, { name }) {
    return this.locator(`::-p-aria([name="${name}"][role="${role}"])`);
  }

  evaluate(run, ...values) {
    return this.frame.evaluate(run, ...values);
  }

  /** Waits until `condition(value)` holds in the page, and returns its result. */
  async waitForFunction(condition, value) {
    return (await this.frame.waitForFunction(condition, { timeout: MINUTE }, value)).jsonValue();
  }
}

/** A page. */
export class Tab extends Finder {
  /** Whether the tab is navigating. */
  isLeaving = false;

  constructor(page) {
    super(page);
    page.setDefaultTimeout(MINUTE);
  }

  goto(url) {
    return this.#leave(() => this.frame.goto(url));
  }

  reload() {
    return this.#leave(() => this.frame.reload());
  }

  async #leave(go) {
    this.isLeaving = true;
    try {
      await go();
    } finally {
      this.isLeaving = false;
    }
  }

  setViewportSize(size) {
    return this.frame.setViewport(size);
  }

  /** The frame with this address. */
  async frameAt(url) {
    return new Finder(await this.frame.waitForFrame((frame) => frame.url() === url));
  }
}

/** The first match of a selector of Puppeteer's, evaluated at every use. */
class Locator {
  constructor(frame, selector) {
    this.frame = frame;
    this.selector = selector;
  }

  locator(css) {
    return new Locator(this.frame, `${this.selector} ${css}`);
  }

  getByTestId(id) {
    return this.locator(testId(id));
  }

  getByText(text) {
    return this.locator(withText(text));
  }

  first() {
    return this;
  }

  /** Waits until it is visible, or in the state `attached` or `hidden`. */
  waitFor({ timeout = MINUTE, state = 'visible' } = {}) {
    return this.frame.waitForSelector(this.selector, { visible: state === 'visible', hidden: state === 'hidden', timeout });
  }

  async click() {
    // Puppeteer accepts an element that is covered by the sticky header.
    await this.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await this.frame.locator(this.selector).setTimeout(MINUTE).click();
  }

  async fill(text) {
    await this.frame.locator(this.selector).setTimeout(MINUTE).fill(text);
  }

  /** Selects the option with this value or text, once it exists; returns its value. */
  async selectOption(wanted) {
    const select = await this.waitFor();
    const valueOf = (select, wanted) => [...select.options].find(({ value, text }) => [value, text].includes(wanted))?.value;
    const found = await this.frame.waitForFunction(valueOf, { timeout: MINUTE }, select, wanted);
    return select.select(await found.jsonValue());
  }

  async evaluate(run, ...values) {
    return (await this.waitFor({ state: 'attached' })).evaluate(run, ...values);
  }

  evaluateAll(run) {
    return this.frame.$$eval(this.selector, run);
  }

  count() {
    return this.evaluateAll((all) => all.length);
  }

  inputValue() {
    return this.evaluate(({ value }) => value);
  }

  innerText() {
    return this.evaluate(({ innerText }) => innerText);
  }

  getAttribute(name) {
    return this.evaluate((element, name) => element.getAttribute(name), name);
  }
}

function testId(id) {
  return `[data-testid="${id}"]`;
}

function withText(text) {
  return `::-p-text(${JSON.stringify(text)})`;
}
