// The widget of `fusescape.show` in JupyterLab, with the wheel that `tools/build-wheel` built.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY, pickPreset, withPage } from '../harness.mjs';

// Installed by tools/setup; the wheel is installed beside it.
const PYTHON = join(REPOSITORY, '.tools', 'python', 'bin', 'python');

/** A notebook in JupyterLab: `run(number)` runs a cell and returns its output, `frames` are the pages in it. */
async function withNotebook(cells, visit) {
  const folder = await mkdtemp(join(tmpdir(), 'fusescape-notebook-'));
  const [root, runtime, packages] = ['root', 'runtime', 'packages'].map((name) => join(folder, name));
  await mkdir(root);
  const wheels = join(REPOSITORY, 'target', 'wheels');
  const wheel = (await readdir(wheels).catch(() => [])).find((name) => name.endsWith('.whl'));
  assert.ok(wheel, 'there is no wheel in target/wheels: run `make site python`');
  execFileSync(PYTHON, ['-m', 'zipfile', '--extract', join(wheels, wheel), packages]);
  await writeFile(join(root, 'own.ipynb'), JSON.stringify(notebook(cells)));
  // No prompts about news.
  const settings = join(folder, 'settings', '@jupyterlab', 'apputils-extension');
  await mkdir(settings, { recursive: true });
  const quiet = { fetchNews: 'false', checkForUpdates: false };
  await writeFile(join(settings, 'notification.jupyterlab-settings'), JSON.stringify(quiet));
  const options = [
    'token=', 'password=', `root_dir=${root}`, 'port=0', 'allow_root=True', 'open_browser=False',
  ].map((option) => `--ServerApp.${option}`);
  const server = spawn(
    PYTHON,
    ['-m', 'jupyterlab', ...options, '--expose-app-in-browser', '--LabApp.news_url=None', '--LabApp.extension_manager=readonly']
      .concat('--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate'),
    {
      env: {
        ...process.env,
        PYTHONPATH: packages,
        HOME: folder,
        JUPYTER_RUNTIME_DIR: runtime,
        JUPYTER_CONFIG_DIR: join(folder, 'config'),
        JUPYTERLAB_SETTINGS_DIR: join(folder, 'settings'),
        JUPYTERLAB_WORKSPACES_DIR: join(folder, 'workspaces'),
      },
      stdio: 'ignore',
    },
  );
  const ended = new Promise((over) => server.on('exit', over));
  try {
    const url = await Promise.race([addressIn(runtime), ended.then(() => assert.fail('JupyterLab ended'))]);
    await withPage(async (tab) => {
      await tab.page.goto(`${url}lab/tree/own.ipynb`);
      await tab.page.waitForFunction(() => window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle');
      const run = (number) => tab.page.evaluate(runCell, number);
      const frames = [0, 1].map((index) => tab.page.locator('iframe[title=Fusescape]').nth(index).contentFrame());
      await visit({ ...tab, run, frames });
      // JupyterLab warns about its own slowness on a busy machine.
      const isOurs = (problem) => !/^console warning: Plugin @jupyterlab\/.* took [\d.]+ms to activate/.test(problem);
      tab.problems.splice(0, tab.problems.length, ...tab.problems.filter(isOurs));
    }, { hosts: [url], viewport: { width: 1280, height: 1000 } });
  } finally {
    server.kill();
    await ended;
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}

function notebook(cells) {
  const cell = (source) => ({ cell_type: 'code', source, metadata: {}, outputs: [], execution_count: null });
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  return { nbformat: 4, nbformat_minor: 4, metadata: { kernelspec }, cells: cells.map(cell) };
}

/** The address of the server, which it writes once it listens. */
async function addressIn(runtime) {
  for (;;) {
    const files = await readdir(runtime).catch(() => []);
    const file = files.find((name) => /^jpserver-\d+\.json$/.test(name));
    const text = file && (await readFile(join(runtime, file), 'utf8'));
    if (text?.endsWith('}')) return `http://127.0.0.1:${JSON.parse(text).port}/`;
    await sleep(100);
  }
}

/** In the browser: runs a cell, and returns its output, or its error. */
async function runCell(number) {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = number;
  content.deselectAll();
  await window.jupyterapp.commands.execute('notebook:run-cell');
  const outputs = content.widgets[number].model.sharedModel.toJSON().outputs;
  return outputs.map(({ text, evalue }) => [text ?? evalue ?? ''].flat().join('')).join('');
}

test('the page lives in a notebook: set from Python, read back, without another host', () =>
  withNotebook(
    [
      'import fusescape\npage = fusescape.show("meta-proto-like-df", "fsrcnn-60")\npage',
      'print(page.hardware.name, page.results["status"], page.results["points"])',
      'page.hardware = "tpu-like-df"\npage.metric = "latency"\npage.view = "landscape"',
      'print(page.hardware.name, "|", page.network.name, "|", page.view, "|", len(page.errors))',
      `sweep = fusescape.depth_first(page.hardware, page.network, strategy="loma")
best = min(sweep.points, key=lambda point: point.energy_pj)
print(page.results["status"], page.results["best"]["energy_pj"] == best.energy_pj, fusescape.open_link(page.link)[1] == page.network)`,
      'page.view = "mapping"',
      'page.hardware = page.hardware.replace({"memories[0].size": "0 B"})',
      'page.hardware = page.hardware.replace({"memories[0].size": "2 KiB"})',
      'print(page.hardware.memories[0], page.view)',
      'opened, best = page.results["opened"], page.results["best"]\nprint(opened == best, opened["mode"], page.view)',
      'fusescape.show(link=page.link, view=page.view, controls=[], height=400)',
    ],
    async ({ page, run, frames }) => {
      assert.equal(await run(0), '');
      const [frame] = frames;
      const done = () => frame.locator('[data-testid=root][data-status=done]').waitFor();
      await done();
      assert.equal(await until(run, 1, /done/), 'Meta-prototype-like DF done 108\n');

      // The selection, which opens a view.
      assert.match(await run(9), /^True .* landscape\n$/);
      await frame.getByTestId('heatmap-fully-recompute').locator('.heatmap').click();
      assert.equal(await until(run, 9, /False/), 'False fully-recompute schedule\n');

      // From Python to the page.
      assert.equal(await run(2), '');
      await frame.locator('[data-testid=hardware-card][data-preset=tpu-like-df]').waitFor({ state: 'attached' });
      await frame.getByText('Mcycles').first().waitFor({ state: 'attached' });
      assert.equal(await until(run, 3, /TPU-like DF/), 'TPU-like DF | FSRCNN, 60 x 60 | landscape | 0\n');

      // From the page to Python.
      await pickPreset(frame, 'workload', 'three-convs');
      await done();
      assert.match(await until(run, 3, /Three/i), /^TPU-like DF \| Three/i);
      assert.equal(await until(run, 4, /done/), 'done True True\n');

      assert.equal(await run(5), '');
      await frame.getByTestId('loop-editor').waitFor();
      assert.match(await run(6), /`0 B`|size/);
      assert.equal(await run(7), '');
      assert.match(await until(run, 8, /16384/), /size_bits=16384\) mapping\n$/);

      // A notebook removes elements that are out of sight; the view is restored unchanged.
      await page.locator('iframe[title=Fusescape]').evaluate((frame) => frame.parentNode.append(frame));
      await frame.locator('[data-testid=workload-card][data-preset=three-convs]').waitFor({ state: 'attached' });
      await frame.getByTestId('loop-editor').waitFor();
      assert.match(await run(8), /size_bits=16384\) mapping\n$/);

      // A shared state opens unchanged, in a frame of its own.
      assert.equal(await run(10), '');
      await frames[1].getByTestId('loop-editor').waitFor();
      assert.equal(await page.locator('iframe[title=Fusescape]').last().evaluate(({ clientHeight }) => clientHeight), 400);
      assert.equal(await frames[1].getByTestId('hardware-card').count(), 0);
      assert.equal(await frame.getByTestId('open-in-full').isVisible(), false);
    },
  ));

/** Runs a cell until its output matches. */
async function until(run, number, pattern) {
  for (;;) {
    const said = await run(number);
    if (pattern.test(said)) return said;
    await sleep(200);
  }
}
