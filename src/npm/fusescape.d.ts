// Types of the package. What functions find is, field for field, what the command line prints as JSON; `results/` describes each field, and
// the options of functions.

import type { Attention } from './results/attention.js';
import type { Cores } from './results/cores.js';
import type { DepthFirst } from './results/depth-first.js';
import type { Fuse } from './results/fuse.js';
import type { Hierarchy } from './results/hierarchy.js';
import type { Layer } from './results/layer.js';
import type * as Of from './results/options.js';
import type { Mode } from './results/options.js';
import type { Optimal } from './results/optimal.js';
import type { StudyFront } from './results/study-front.js';

export type { Attention, Cores, DepthFirst, Fuse, Hierarchy, Layer, Optimal, StudyFront };
export type { Mode, RuleSet } from './results/options.js';

/** The engine, in a web worker of its own, which starts with the first question and answers one question after the other. */
export class Fusescape {
  /** Costs of one depth-first schedule of a network on a core (DeFiNES), with its account. */
  evaluate(hardware: Document, network: Document, options: EvaluateOptions): Promise<DepthFirst & Noted>;

  /**
   * Costs of depth-first schedules: all widths with all heights of tiles, in each overlap storing mode (DeFiNES, Fig. 12). Points that
   * cannot be scheduled say why.
   */
  depthFirst(hardware: Document, network: Document, options?: SweepOptions): Promise<DepthFirst & Noted>;

  /** Stacks, tile sizes and modes of a network that are jointly optimal. */
  optimal(hardware: Document, network: Document, options?: StackOptions): Promise<Optimal & Noted>;

  /** Methods that choose the layers that run together, each priced by the whole model: DeFiNES, HW-Flow-Fusion, Optimus, the optimum. */
  fuse(hardware: Document, network: Document, options?: StackOptions): Promise<Fuse & Noted>;

  /** The best mapping of one layer on a core (ZigZag), or what a given one costs: the only item of `layers`. */
  mapLayer(hardware: Document, network: Document, layer: string, options?: LayerOptions): Promise<Layer & Noted & Mapped>;

  /** The best mappings of layers, each by itself: of those that are named, else of all. */
  mapLayers(hardware: Document, network: Document, options?: LayerOptions & { layers?: string[] }): Promise<Layer & Noted & Mapped>;

  /** All memory hierarchies from a pool, and which are the best for a network (ZigZag, Section V). */
  hierarchies(network: Document, options?: HierarchyOptions): Promise<Hierarchy & Noted & { /** The core with the best of them. */ hardware: string }>;

  /** The best schedule of a network on a system of many cores: computation tiles, their cores, and what travels (Stream). */
  cores(system: Document, network: Document, options?: CoresOptions): Promise<Cores & Noted & { /** The schedule as a Chrome trace. */ trace: string }>;

  /**
   * One step of a transformer on a core: attention in the best schedule of every kind, from unfused to one pass over the keys (FLAT,
   * FuseMax), and the products and norms around it.
   */
  attention(hardware: Document, transformer: Document, options?: AttentionOptions): Promise<Attention & Noted>;

  /**
   * All designs of a study document (docs/studies.md), at most 100,000, on one thread: their Pareto front, and a row for each with every
   * column by its name.
   */
  study(study: string | { readonly [field: string]: unknown }, options?: StudyOptions): Promise<StudyFront & Noted & { rows: StudyFront['front'] }>;

  /**
   * Documents out of files that belong together: an ONNX model, or files of ZigZag, Stream, Timeloop or AccelForge, told by their content.
   * Files are read piece by piece, so that a model with its weights may be larger than memory.
   */
  importFiles(files: Iterable<GivenFile>, options?: ImportOptions): Promise<Imported>;

  /** Titles of the documents that come with the package, by name. */
  presets(kind: Kind): Promise<Record<string, string>>;

  /** What is in a document, in short; it throws where anything is wrong with it. */
  facts<K extends Kind>(kind: K, document: Document): Promise<Facts[K]>;

  /** Ends the worker. What is not answered yet never is: its promise is refused. */
  close(): void;
}

/**
 * The name of a preset; or a document as text (YAML or JSON, of more than one line), or as the object that such a text stands for.
 * docs/documents.md describes what documents hold.
 */
export type Document = string | { readonly [field: string]: unknown };

export type Kind = 'hardware' | 'network' | 'system' | 'pool' | 'transformer';

/** What every question takes. */
export interface Asked {
  /** Ends the work, or takes it out of the line; the promise is refused with the signal's reason. */
  signal?: AbortSignal;
  /** Is told how far the work is, at most every 20 ms: parts done, parts in all, and what they are. */
  progress?: (done: number, count: number, what: string) => void;
}

export interface ModelOptions extends Asked, Pick<Of.SweepOptions, 'objective' | 'rules'> {}

export interface SearchOptions extends ModelOptions, Pick<Of.SweepOptions, 'strategy' | 'lpf_limit'> {}

export interface EvaluateOptions extends Asked, Omit<Of.SweepOptions, 'tiles' | 'modes' | 'most_layers' | 'most_tiles'> {
  /** Columns and rows of a tile of the last feature map of each stack. */
  tile: [columns: number, rows: number];
  /** `fully-cached` where it is left out. */
  mode?: Mode;
}

export interface SweepOptions extends Asked, Omit<Of.SweepOptions, 'most_layers' | 'most_tiles'> {}

export interface StackOptions extends Asked, Omit<Of.SweepOptions, 'stacks'> {}

export interface LayerOptions extends Asked, Omit<Of.MapOptions, 'layers'> {}

export interface HierarchyOptions extends Asked, Of.HierarchyOptions {
  /** `zigzag-65nm` where it is left out. */
  pool?: Document;
  /** The PE array, its unrolling and the highest memory; `zigzag-8x8` where it is left out. */
  hardware?: Document;
}

export interface CoresOptions extends Asked, Of.CoresOptions {
  /** Cores of which the system says nothing; `tpu-like` where it is left out. */
  hardware?: Document;
}

export interface AttentionOptions extends Asked, Of.AttentionOptions {}

export interface StudyOptions extends Asked {
  /** Documents that the study calls by names of their own, by kind and name; all others are presets. */
  documents?: Partial<Record<'hardware' | 'network' | 'system', Record<string, Document>>>;
}

/** A file that a person chose, or a name with its bytes. */
export type GivenFile = File | { name: string; data: BlobPart };

export interface ImportOptions extends Asked {
  /** How large dimensions are that an ONNX model leaves open, by name. */
  sizes?: Record<string, number>;
}

/** Documents as texts, those of which the files have something, and lines about each file. */
export interface Imported {
  hardware?: string;
  network?: string;
  system?: string;
  report: string[];
}

/** What is in a document, by its kind. */
export interface Facts {
  hardware: {
    name: string;
    pe_count: number;
    /** Dimensions of the array, with their sizes. */
    array: [name: string, size: number][];
    memories: { name: string; size_bits: number }[];
    /** Null where the document states none. */
    clock_mhz: number | null;
  };
  network: { name: string; macs: number; layers: { name: string; macs: number }[] };
  system: { name: string; cores: string[] };
  pool: { name: string; memories: string[] };
  /** Weights of all layers, those of all experts included. */
  transformer: { name: string; layers: number; weights: number; is_decoder: boolean };
}

/** What is good to know though nothing is wrong. */
export interface Noted {
  notes: Diagnostic[];
}

/** The mappings as a document, for the option `mapping`. */
export interface Mapped {
  mapping: string;
}

export interface Diagnostic {
  /** Where: a path such as `memories[2].size`, or the name of an option. */
  path: string;
  /** Line in the document's text, from 1; an object's lines are those of `JSON.stringify(object, null, 2)`. */
  line: number | null;
  reason: string;
  remedy: string;
}

/** All that is wrong with documents and options, or why nothing fits. Any other error says that the engine itself has failed. */
export class FusescapeError extends Error {
  constructor(diagnostics: Diagnostic[]);
  diagnostics: Diagnostic[];
}
