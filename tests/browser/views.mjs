// All views, how to open them, and the screens on which they are tested.

import { pickPreset, waitUntil } from './harness.mjs';

/** Opens a section of the view Fusion, and waits for these parts of it. */
async function fusionPart(page, part, waited) {
  await page.getByTestId(`fusion-${part}-part`).click();
  for (const card of waited) await page.locator(`[data-testid=${card}][data-status=done]`).waitFor();
  await unfold(page);
}

/** How to open every view; each continues from the one before. */
export const VIEWS = {
  landscape: async () => {},
  'landscape, tables': (page) => unfold(page),
  'hardware, a memory': (page) => page.getByTestId('memory-3').click(),
  'hardware, the array': async (page) => {
    await page.getByTestId('array').click();
    return () => page.getByTestId('array').click();
  },
  'hardware as text with a mistake': async (page) => {
    await page.getByTestId('hardware-as-text').click();
    const text = page.getByTestId('hardware-text');
    const good = await text.inputValue();
    await text.fill(good.replace('size: 32 KiB', 'size: 32 Kib'));
    await page.getByTestId('hardware-errors').waitFor();
    return async () => {
      await text.fill(good);
      await page.getByTestId('hardware-as-text').click();
      await pickPreset(page, 'hardware', 'meta-proto-like-df');
      await settled(page);
    };
  },
  'network, a layer': (page) => page.getByTestId('layer-2').click(),
  'network as a table': (page) => page.getByRole('button', { name: 'table', exact: true }).first().click(),
  'rules of the schedule': (page) => page.getByText('what the rules switch').click(),
  schedule: async (page) => {
    await page.getByTestId('tab-schedule').click();
    await page.getByTestId('layer-tiles').waitFor();
    await unfold(page);
  },
  mapping: async (page) => {
    await page.getByTestId('tab-mapping').click();
    await page.getByTestId('mapping-layer').selectOption('shrink');
    await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
    await unfold(page);
    await page.locator('[data-testid=rules-comparison][data-status=done]').waitFor();
  },
  'compare, nothing pinned': (page) => page.getByTestId('tab-compare').click(),
  compare: async (page) => {
    await page.getByTestId('pin').click();
    await pickPreset(page, 'hardware', 'tpu-like-df');
    await settled(page);
    await page.getByTestId('ratios').locator('canvas').first().waitFor();
    await unfold(page);
  },
  gallery: async (page) => {
    await page.getByTestId('tab-gallery').click();
    await page.getByTestId('entry-defines-table-1').locator('summary').click();
    await page.locator('[data-testid=entry-defines-table-1][data-status=done]').waitFor();
  },
  fusion: async (page) => {
    await page.getByTestId('tab-fusion').click();
    await page.locator('[data-testid=fusion-view][data-status=done]').waitFor();
    await unfold(page);
  },
  'fusion, buffer at run time': (page) => fusionPart(page, 'buffer', ['fusion-online']),
  'fusion, other hardware': (page) => fusionPart(page, 'what-if', ['fusion-sweeps']),
  'fusion, sequences': async (page) => {
    await fusionPart(page, 'sequences', []);
    for (const part of ['sequences', 'sequence-facts', 'sequence-resources']) {
      await page.locator(`[data-testid=${part}][data-status=done]`).waitFor();
    }
    await unfold(page);
  },
  cores: async (page) => {
    await page.getByTestId('tab-cores').click();
    await page.getByTestId('core-tiles').selectOption('rows');
    await page.getByTestId('core-rows').fill('18');
    await page.locator('[data-testid=cores-improving][data-done=true]').waitFor();
    await page.locator('[data-testid=cores-view][data-status=done]').waitFor();
    await page.getByTestId('compare-allocations').click();
    await page.locator('[data-testid=cores-compared][data-status=done]').waitFor();
    await page.getByTestId('sweep-systems').click();
    await page.getByTestId('systems-bars').waitFor();
    await page.getByTestId('stop-systems').click();
    await unfold(page);
  },
  study: async (page) => {
    await page.getByTestId('tab-study').click();
    await page.locator('[data-testid=study-view][data-status=done]').waitFor();
    await page.getByTestId('study-open-row').first().click();
    await page.getByTestId('study-opened').waitFor();
    await unfold(page);
  },
  hierarchy: async (page) => {
    await page.getByTestId('tab-hierarchy').click();
    await page.getByTestId('case-study-2').click();
    await page.getByTestId('hierarchy-levels').selectOption('1');
    await page.getByTestId('hierarchy-start').click();
    await page.locator('[data-testid=hierarchy-view][data-status=done]').waitFor();
    await page.getByTestId('hierarchy-front').locator('tbody button').first().click();
    await page.getByTestId('hierarchy-facts').locator('table').waitFor();
    await unfold(page);
  },
  ...Object.fromEntries(['files', 'share', 'embed', 'help'].map((name) => [`dialog: ${name}`, (page) => dialog(page, name)])),
};

/** VIEWS, and every tab that is missing there: a new view is tested even before its steps are written. */
export async function everyView(page) {
  const names = () => [...document.querySelectorAll('nav [data-testid^=tab-]')].map(({ dataset }) => dataset.testid.slice('tab-'.length));
  const others = (await page.evaluate(names)).filter((name) => !(name in VIEWS));
  const open = (name) => (page) => page.getByTestId(`tab-${name}`).click();
  return [...Object.entries(VIEWS), ...others.map((name) => [name, open(name)])];
}

/** Sizes and themes in which a page is tested. The last one stays for the steps that follow. */
const SCREENS = [
  { width: 390, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
];

/** Problems that `judge` finds in the page on every screen. */
export async function onEveryScreen(page, judge) {
  const wrong = [];
  for (const { width, colorScheme } of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // Charts are drawn for another width one frame later.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const screen = `${width}-${colorScheme}`;
    wrong.push(...(await judge(screen)).map((mistake) => `${screen}: ${mistake}`));
  }
  return wrong;
}

// --- helpers ----------------------------------------------------------------------------------------------

/** In the page: figures and tables that cannot be saved, figures without a table or a description. */
export function unsavedIn() {
  const wrong = [];
  const canvases = [...document.querySelectorAll('canvas')];
  for (const canvas of canvases) {
    const label = canvas.getAttribute('aria-label');
    const has = (selector) => canvas.closest('figure, .scale')?.querySelector(selector);
    if (!has('.save[data-of=figure]')) wrong.push(`files of ${label}`);
    // One colour scale stands for all heatmaps, and its files contain their table; large tables are built when shown.
    // Figures side by side may share the table next to them.
    const shares = canvas.closest('.side-by-side')?.nextElementSibling?.matches('details.twin');
    if (!has('table, details.twin') && !shares && !canvas.closest('.scale')) wrong.push(`table of ${label}`);
    if (!(label?.length > 20)) wrong.push(`description of ${label}`);
  }
  // Editable rows are no table of results; the layers are saved with their graph.
  const isResult = (table) => !table.querySelector('input, .stepper, [data-testid=layer-rows]') && table.tHead;
  const tables = [...document.querySelectorAll('table')].filter(isResult);
  for (const table of tables) {
    if (!table.parentElement.querySelector('.save[data-of=table]')) wrong.push(`files of ${table.innerText.slice(0, 40)}`);
  }
  return { wrong, figures: canvases.length, tables: tables.length };
}

/** Opens every disclosure of the results. */
async function unfold(page) {
  await page.locator('.answers details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
}

async function dialog(page, name) {
  await page.getByTestId(name).click();
  await page.getByTestId(`${name}-dialog`).waitFor();
  return () => page.getByTestId('close').click();
}

/** Waits until all points of the landscape are shown. */
export async function settled(page) {
  await page.locator('[data-testid=root][data-status=done]').waitFor();
}

/** Waits until a first visit has fetched the pieces that follow the landscape, and its workers the code for answers. */
export async function allFetched(page) {
  await page.locator('[data-testid=joint][data-status=done]').waitFor();
  await waitUntil(page, async () => {
    const loader = await (await fetch('./pkg/__wasm_split.js')).text();
    const [, chunks] = loader.match(/__wasm_split_load_others ?=[^[]*\[([^\]]*)\]/);
    const files = ['split_others', ...chunks.match(/chunk_\d+/g)];
    const fetched = performance.getEntriesByType('resource').filter(({ responseEnd }) => responseEnd > 0);
    return files.every((file) => fetched.some(({ name }) => name.endsWith(`/${file}.wasm`)));
  });
}
