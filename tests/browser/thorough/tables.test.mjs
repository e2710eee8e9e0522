// Saved tables contain full numbers, which agree with those on the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, fileButton, withPage } from '../harness.mjs';

const UNITS = {
  ...{ '': 1, '%': 1, pJ: 1, nJ: 1e3, µJ: 1e6, mJ: 1e9, J: 1e12 },
  ...{ cycles: 1, kcycles: 1e3, Mcycles: 1e6, MACs: 1, kMACs: 1e3, MMACs: 1e6, GMACs: 1e9 },
  ...{ B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, accesses: 1, elements: 1 },
};

test('every number of every table is saved in full', () =>
  withPage(
    async ({ page, url }) => {
      await page.addInitScript(catchFiles);
      await page.goto(url);
      await page.locator('[data-testid=root][data-status=done]').waitFor();
      // The code of these cards is fetched once the sweep rests.
      for (const name of ['comparison-energy', 'combination', 'trade-off', 'mac-counts']) {
        await page.locator(`.answers [data-testid=${name}]`).waitFor();
      }
      const isCompared = () => page.locator('.answers [data-testid=neighbours]:not([aria-busy])').waitFor();
      await isCompared();
      let checked = await checkTables(page);
      await page.getByTestId('tab-schedule').click();
      await page.getByTestId('layer-tiles').waitFor();
      await isCompared();
      checked += await checkTables(page);
      const tiles = await saved(page, await fileButton(page.getByTestId('layer-tiles').locator('..'), 'json'));
      const tops = JSON.parse(tiles.text).map((row) => row['top memory']);
      assert.ok(tops.every((top) => /^([WIO] \w+)(, [WIO] \w+)*$/.test(top)), tops.join('; '));

      await page.getByTestId('tab-mapping').click();
      await page.getByTestId('mapping-layer').selectOption('shrink');
      await page.locator('[data-testid=mapping-view][data-status=done]').waitFor();
      await page.locator('.answers details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
      for (const name of ['rules-comparison', 'unrollings', 'strategies']) {
        await page.locator(`[data-testid=${name}][data-status=done]`).waitFor();
      }
      checked += await checkTables(page);
      assert.ok(checked > 400, `${checked} numbers were compared`);

      // Published numbers belong to no design.
      await page.getByTestId('tab-gallery').click();
      const entry = page.getByTestId('entry-defines-table-1');
      await entry.locator('summary').click();
      await page.locator('[data-testid=entry-defines-table-1][data-status=done]').waitFor();
      const published = await saved(page, await fileButton(entry.getByTestId('claims'), 'csv'));
      assert.match(published.name, /^defines-[a-z0-9-]+\.csv$/);
      const [header] = published.text.split('\r\n');
      assert.equal(header, 'claim,published,ours,deviation [%],fidelity,remark');
    },
    { viewport: { width: 1440, height: 900 } },
  ));

/** Saves all visible tables as CSV and JSON, and compares them with each other and with the page. */
async function checkTables(page) {
  await page.locator('.answers details').evaluateAll((all) => all.forEach((details) => (details.open = true)));
  let checked = 0;
  for (const group of await page.locator('.answers .save[data-of=table]').all()) {
    await group.getByTestId('save').click();
    const json = await caught(page, group.getByTestId('save-json'));
    assert.match(json.name, /^meta-prototype-like-df-fsrcnn-defines-[a-z0-9-]+\.json$/);
    const rows = JSON.parse(json.text);
    const csv = csvRows((await caught(page, group.getByTestId('save-csv'))).text);
    const names = csv.shift();
    assert.deepEqual(csv.length, rows.length, json.name);
    const shown = await group.evaluate((save) => {
      const table = save.parentElement.querySelector('table');
      const texts = (row) => [...row.cells].map((cell) => cell.innerText);
      const isWhole = (row) => [...row.cells].every((cell) => cell.colSpan === 1);
      return { unit: /\((\S+)\)$/.exec(table.caption?.innerText)?.[1], head: texts(table.tHead.rows[0]), rows: [...table.tBodies].flatMap((body) => [...body.rows]).filter(isWhole).map(texts) };
    });
    for (const [index, row] of rows.entries()) {
      assert.deepEqual(Object.keys(row), names, `${json.name}: keys in the order of the columns`);
      for (const [column, name] of names.entries()) {
        const value = row[name];
        assert.equal(csv[index][column], value === null ? '' : String(value), `${json.name}: ${name}`);
        const text = shown.rows.length === rows.length && shown.rows[index].length >= names.length && shown.rows[index][column];
        if (typeof value !== 'number' || !text) continue;
        const said = spoken(text, shown.head[column], column > 0 ? shown.unit : '');
        if (said === undefined) continue;
        assert.ok(Math.abs(said - value) <= 0.0051 * Math.abs(value) + 1e-9, `${json.name}: ${name} is ${value}, the page says ${text}`);
        checked += 1;
      }
    }
  }
  return checked;
}

/** The number in a text, in base units; the head of the column, or the caption, may state its unit. */
function spoken(text, head, general = '') {
  const [, digits, unit] = /^([\d.,\u202f]+(?:e-?\d+)?) ?(\S*)$/.exec(text.replace(/ \([^)]*\)$/, '')) ?? [];
  const factor = UNITS[unit || (head.split(', ').at(-1) in UNITS ? head.split(', ').at(-1) : general)];
  return digits === undefined || factor === undefined ? undefined : Number(digits.replace(/[\u202f,]/g, '')) * factor;
}

function csvRows(text) {
  return text
    .trim()
    .split('\r\n')
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, field]) => unquoted(field)))
    .map((fields, index, all) => (fields.length < all[0].length ? [...fields, ''] : fields));
}

const unquoted = (field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);

/** In the page: keeps downloads while `window.caught` is a list; a browser allows few in a row. */
function catchFiles() {
  const blobs = new Map();
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const address = make(blob);
    blobs.set(address, blob);
    return address;
  };
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    if (!window.caught || !this.download) return click.call(this);
    window.caught.push(blobs.get(this.href).text().then((text) => ({ name: this.download, text })));
  };
}

async function caught(page, button) {
  await page.evaluate(() => (window.caught = []));
  await button.click();
  await page.waitForFunction(() => window.caught.length === 1);
  return page.evaluate(async () => {
    const [file] = await Promise.all(window.caught);
    delete window.caught;
    return file;
  });
}

async function saved(page, button) {
  const waits = page.waitForEvent('download');
  await button.click();
  const download = await waits;
  return { name: download.suggestedFilename(), text: String(await bytesOf(download)) };
}
