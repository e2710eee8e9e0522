//! Raw documents as people write them, and their mistakes.
//!
//! A document is YAML (so JSON too). Reading one never stops at the first mistake: every problem becomes a
//! [`Diagnostic`], and all parts that could be read are kept. The structs here mirror the documents one to one and may
//! describe nonsense; `Core` and `Network` of the model are built from them and cannot.
//!
//! - `tree.rs`, [`reader`]: YAML to a tree with positions, bounded in size, depth and number of values; fields with their units
//! - `document.rs`: the structs; `hardware.rs`, `workload.rs`, `pool.rs`, `system.rs`, `transformer.rs`, `gallery.rs`, `lesson.rs`,
//!   `mapping.rs`, `constraints.rs`, `study.rs` read one kind of document each; `quantity.rs`, `decimal.rs`,
//!   `names.rs`: values as people write them
//! - `reading.rs`: a document as far as it could be read, never without its mistakes
//! - `diagnostic.rs`: mistakes: path, line, reason, remedy, perhaps a fix; `merge.rs`: those of reading and of
//!   validating as one list
//! - [`edit`]: single values changed in the text; `write.rs`: documents as text; `quotes.rs`, `flow.rs`: values as
//!   text
//! - `preset.rs`: the documents that come with the program
//! - [`sorting`]: stable sorting that is in the page's module once, not once per type

// Published: every item that others can reach is documented.
#![warn(missing_docs)]

mod constraints;
mod decimal;
mod diagnostic;
mod differences;
mod document;
pub mod edit;
mod estimate;
mod extent;
mod flow;
mod gallery;
mod hardware;
mod hidden;
mod lesson;
mod mapping;
mod mark;
mod merge;
mod names;
mod pool;
mod preset;
mod quantity;
mod quotes;
pub mod reader;
mod reading;
pub mod sorting;
mod spreadsheet;
mod study;
mod system;
mod transformer;
mod tree;
mod workload;
mod write;

pub use constraints::{
    BoundSpec, ConstraintsSpec, EvenSpec, LayerConstraintsSpec, LevelConstraintsSpec, LoopBoundSpec, OrderSpec,
    UnrollBoundSpec, read_constraints, write_constraints,
};
pub use decimal::parse_decimal;
pub use diagnostic::{Diagnostic, Diagnostics, Fix, MAX_DIAGNOSTICS, closest, in_quotes, quoted_parts, sentence};
pub use differences::{Difference, differences};
pub use document::{
    ArraySpec, CoreHardware, CoreSpec, DensitySpec, DoubleBuffering, EstimateSpec, FiguresSpec, HardwareSpec,
    InMemorySpec, KernelSpec, LatentSpec, LayerSpec, LinkEnds, LinkSpec, MacEnergySpec, MapAxis, MemorySpec,
    OffchipPortSpec, OffchipSpec, OperationSpec, PaddingSpec, PoolMemorySpec, PoolSpec, PortSpec, PrecisionSpec,
    SharedSpec, StateSpaceSpec, SystemSpec, TransformerSpec, UnrollSpec, VariantSpec, VectorUnitSpec, ViewSpec,
    WorkloadSpec,
};
pub use flow::AxisValue;
pub use gallery::{ClaimSpec, GallerySpec, OpensSpec, Printed, Tolerance, read_gallery_entry};
pub use hardware::{LANES, read_hardware};
pub use hidden::{is_hidden, is_hidden_in_lines, visible, visible_lines};
pub use lesson::{
    AnswerSpec, AskedNumberSpec, FieldSpec, HintSpec, LessonSpec, NumberSpec, ParameterSpec, PredictSpec, StepSpec,
    TaskSpec, read_lesson,
};
pub use mapping::{LayerMappingSpec, MappedLoopSpec, MappingSpec, read_mapping};
pub use mark::{MARK, is_state};
pub use merge::{Consequences, merge};
pub use names::{listed_name, listed_names, names_in};
pub use pool::read_pool;
pub use preset::{
    Preset, PresetName, find_preset, first_presets, gallery_presets, hardware_names, hardware_presets, lesson_presets,
    pool_presets, system_presets, transformer_presets, workload_names, workload_presets,
};
pub use quantity::{UnitFamily, is_in_bits, measure, write_size};
pub use quotes::{quoted, scalar};
pub use reading::Reading;
pub use spreadsheet::{csv_words, words_of_csv};
pub use study::{AxisSpec, SamplingSpec, StudySpec, ValuesSpec, is_study, read_study};
pub use system::read_system;
pub use transformer::read_transformer;
pub use tree::{MAX_BYTES, line_of};
pub use workload::{MAX_LAYERS, layer_fields, read_workload};
pub use write::{write_hardware, write_mapping, write_system, write_transformer, write_workload};
