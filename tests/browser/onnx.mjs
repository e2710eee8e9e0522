// Writes ONNX models for tests: a tiny protocol buffer writer, and graphs on top of it.

const varint = (value) => {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
};

/** A field with a number. */
export const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
/** The header of a field of `length` bytes. */
export const head = (field, length) => Buffer.concat([varint((field << 3) | 2), varint(length)]);
/** A field with a text, or with a message made of fields. */
export const field = (number, ...parts) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([head(number, bytes.length), bytes]);
};

const tensor = (name, dims) => [...dims.map((dim) => number(1, dim)), number(2, 1), field(8, name)];

/** Weights with arbitrary values. */
export const weights = (name, dims) => field(5, ...tensor(name, dims), field(9, Buffer.alloc(4 * dims.reduce((a, b) => a * b, 1))));
/** A list of integers, such as a shape. */
export const ints = (name, list) => {
  const bytes = Buffer.alloc(8 * list.length);
  list.forEach((value, place) => bytes.writeBigInt64LE(BigInt(value), 8 * place));
  return field(5, number(1, list.length), number(2, 7), field(8, name), field(9, bytes));
};
/** The header of `bytes` bytes of weights, which are not written. */
export const weightsHead = (name, dims, bytes) => {
  const inner = Buffer.concat([...tensor(name, dims), head(9, bytes)]);
  return Buffer.concat([head(5, inner.length + bytes), inner]);
};
/** A node; attributes are lists of integers. */
export const node = (op, inputs, output, attributes = {}) =>
  field(
    1,
    ...inputs.map((name) => field(1, name)),
    field(2, output),
    field(4, op),
    ...Object.entries(attributes).map(([name, list]) => field(5, field(1, name), ...list.map((value) => number(8, value)), number(20, 7))),
  );
/** An input; a text instead of a size leaves the dimension open. */
export const input = (name, dims) => {
  const extents = dims.map((dim) => field(1, typeof dim === 'string' ? field(2, dim) : number(1, dim)));
  return field(11, field(1, name), field(2, field(1, number(1, 1), field(2, ...extents))));
};
/** A whole model. */
export const model = (...graph) => Buffer.concat([number(1, 8), field(2, 'test'), field(7, ...graph)]);

const [TOKENS, WIDTH, HEADS, HIDDEN] = [16, 32, 4, 96];

/** A product with weights. */
const dense = (from, name, c, k) => [weights(`${name}.weight`, [c, k]), node('MatMul', [from, `${name}.weight`], name)];

/** Attention, and a feed-forward part with an activation, each after a norm and added to its input. */
const block = (from, name, activation) => {
  const own = (part) => `${name}/${part}`;
  const heads = (part) => [
    node('Reshape', [own(part), 'heads'], own(`${part}.split`)),
    node('Transpose', [own(`${part}.split`)], own(`${part}.turned`), { perm: part === 'k' ? [0, 2, 3, 1] : [0, 2, 1, 3] }),
  ];
  return [
    weights(own('gain'), [WIDTH]),
    node('LayerNormalization', [from, own('gain')], own('normal')),
    ...['q', 'k', 'v'].flatMap((part) => [...dense(own('normal'), own(part), WIDTH, WIDTH), ...heads(part)]),
    node('MatMul', [own('q.turned'), own('k.turned')], own('scores')),
    node('Add', [own('scores'), 'hidden'], own('masked')),
    node('Softmax', [own('masked')], own('shares')),
    node('MatMul', [own('shares'), own('v.turned')], own('context')),
    node('Transpose', [own('context')], own('rows'), { perm: [0, 2, 1, 3] }),
    node('Reshape', [own('rows'), 'tokens'], own('joined')),
    ...dense(own('joined'), own('output'), WIDTH, WIDTH),
    node('Add', [from, own('output')], own('middle')),
    node('LayerNormalization', [own('middle'), own('gain')], own('normal.2')),
    ...dense(own('normal.2'), own('up'), WIDTH, HIDDEN),
    node(activation, [own('up')], own('activated')),
    ...dense(own('activated'), own('down'), HIDDEN, WIDTH),
    node('Add', [own('middle'), own('down')], own('sum')),
  ];
};

/** A transformer: two blocks with causal attention, and a head. */
export const gpt = (activation) =>
  model(
    input('x', [1, TOKENS, WIDTH]),
    ints('heads', [1, TOKENS, HEADS, WIDTH / HEADS]),
    ints('tokens', [1, TOKENS, WIDTH]),
    ints('square', [TOKENS, TOKENS]),
    weights('lowest', []),
    node('Expand', ['lowest', 'square'], 'full'),
    node('Trilu', ['full'], 'hidden'),
    ...block('x', 'one', activation),
    ...block('one/sum', 'two', activation),
    ...dense('two/sum', 'head', WIDTH, 50),
  );
