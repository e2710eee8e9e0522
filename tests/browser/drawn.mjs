// A person acts only after seeing the effect of the previous action. Yew renders in slices of 16 ms and continues in a
// task of its own, so on a busy machine nothing may be drawn yet when an action returns. Here every action of
// Playwright waits for these tasks.

const OF_ELEMENTS = [
  'check',
  'clear',
  'click',
  'dblclick',
  'dispatchEvent',
  'dragTo',
  'fill',
  'focus',
  'hover',
  'press',
  'pressSequentially',
  'selectOption',
  'setChecked',
  'setInputFiles',
  'tap',
  'uncheck',
];
const OF_KEYBOARD = ['press', 'type'];
const OF_MOUSE = ['click', 'dblclick', 'down', 'move', 'up'];

// A busy page starts a new task whenever one ends: after this many, the test continues.
const MOST_TASKS = 100;

/** Makes every document of the context count its pending immediate tasks. */
export async function countTasks(context) {
  await context.addInitScript(() => {
    const own = window.setTimeout.bind(window);
    const stop = window.clearTimeout.bind(window);
    const waiting = new Set();
    window.setTimeout = (call, ms, ...more) => {
      if (ms > 0 || typeof call !== 'function') return own(call, ms, ...more);
      const id = own(() => {
        waiting.delete(id);
        call(...more);
      }, 0);
      waiting.add(id);
      return id;
    };
    window.clearTimeout = (id) => {
      waiting.delete(id);
      stop(id);
    };
    window.nextTask = () => new Promise((done) => own(() => done(waiting.size), 0));
  });
}

let isPatched = false;

/** Makes the actions in a page wait until their effects are drawn. */
export function waitForDrawing(page) {
  waitAfter(page.keyboard, OF_KEYBOARD, () => page);
  waitAfter(page.mouse, OF_MOUSE, () => page);
  if (isPatched) return;
  // All locators share their methods.
  isPatched = true;
  waitAfter(Object.getPrototypeOf(page.locator(':root')), OF_ELEMENTS, (locator) => locator.page());
}

function waitAfter(object, names, pageOf) {
  for (const name of names) {
    const act = object[name];
    object[name] = async function (...given) {
      const result = await act.apply(this, given);
      await drawn(pageOf(this));
      return result;
    };
  }
}

async function drawn(page) {
  const wait = async (most) => {
    for (let tasks = 0; tasks < most; tasks += 1) {
      if ((await window.nextTask?.()) === 0) return;
    }
  };
  // A frame that is gone, or is navigating, has nothing to draw.
  await Promise.all(page.frames().map((frame) => frame.evaluate(wait, MOST_TASKS).catch(() => {})));
}
