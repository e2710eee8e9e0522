// A lesson as an item of a SCORM 1.2 package: `scorm.html?lesson=NAME`, or `?document=FILE` for a document beside it.
//
// The learning management system provides the student's name and gets score, status, and the receipt. The score comes
// from the student's browser, as in any SCORM package; for marks that count, grade the receipt (`fusescape grade`).

/** Number of parent windows to search for the API, as in the standard. */
const MOST_LEVELS = 7;
/** Longest `cmi.suspend_data` of SCORM 1.2. */
const LONGEST_DATA = 4096;

const api = findApi(window) ?? (window.opener ? findApi(window.opener) : null);
const view = document.querySelector('iframe');
const options = new URLSearchParams(location.search);
let begun = false;

function findApi(from) {
  let at = from;
  for (let level = 0; level <= MOST_LEVELS; level += 1) {
    try {
      if (at.API) return at.API;
    } catch {
      // A window of another origin cannot have one for us.
      return null;
    }
    if (!at.parent || at.parent === at) return null;
    at = at.parent;
  }
  return null;
}

function say(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  said.hidden = false;
}

function set(name, value) {
  api?.LMSSetValue(name, String(value));
}

async function lesson() {
  const file = options.get('document');
  if (!file) return options.get('lesson') ?? 'why-fuse';
  // Only a file beside this one.
  if (!/^[\w-]+\.ya?ml$/.test(file)) throw new Error(`${file} is no name of a document`);
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file} is not beside scorm.html`);
  return response.text();
}

if (!api) say('No learning management system was found: answers are not kept. You can save a receipt below.');
api?.LMSInitialize('');
const student = api?.LMSGetValue('cmi.core.student_id') ?? '';
if (['', 'not attempted', 'unknown'].includes(api?.LMSGetValue('cmi.core.lesson_status') ?? '-')) {
  set('cmi.core.lesson_status', 'incomplete');
  api.LMSCommit('');
}

addEventListener('message', async ({ origin, source, data }) => {
  if (origin !== location.origin || source !== view.contentWindow || data?.fusescape !== 1) return;
  if (!begun && (data.type === 'ready' || (data.type === 'state' && data.id === 'there'))) {
    begun = true;
    try {
      const message = { fusescape: 1, type: 'set', id: 'lesson', lesson: await lesson(), ...(student && { student }) };
      view.contentWindow.postMessage(message, location.origin);
    } catch (error) {
      say(error.message);
    }
  }
  if (data.type === 'error') say(data.errors.map(({ place, reason }) => `${place}: ${reason}`).join(' '));
  if (data.type === 'answered') {
    set('cmi.core.score.min', 0);
    set('cmi.core.score.max', 100);
    set('cmi.core.score.raw', Math.round((1000 * data.marks) / data.of) / 10);
    if (data.answered === data.steps && data.is_over) set('cmi.core.lesson_status', 'completed');
    if (data.receipt.length <= LONGEST_DATA) set('cmi.suspend_data', data.receipt);
    api?.LMSCommit('');
  }
});

addEventListener('pagehide', () => api?.LMSFinish(''));
// The view may have been ready first.
view.contentWindow.postMessage({ fusescape: 1, type: 'get', id: 'there' }, location.origin);
