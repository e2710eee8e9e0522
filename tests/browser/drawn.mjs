// After an action a person sees what it did, and acts then. Yew draws in slices of 16 ms and goes on with the rest in a task of its own, so
// that a busy machine has drawn nothing yet when the action returns. Here every action of Playwright waits for these tasks.

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

// A page that is at work begins a new task whenever one ends: after so many it is looked at as it is.
const MOST_TASKS = 100;

/** Has every document of the context count its tasks that are to run at once. */
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

/** Makes the actions in a page wait until what they caused is drawn. */
export function waitForDrawing(page) {
  waitAfter(page.keyboard, OF_KEYBOARD, () => page);
  waitAfter(page.mouse, OF_MOUSE, () => page);
  if (isPatched) return;
  // All locators share their functions.
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
  // A frame that is gone, or leads elsewhere now, has nothing to draw.
  await Promise.all(page.frames().map((frame) => frame.evaluate(wait, MOST_TASKS).catch(() => {})));
}
