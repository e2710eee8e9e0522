#!/usr/bin/env node
// Counts what the tree at hand is made of, and prints tables in Markdown:
//
//   node tools/count.mjs            what `make count` runs
//   node tools/count.mjs --names    also the type names that several files define
//   node tools/count.mjs --docs     also the docs that repeat the name of their item
//
// It is no compiler: it reads Rust by its lexemes and by the indentation of rustfmt, and does not expand macros. It is
// a single file, so that a copy of it in an older checkout counts that one.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LEXEME = /\/\/[^\n]*|\/\*[^]*?\*\/|\bb?r(#*)"[^]*?"\1|"(?:\\[^]|[^"\\])*"|'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'/gu;
const TYPE = /^(?:pub(?:\(.*?\))? )?(?:unsafe )?(struct|enum|union|trait|type) (\w+)/gm;
const ATTRIBUTES = /^(?:\s*#\[(?:[^[\]]|\[[^[\]]*\])*\])*/;
const ITEM =
  /^\s*(?:pub(?:\(.*?\))? )?(?:(?:const|async|unsafe) )*(?:(?:fn|struct|enum|union|trait|type|static|mod|macro_rules!) )?(?:r#)?(\w+)/;
// Words without content: articles, prepositions and the like, and weak words, which may hide that a doc has no content.
const STOP_WORDS = 'a an the of its it is are in to for and or by with which that this'.split(' ');
const WEAK_WORDS = 'on at from as be has have one what how where when who all each any no not they them their there here than'.split(' ');
const ALGORITHMS = ['search/', 'multicore/waco.rs', 'multicore/coala.rs', 'depth_first/axis'].map((path) => `src/engine/${path}`);
const COUNTED = ['files', 'lines', 'code', 'docs', 'comments'];

process.chdir(join(import.meta.dirname, '..'));
const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter((path) => path && existsSync(path));
const files = tracked.filter((path) => path.endsWith('.rs')).map(readRust);
const sources = files.filter((file) => file.group === 'sources');
const types = sources.flatMap(({ path, code }) => [...code.matchAll(TYPE)].map(([, kind, name]) => ({ path, kind, name })));

printLines();
printTypes();
printCircles();
printWork();
printDocs();
printComments();

/** A file with the kinds of its lines. `code` is its text with blanks for comments, literals and inline tests. */
function readRust(path) {
  const text = readFileSync(path, 'utf8').replace(/\n$/, '');
  const lines = text.split('\n');
  const uncommented = text.replace(LEXEME, (lexeme) => (lexeme.startsWith('/') ? blank(lexeme) : lexeme)).split('\n');
  const kindOf = (line) => (/^\s*\/\/(\/(?!\/)|!)/.test(line) ? 'docs' : line.trim() ? 'comments' : 'blank');
  const kinds = lines.map((line, at) => (uncommented[at].trim() ? 'code' : kindOf(line)));
  let code = text.replace(LEXEME, blank);
  const isTest = lines.map(() => false);
  for (const [from, to] of itemsFrom(code, /#\[cfg\(test\)\]/g)) {
    isTest.fill(true, code.slice(0, from).split('\n').length - 1, code.slice(0, to).split('\n').length);
    code = code.slice(0, from) + blank(code.slice(from, to)) + code.slice(to);
  }
  const [own, inline] = [false, true].map((wanted) => count(kinds.filter((_, at) => isTest[at] === wanted)));
  return { path, ...placeOf(path), lines, kinds: kinds.map((kind, at) => (isTest[at] ? 'tests' : kind)), code, own, inline };
}

/** The group and the room that a file belongs to. */
function placeOf(path) {
  const [room] = /^src\/(engine|spec)\/tests|^tests\/[^/]+/.exec(path) ?? [];
  if (room) return { group: 'tests', room };
  const parts = path.split('/');
  if (parts[0] !== 'src') return { group: 'other', room: parts[0] };
  const depth = parts[1] === 'engine' ? 3 : 2;
  return { group: 'sources', room: parts.length > depth ? parts.slice(0, depth).join('/') : `${dirname(path)}/*.rs` };
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}

/** Begin and end of the items whose code begins with a pattern. */
function itemsFrom(code, beginning) {
  return [...code.matchAll(beginning)].map(({ index }) => {
    for (let at = index, depth = 0; at < code.length; at += 1) {
      if (code[at] === '{') depth += 1;
      if (code[at] === '}') depth -= 1;
      if (depth === 0 && /[;}]/.test(code[at])) return [index, at + 1];
    }
    return [index, code.length];
  });
}

function count(kinds) {
  const [code, docs, comments] = COUNTED.slice(2).map((wanted) => kinds.filter((kind) => kind === wanted).length);
  return { files: kinds.length > 0 ? 1 : 0, lines: kinds.length, code, docs, comments };
}

function total(counts) {
  return COUNTED.map((what) => sum(counts.map((counted) => counted[what])));
}

function sum(numbers) {
  return numbers.reduce((all, more) => all + more, 0);
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}

/** The paths of the items, each with its number of items if that is not one. */
function tally(items) {
  return grouped(items, ({ path }) => path).map(([path, those]) => (those.length > 1 ? `${path} ×${those.length}` : path)).join(', ');
}

function table(title, heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`;
  const sides = heads.map((_, column) => (typeof rows[0][column] === 'number' ? '--:' : '---'));
  console.log(['', `## ${title}`, '', ...[heads, sides, ...rows].map(line)].join('\n'));
}

function list(title, items) {
  console.log(['', title, '', ...items.map((item) => `- ${item}`)].join('\n'));
}

function printLines() {
  const tested = files.filter((file) => file.inline.files > 0);
  const inline = tested.map((file) => ({ group: 'tests', room: 'inline in other files', own: file.inline }));
  const rows = ['sources', 'tests', 'other'].flatMap((group) => {
    const members = [...files, ...inline].filter((file) => file.group === group);
    const row = ([room, those]) => [group, room, ...total(those.map((file) => file.own))];
    return [...grouped(members, (file) => file.room).map(row).sort(), row(['all', members])];
  });
  table('Lines of Rust', ['group', 'room', ...COUNTED], rows);
  const others = ['*.mjs', 'docs/schema/*.json', '*.yaml', '*.py', '*.md', '*.css'].map((kind) => {
    const [beginning, ending] = kind.split('*');
    const paths = tracked.filter((path) => path.startsWith(beginning) && path.endsWith(ending));
    return [`\`${kind}\``, paths.length, sum(paths.map((path) => readFileSync(path, 'utf8').split('\n').length - 1))];
  });
  table('Lines of other files', ['path', 'files', 'lines'], others);
}

function printTypes() {
  const names = grouped(types, (type) => type.name);
  const repeated = names.filter(([, those]) => new Set(those.map(({ path }) => path)).size > 1).sort(([, a], [, b]) => b.length - a.length);
  const definitions = sum(repeated.map(([, those]) => those.length));
  const [, lines] = total(sources.map((file) => file.own));
  table('Types at the top level of sources', ['what', 'number'], [
    ...grouped(types, (type) => type.kind).map(([kind, those]) => [`definitions by \`${kind}\``, those.length]),
    ['all definitions', types.length],
    ['per 1,000 lines of sources', ((1000 * types.length) / lines).toFixed(1)],
    ['names', names.length],
    ['names that several files define', repeated.length],
    ['definitions of these names', definitions],
    ['their share', `${((100 * definitions) / types.length).toFixed(1)} %`],
  ]);
  if (process.argv.includes('--names')) {
    list('Names that several files define:', repeated.map(([name, those]) => `${name} ${those.length}: ${tally(those)}`));
  }
}

function printCircles() {
  const modules = modulesOf(sources);
  const arrows = new Map([...modules.values()].map((module) => [module, targetsOf(modules, module)]));
  const circles = circlesOf(arrows).sort((a, b) => b.length - a.length);
  const ownFile = ({ path }) => /\/(lib|main|mod)\.rs$/.test(path);
  table('Circles of files by `use`', ['what', 'number'], [
    ['arrows', sum([...arrows.values()].map((targets) => targets.length))],
    ['circles', circles.length],
    ["circles with a folder's own file", circles.filter((circle) => circle.some(ownFile)).length],
    ['files in circles', circles.flat().length],
    ['files of the largest', circles[0]?.length ?? 0],
  ]);
  const large = circles.filter((circle) => circle.length > 3);
  list('Circles of more than 3 files:', large.map((circle) => `${circle.length}: ${circle.map(({ path }) => path).sort().join(', ')}`));
}

/**
 * Modules by their paths without endings. A folder's own file is the module of the folder; the root of a package has
 * lib.rs or main.rs.
 */
function modulesOf(those) {
  const roots = new Set(those.filter(({ path }) => /\/(lib|main)\.rs$/.test(path)).map(({ path }) => dirname(path)));
  const modules = new Map();
  for (const { path, code } of those) {
    const key = path.replace(/(\/(lib|main|mod))?\.rs$/, '');
    let root = key;
    while (!roots.has(root) && root !== '.') root = dirname(root);
    if (!modules.has(key)) modules.set(key, { path, key, root, uses: usesOf(code) });
  }
  return modules;
}

/** The paths that a file uses, except for those in its inline modules. */
function usesOf(code) {
  let outer = code;
  for (const [from, to] of itemsFrom(code, /\bmod \w+ \{/g)) outer = outer.slice(0, from) + blank(code.slice(from, to)) + outer.slice(to);
  return [...outer.matchAll(/^\s*(pub\b.*)?\buse ([^;]+);/gm)].flatMap(([, visible, tree]) =>
    leavesOf(tree).map((leaf) => {
      const [path, alias] = leaf.replace(/::self\b/, '').split(/\s+as\s+/);
      const segments = path.split('::');
      return { segments, name: alias ?? segments.at(-1), isExport: Boolean(visible) };
    }),
  );
}

/** `a::{b, c::{d, e}}` as `a::b`, `a::c::d` and `a::c::e`: innermost braces go first. */
function leavesOf(tree) {
  const split = (list) => list.split(',').map((part) => part.trim()).filter(Boolean);
  const braces = /([\w:]*)\{([^{}]*)\}/;
  let flat = tree;
  while (braces.test(flat)) flat = flat.replace(braces, (_, head, tails) => split(tails).map((tail) => head + tail).join(','));
  return split(flat);
}

/** The modules that a module needs. A re-export by `pub use` does not count. */
function targetsOf(modules, module) {
  const found = module.uses.filter((use) => !use.isExport).map((use) => follow(modules, module, use.segments));
  return [...new Set(found)].filter((target) => target && target !== module);
}

/** The module that defines the target of a path; none if it is in another package. */
function follow(modules, from, [first, ...rest]) {
  const parent = modules.get(dirname(from.key));
  if (first === 'super') return rest[0] === 'super' ? follow(modules, parent, rest) : descend(modules, parent, rest);
  if (first === 'crate') return descend(modules, modules.get(from.root), rest);
  if (first === 'self') return descend(modules, from, rest);
  return childOf(modules, from, first) && descend(modules, from, [first, ...rest]);
}

/** Goes down from a module, or follows the `use` that gives it the name. */
function descend(modules, module, [name, ...rest]) {
  if (!module || !name) return module;
  const child = childOf(modules, module, name);
  if (child) return descend(modules, child, rest);
  const known = module.uses.find((use) => use.name === name);
  return known ? follow(modules, module, [...known.segments, ...rest]) : module;
}

function childOf(modules, module, name) {
  const child = modules.get(`${module.key}/${name}`);
  return child?.root === module.root ? child : undefined;
}

/** The strongly connected sets of several modules. */
function circlesOf(arrows) {
  const reached = new Map();
  for (const module of arrows.keys()) {
    const seen = new Set(arrows.get(module));
    for (const next of seen) arrows.get(next).forEach((after) => seen.add(after));
    reached.set(module, seen);
  }
  const circles = [...arrows.keys()].map((module) => [...reached.get(module)].filter((other) => reached.get(other).has(module)));
  const known = grouped(circles.filter((circle) => circle.length > 1), (circle) => circle.map(({ path }) => path).sort().join());
  return known.map(([, [circle]]) => circle);
}

function printWork() {
  const inCommands = (pattern) => {
    const commands = sources.filter(({ path }) => path.startsWith('src/command/'));
    const calls = commands.flatMap(({ path, code }) => (code.match(pattern) ?? []).map(() => ({ path })));
    return [calls.length, tally(calls)];
  };
  const named = (those, pattern) => {
    const found = those.filter(({ name }) => pattern.test(name));
    return [found.length, found.map(({ name, path }) => `${name} (${path})`).join(', ')];
  };
  const enums = types.filter((type) => type.kind === 'enum');
  const functions = sources.flatMap(({ path, code }) => [...code.matchAll(/\bfn (\w+)/g)].map(([, name]) => ({ name, path })));
  table('Work', ['what', 'number', 'where'], [
    ['questions', entriesOf(/^questions! \{/gm).length, ''],
    ['channels', entriesOf(/^pub enum Channel \{/gm).length, ''],
    ['enums `*Status`', ...named(enums, /Status$/)],
    ['enums `*Change`', ...named(enums, /Change$/)],
    ['functions `find_best*`', ...named(functions, /^find_best/)],
    ['parallel iterators in src/command', ...inCommands(/\.(into_par_iter|par_iter|par_iter_mut|par_chunks)\(/g)],
    ['`json!` in src/command', ...inCommands(/\bjson!/g)],
  ]);
}

/** The entries of a list in src/question. Each begins a line. */
function entriesOf(beginning) {
  const questions = sources.filter(({ path }) => path.startsWith('src/question/'));
  const lists = questions.flatMap(({ code }) => itemsFrom(code, beginning).map(([from, to]) => code.slice(from, to)));
  return lists.flatMap((list) => list.match(/^ {4}[A-Z]\w*/gm) ?? []);
}

function printDocs() {
  const docs = sources.flatMap(docsOf);
  const repeating = (stops) => docs.filter(({ words, known }) => words.every((word) => stops.includes(word) || known.has(singular(word))));
  const [strict, wide] = [STOP_WORDS, [...STOP_WORDS, ...WEAK_WORDS]].map(repeating);
  table('Docs that repeat the name', ['what', 'number'], [
    ['docs of one line', docs.length],
    ['that have no word but those of the name, articles and the like', strict.length],
    ['that have no word but these and weak ones: what, where, one, all ...', wide.length],
  ]);
  if (!process.argv.includes('--docs')) return;
  const text = ({ place, names, doc }) => `${place} ${names.join(' in ')}: ${doc}`;
  list('Docs that have no word but those of the name:', strict.map(text));
  list('Docs that have weak words besides:', wide.filter((doc) => !strict.includes(doc)).map(text));
}

/** The docs of one line, with their words and those of the names of the item and its surroundings. */
function docsOf({ path, lines, kinds, code }) {
  const codeLines = code.split('\n');
  const isDoc = (at) => kinds[at] === 'docs' && lines[at].trim().startsWith('///');
  return [...lines.keys()].filter((at) => isDoc(at) && !isDoc(at - 1) && !isDoc(at + 1)).flatMap((at) => {
    const item = ITEM.exec(codeLines.slice(at + 1, at + 40).join('\n').replace(ATTRIBUTES, ''));
    if (!item) return [];
    const names = [item[1], ...namesAround(codeLines, at, indentOf(lines[at]))];
    const doc = lines[at].trim().slice('/// '.length);
    return [{ place: `${path}:${at + 1}`, names, doc, words: wordsOf(doc), known: new Set(names.flatMap(wordsOf).map(singular)) }];
  });
}

/** The names of the types and variants around a line: each begins above it, at the next smaller indent. */
function namesAround(codeLines, below, indent) {
  const isAround = (line) => /^\s*(?!where\b)\w/.test(line) && indentOf(line) < indent;
  const above = codeLines.slice(0, below).findLastIndex(isAround);
  if (above < 0) return [];
  const header = codeLines[above].replace(/\bimpl(<.*?(?<!-)>)? (.* for )?/, 'impl ');
  const [, type, variant] = /\b(?:struct|enum|union|trait|impl) (?:\w+::)*(\w+)|^\s*([A-Z]\w*) \{$/.exec(header) ?? [];
  return [type ?? variant ?? [], namesAround(codeLines, above, indentOf(codeLines[above]))].flat();
}

function indentOf(line) {
  return line.search(/\S/);
}

function wordsOf(text) {
  const words = text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ').match(/[\p{L}\d]+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}

function singular(word) {
  return word.replace(/(?<=.)s$/, '');
}

function printComments() {
  const rows = ALGORITHMS.map((beginning) => {
    const [number, , code, docs, comments] = total(sources.filter(({ path }) => path.startsWith(beginning)).map((file) => file.own));
    const per100 = (lines) => (code > 0 ? ((100 * lines) / code).toFixed(1) : '');
    return [beginning, number, code, comments, per100(comments), docs, per100(docs)];
  });
  table('Comments in algorithms', ['where', 'files', 'code', 'comments', 'per 100 of code', 'docs', 'per 100 of code'], rows);
}
