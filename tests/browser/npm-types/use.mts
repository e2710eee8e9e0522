// What somebody writes who has types: it compiles, and what is wrong does not.

import { Fusescape, FusescapeError, type Document, type DepthFirst } from 'fusescape';

const fusescape = new Fusescape();
const core: Document = { name: 'My core', array: { dimensions: { D1: 8 } } };

const sweep = await fusescape.depthFirst('meta-proto-like-df', core, { tiles: [[4, 60], [4]], modes: ['fully-cached'], stacks: ['map2'] });
const energies: number[] = sweep.points.map((point) => ('impossible' in point ? Infinity : point.energy_pj));
const found: DepthFirst = sweep;
const notes: string[] = sweep.notes.map(({ path, reason, remedy }) => `${path}${reason}${remedy}`);
const { layers, mapping } = await fusescape.mapLayer('zigzag-8x8', 'three-convs', 'conv1', { hints: { D1: ['K'] }, unroll: 'search' });
const priced = await fusescape.mapLayers('zigzag-8x8', 'three-convs', { mapping, layers: [layers[0]?.layer ?? ''] });
const { hardware } = await fusescape.hierarchies('alexnet-eyeriss', { only_best: true, layers: ['conv3'] });
const { trace, latency_cycles } = await fusescape.cores('ws-pair', 'three-convs', { hardware, signal: AbortSignal.timeout(1) });
const clock: number | null = (await fusescape.facts('hardware', core)).clock_mhz;
const macs: number = (await fusescape.facts('network', core)).macs;
const step = await fusescape.attention('fusemax-like', 'gpt2-small', { tokens: 64, bits: { keys: 8 } });
const buffers = await fusescape.study({ name: 'Buffers' }, { documents: { hardware: { mine: core } } });
const cells: (string | number | null | undefined)[] = buffers.rows.map((row) => row.energy_pj);
const imported = await fusescape.importFiles([new File([], 'net.onnx'), { name: 'w.yaml', data: 'name: x' }], { sizes: { N: 1 } });
const text: string | undefined = imported.network;

try {
  await fusescape.evaluate(core, core, { tile: [60, 72], progress: (done, count, what) => console.log(done / count, what) });
} catch (error) {
  if (error instanceof FusescapeError) console.log(error.diagnostics.map(({ line }) => line ?? 0));
}

// @ts-expect-error A schedule has a tile.
fusescape.evaluate(core, core);
// @ts-expect-error There is no such mode.
fusescape.depthFirst(core, core, { modes: ['cached'] });
// @ts-expect-error Only where stacks are searched for.
fusescape.depthFirst(core, core, { most_layers: 3 });
// @ts-expect-error There is no such kind of document.
fusescape.presets('model');
// @ts-expect-error There is no such kind of element.
fusescape.attention(core, core, { bits: { keis: 8 } });
// @ts-expect-error A sweep has no such field.
sweep.energy;

console.log(energies, found, notes, priced, trace, latency_cycles, clock, macs, step.layers, cells, text);
