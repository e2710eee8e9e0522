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

/** The engine in its own web worker, which starts with the first question and answers one question at a time. */
export class Fusescape {
  /** Costs of one depth-first schedule of a network on a core (DeFiNES), with the traffic of each memory. */
  evaluate(hardware: Document, network: Document, options: EvaluateOptions): Promise<DepthFirst & Noted>;

  /**
   * Costs of depth-first schedules: all widths with all heights of tiles, in each overlap storing mode (DeFiNES,
   * Fig. 12). A point that cannot be scheduled has the reasons.
   */
  depthFirst(hardware: Document, network: Document, options?: SweepOptions): Promise<DepthFirst & Noted>;

  /** Stacks, tile sizes and modes of a network that are jointly optimal. */
  optimal(hardware: Document, network: Document, options?: StackOptions): Promise<Optimal & Noted>;

  /**
   * Methods that choose which layers are fused, each evaluated by the whole cost model: DeFiNES, HW-Flow-Fusion,
   * Optimus, the optimum.
   */
  fuse(hardware: Document, network: Document, options?: StackOptions): Promise<Fuse & Noted>;

  /** The best mapping of one layer on a core (ZigZag), or the cost of a given one, as the only item of `layers`. */
  mapLayer(hardware: Document, network: Document, layer: string, options?: LayerOptions): Promise<Layer & Noted & Mapped>;

  /** The best mapping of each layer alone: of the named layers, by default of all. */
  mapLayers(hardware: Document, network: Document, options?: LayerOptions & { layers?: string[] }): Promise<Layer & Noted & Mapped>;

  /** Searches all memory hierarchies from a pool for the best ones for a network (ZigZag, Section V). */
  hierarchies(network: Document, options?: HierarchyOptions): Promise<Hierarchy & Noted & { /** The core with the best hierarchy. */ hardware: string }>;

  /** The best schedule of a network on many cores: computation tiles, their cores, and the transfers (Stream). */
  cores(system: Document, network: Document, options?: CoresOptions): Promise<Cores & Noted & { /** The schedule as a Chrome trace. */ trace: string }>;

  /**
   * One step of a transformer on a core: attention in the best schedule of each kind, from unfused to one pass over the
   * keys (FLAT, FuseMax), and the products and norms around it.
   */
  attention(hardware: Document, transformer: Document, options?: AttentionOptions): Promise<Attention & Noted>;

  /**
   * All designs of a study document (docs/studies.md), at most 100,000, on one thread: their Pareto front, and
   * one row per design with its values by column.
   */
  study(study: string | { readonly [field: string]: unknown }, options?: StudyOptions): Promise<StudyFront & Noted & { rows: StudyFront['front'] }>;

  /**
   * Documents from files that belong together: an ONNX model, or files of ZigZag, Stream, Timeloop or AccelForge.
   * Formats are recognised by content. Files are read piece by piece, so a model with its weights may be larger than
   * memory.
   */
  importFiles(files: Iterable<GivenFile>, options?: ImportOptions): Promise<Imported>;

  /** Titles of the documents included in the package, by name. */
  presets(kind: Kind): Promise<Record<string, string>>;

  /** A summary of a document. Throws if the document is invalid. */
  facts<K extends Kind>(kind: K, document: Document): Promise<Facts[K]>;

  /** Ends the worker. Promises of open questions are rejected. */
  close(): void;
}

/**
 * The name of a preset, a document as text (YAML or JSON, more than one line), or the equivalent object.
 * docs/documents.md describes the fields of documents.
 */
export type Document = string | { readonly [field: string]: unknown };

export type Kind = 'hardware' | 'network' | 'system' | 'pool' | 'transformer';

/** What every question takes. */
export interface Asked {
  /** Ends the question, whether running or waiting; its promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called at most every 20 ms with the number of parts done, the number of all parts, and what the parts are. */
  progress?: (done: number, count: number, what: string) => void;
}

export interface ModelOptions extends Asked, Pick<Of.SweepOptions, 'objective' | 'rules'> {}

export interface SearchOptions extends ModelOptions, Pick<Of.SweepOptions, 'strategy' | 'lpf_limit'> {}

export interface EvaluateOptions extends Omit<SweepOptions, 'tiles' | 'modes'> {
  /** Columns and rows of a tile of the last feature map of each stack. */
  tile: [columns: number, rows: number];
  /** By default `fully-cached`. */
  mode?: Mode;
}

export interface SweepOptions extends Asked, Omit<Of.SweepOptions, 'most_layers' | 'most_tiles'> {}

export interface StackOptions extends Asked, Omit<Of.SweepOptions, 'stacks'> {}

export interface LayerOptions extends Asked, Omit<Of.LayerOptions, 'layers'> {}

export interface HierarchyOptions extends Asked, Of.HierarchyOptions {
  /** `zigzag-65nm` where it is left out. */
  pool?: Document;
  /** The PE array, its unrolling and the highest memory; by default `zigzag-8x8`. */
  hardware?: Document;
}

export interface CoresOptions extends Asked, Of.CoresOptions {
  /** Cores of which the system says nothing; `tpu-like` where it is left out. */
  hardware?: Document;
}

export interface AttentionOptions extends Asked, Of.AttentionOptions {}

export interface StudyOptions extends Asked {
  /** Documents named in the study, by kind and name; all other names are of presets. */
  documents?: Partial<Record<'hardware' | 'network' | 'system', Record<string, Document>>>;
}

/** A file chosen by a person, or a name with its bytes. */
export type GivenFile = File | { name: string; data: BlobPart };

export interface ImportOptions extends Asked {
  /** Sizes of dimensions that an ONNX model leaves open, by name. */
  sizes?: Record<string, number>;
}

/** Texts of the documents in the files, and a report with lines about each file. */
export interface Imported {
  hardware?: string;
  network?: string;
  system?: string;
  report: string[];
}

/** Summaries of documents, by kind. */
export interface Facts {
  hardware: {
    name: string;
    pe_count: number;
    /** Sizes of the array by dimension. */
    array: [name: string, size: number][];
    memories: { name: string; size_bits: number }[];
    /** Null if the document states none. */
    clock_mhz: number | null;
  };
  network: { name: string; macs: number; layers: { name: string; macs: number }[] };
  system: { name: string; cores: string[] };
  pool: { name: string; memories: string[] };
  /** Weights of all layers, including those of all experts. */
  transformer: { name: string; layers: number; weights: number; is_decoder: boolean };
}

/** Remarks, which are not errors. */
export interface Noted {
  notes: Diagnostic[];
}

/** The mappings as a document, for the option `mapping`. */
export interface Mapped {
  mapping: string;
}

export interface Diagnostic {
  /** A path such as `memories[2].size`, or the name of an option. */
  path: string;
  /** Line in the document's text, from 1; for an object that of `JSON.stringify(object, null, 2)`. */
  line: number | null;
  reason: string;
  remedy: string;
}

/** All errors of documents and options, or the reasons why nothing fits. Any other error is a failure of the engine. */
export class FusescapeError extends Error {
  constructor(diagnostics: Diagnostic[]);
  diagnostics: Diagnostic[];
}
