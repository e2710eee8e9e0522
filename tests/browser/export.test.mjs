// Figures, tables and whole designs are saved as files that other programs, and the page itself, can open.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_POINTS, bytesOf, commandLine, fileButton, pickPreset, withPage } from './harness.mjs';

test('what the page shows is saved, and opened again', (t) =>
  withPage(async ({ page, url, step }) => {
    const settled = () => page.locator('[data-testid=root][data-status=done]').waitFor();
    const best = () => page.getByTestId('kpi-best').locator('b').innerText();
    /** The file downloaded by a button. */
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      return { name: download.suggestedFilename(), bytes: await bytesOf(download) };
    };
    const textOf = async (button) => (await saved(button)).bytes.toString('utf8');

    await step(t, 'a figure is saved as PNG and as SVG, in the colours that the page shows', async () => {
      await page.goto(url + FEW_POINTS);
      await settled();
      const heatmap = page.getByTestId('heatmap-fully-cached');
      const png = await saved(await fileButton(heatmap, 'png'));
      const svg = await saved(await fileButton(heatmap, 'svg'));
      assert.equal(svg.name, 'meta-prototype-like-df-fsrcnn-defines-energy-fully-cached.svg');
      assert.match(svg.bytes.toString('utf8'), /tile width X, columns/);
      const shown = await coloursOf(page, await heatmap.locator('canvas').evaluate((canvas) => canvas.toDataURL()));
      for (const [type, { bytes }] of [['image/png', png], ['image/svg+xml', svg]]) {
        const there = await coloursOf(page, `data:${type};base64,${bytes.toString('base64')}`);
        if (type === 'image/png') assert.equal(there.width, 2 * (900 + 2 * 14));
        for (const [colour, share] of shown.shares) {
          // Larger differences are visible at a glance. Widths differ, and so do shares.
          if (share > 0.005) assert.ok(new Map(there.shares).get(colour) > share / 20, `${type} lacks ${colour}, ${share} of the page's`);
        }
      }
    });

    await step(t, 'its table is saved as CSV and as JSON, with all digits', async () => {
      const heatmap = page.getByTestId('heatmap-fully-cached');
      const csv = (await textOf(await fileButton(heatmap, 'csv'))).trim().split('\r\n');
      assert.equal(csv.length, 1 + 3, 'a header and three tile heights');
      const objects = JSON.parse(await textOf(await fileButton(heatmap, 'json')));
      const values = objects.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'number');
      const least = Math.min(...values.filter((value) => value > 1e6));
      assert.equal(`${(least / 1e9).toPrecision(3)} mJ`, await best());
      assert.ok(!Number.isInteger(least * 100), `${least} has all its digits`);
    });

    await step(t, 'the graph of layers and all heatmaps together are saved like other figures', async () => {
      const network = page.getByTestId('workload-card');
      const graph = await saved(await fileButton(network, 'svg'));
      assert.equal(graph.name, 'meta-prototype-like-df-fsrcnn-defines-layers.svg');
      assert.match(graph.bytes.toString('utf8'), /960 × 540 × 16/);
      const layers = JSON.parse(await textOf(await fileButton(network, 'json')));
      assert.deepEqual([layers.length, layers[8].layer, layers[8].reads, layers[8].stack], [9, 'upscale', 'expand', 1]);
      const svg = await textOf(await fileButton(page.locator('.scale'), 'svg'));
      for (const text of ['Energy, mJ', 'fully-recompute', 'H-cached, V-recompute', 'fully-cached']) assert.ok(svg.includes(text), text);
    });

    await step(t, 'the report of the page is that of the command line, to the letter', async () => {
      await page.getByTestId('files').click();
      await page.locator('[data-testid=save-report]:enabled').waitFor();
      const report = await saved(page.getByTestId('save-report'));
      assert.equal(report.name, 'meta-prototype-like-df-fsrcnn-defines-report.md');
      const text = report.bytes.toString('utf8');
      const [, link] = new RegExp(`<${url}#(\\S+)>`).exec(text);
      // The two may be of different commits.
      const untold = (report) => report.replace(/^Scheduled by Fusescape [^:]*/m, '');
      assert.equal(untold(text), untold(commandLine('report', link, '--site', url)));
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      assert.ok(text.includes(`| Energy | ${await best()} |`), text);
    });

    const text = page.getByTestId('hardware-text');
    let file;
    let own;
    let link;

    await step(t, 'the whole design is saved as YAML, unfinished as it is', async () => {
      await page.getByTestId('hardware-as-text').click();
      own = `${(await text.inputValue()).replace('size: 32 KiB', 'size: 48 KiB')}# unfinished: [\n`;
      await text.fill(own);
      await pickPreset(page, 'workload', 'three-convs');
      await page.getByTestId('tiles-x').fill('4 60 x');
      await page.getByTestId('tab-gallery').click();
      await page.getByTestId('files').click();
      const { name, bytes } = await saved(page.getByTestId('save-state'));
      assert.match(name, /^meta-prototype-like-df-[a-z-]*\.yaml$/);
      file = { name: 'design.yaml', mimeType: 'application/yaml', buffer: bytes };
      assert.match(bytes.toString('utf8'), /^fusescape: 1$/m);
      assert.match(bytes.toString('utf8'), /^ {6}size: 48 KiB$/m);
      await page.keyboard.press('Escape');
      link = await page.evaluate(() => location.hash);
    });

    const shows = async () => {
      await page.locator('[data-testid=tab-gallery][aria-current=page]').waitFor();
      await page.waitForFunction((link) => location.hash === link, link);
      assert.equal(await text.inputValue(), own);
      assert.equal(await page.getByTestId('workload-preset').inputValue(), 'three-convs');
      assert.equal(await page.getByTestId('tiles-x').inputValue(), '4 60 x');
    };
    const otherwise = async () => {
      await page.getByTestId('tab-lessons').click();
      await pickPreset(page, 'hardware', 'tpu-like');
    };
    const isOtherwise = async () => {
      await page.locator('[data-testid=tab-lessons][aria-current=page]').waitFor();
      assert.equal(await page.getByTestId('hardware-preset').inputValue(), 'tpu-like');
    };

    await step(t, 'it is opened by button, and by a drop anywhere, once; undo takes it back', async () => {
      await otherwise();
      await page.getByTestId('files').click();
      await page.getByTestId('page-import-files').setInputFiles(file);
      await shows();
      await page.getByTestId('page-import-report').getByText('opened as it is').waitFor();
      await page.getByRole('button', { name: 'close the report' }).click();
      await otherwise();
      for (const place of ['main', '[data-testid=hardware-card]']) {
        await drop(page, place, file);
        await shows();
        await page.getByTestId('undo').click();
        await isOtherwise();
      }
    });

    await step(t, 'what is wrong with a file is said, and changes nothing', async () => {
      const wrong = Buffer.from(file.buffer.toString('utf8').replace('tab: Gallery', 'tab: Galery'));
      await drop(page, 'main', { ...file, buffer: wrong });
      await page.getByTestId('page-import-report').getByText('Did you mean Gallery?').waitFor();
      await isOtherwise();
    });
  }));

/** Drops a file on an element. */
async function drop(page, selector, { name, mimeType, buffer }) {
  const transfer = await page.evaluateHandle(
    ([name, type, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type }));
      return transfer;
    },
    [name, mimeType, buffer.toString('utf8')],
  );
  for (const type of ['dragover', 'drop']) await page.locator(selector).dispatchEvent(type, { dataTransfer: transfer });
}

/** The width of a picture, and the shares of its colours other than grey. */
async function coloursOf(page, address) {
  // A separate page reads it, as the page itself may not open files.
  const reader = await page.context().newPage();
  try {
    return await reader.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const counts = new Map();
      for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
      const shares = [...counts].map(([pixel, count]) => [new Uint8Array(Uint32Array.of(pixel).buffer), (4 * count) / data.length]);
      const isColour = ([[red, green, blue, alpha]]) => alpha === 255 && Math.max(red, green, blue) - Math.min(red, green, blue) >= 30;
      return { width: canvas.width, shares: shares.filter(isColour).map(([[red, green, blue], share]) => [`rgb(${red}, ${green}, ${blue})`, share]) };
    }, address);
  } finally {
    await reader.close();
  }
}
