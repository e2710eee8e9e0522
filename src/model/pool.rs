//! A pool of memories, validated (ZigZag, Section V-A).

use crate::hardware::{Figures, check_area, check_bits, check_energy, check_estimate};
use crate::sorting::sort_by_key;
use crate::spec::{Consequences, Diagnostics, FiguresSpec, PoolMemorySpec, PoolSpec, VariantSpec, closest, read_pool};

/// The place of a memory, and so its number of instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Replication {
    /// Once in every PE.
    PerPe,
    /// Once for every index of one array dimension, shared over the others; any one dimension.
    PerDimension,
    /// Once, shared by the whole array.
    Shared,
}

impl Replication {
    /// All of them, from the most instances to one.
    pub const ALL: [Self; 3] = [Self::PerPe, Self::PerDimension, Self::Shared];

    /// As written in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerPe => "per_pe",
            Self::PerDimension => "per_dimension",
            Self::Shared => "shared",
        }
    }
}

/// A pool of memories.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Name of the pool, as its document states it.
    pub name: String,
    /// The memories, smallest first.
    pub memories: Vec<PoolMemory>,
}

/// A memory that a hierarchy may use.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolMemory {
    /// Unique name.
    pub name: String,
    /// Capacity of one instance, bits.
    pub size_bits: u64,
    /// The alternatives among which the generator chooses.
    pub replication: Vec<Replication>,
    /// Its figures by word width, narrowest first; at least one.
    pub variants: Vec<Variant>,
}

/// A memory at one word width.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Bits read in one cycle.
    pub read_width_bits: u64,
    /// Bits written in one cycle.
    pub write_width_bits: u64,
    /// Energy and area of one instance.
    pub figures: Figures,
    /// Whether the figures are estimated by a fit.
    pub estimated: bool,
    /// Source of the figures.
    pub source: String,
}

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[
    ("memories", &["memories"]),
    ("memories[*].variants", &["memories[=].variants"]),
    ("memories[*].variants[*].width", &["memories[*].variants[*].read_width", "memories[*].variants[*].write_width"]),
    ("memories[*].replication", &["memories[=].replication"]),
];

impl Pool {
    /// Reads and validates a pool document.
    ///
    /// # Errors
    /// All errors of the text, each with its line, path, reason and remedy.
    pub fn from_text(text: &str) -> Result<Self, Diagnostics> {
        read_pool(text).validated(text, CONSEQUENCES, |spec| Self::new(&spec))
    }

    /// Validates a document.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its path in the document, the reason and a remedy.
    pub fn new(spec: &PoolSpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        if spec.memories.is_empty() {
            diagnostics.add("memories", "The pool has no memories", "List at least one");
        }
        let named =
            spec.memories.iter().enumerate().map(|(index, memory)| (format!("memories[{index}]"), &*memory.name));
        diagnostics.add_namesakes("memories", &named.collect::<Vec<_>>());
        let mut memories = Vec::new();
        for (index, memory) in spec.memories.iter().enumerate() {
            let path = format!("memories[{index}]");
            if memory.name.is_empty() {
                diagnostics.add(format!("{path}.name"), "This memory has no name", "Give it one, for example `sram`");
            }
            memories.push(build_memory(&path, memory, &mut diagnostics));
        }
        sort_by_key(&mut memories, |memory| memory.size_bits);
        diagnostics.or(Self { name: spec.name.clone(), memories })
    }
}

fn build_memory(path: &str, memory: &PoolMemorySpec, diagnostics: &mut Diagnostics) -> PoolMemory {
    let what = format!("`{}` has a size", memory.name);
    let remedy = "Write a positive number with a unit, for example `4 KiB`";
    check_bits(format!("{path}.size"), &what, memory.size_bits, remedy, diagnostics);
    let mut variants: Vec<Variant> = Vec::new();
    for (index, variant) in memory.variants.iter().enumerate() {
        let path = format!("{path}.variants[{index}]");
        if let Some(variant) = build_variant(&path, memory, variant, diagnostics) {
            if variants.iter().any(|other| other.widths() == variant.widths()) {
                diagnostics.add(&path, "This width is listed twice", "Keep one of them");
            }
            variants.push(variant);
        }
    }
    if memory.variants.is_empty() {
        let remedy = "List at least one, for example `{ width: 32 bit, estimate: sram-65nm }`";
        diagnostics.add(format!("{path}.variants"), format!("`{}` has no variants", memory.name), remedy);
    }
    sort_by_key(&mut variants, Variant::widths);
    let replication = build_replication(&format!("{path}.replication"), memory, diagnostics);
    PoolMemory { name: memory.name.clone(), size_bits: memory.size_bits, replication, variants }
}

impl Variant {
    fn widths(&self) -> (u64, u64) {
        (self.read_width_bits, self.write_width_bits)
    }
}

fn build_replication(path: &str, memory: &PoolMemorySpec, diagnostics: &mut Diagnostics) -> Vec<Replication> {
    let names = Replication::ALL.map(Replication::name);
    for (index, word) in memory.replication.iter().enumerate() {
        if memory.replication[..index].contains(word) {
            diagnostics.add(path, format!("`{word}` is listed twice"), "Keep one");
        } else if !names.contains(&word.as_str()) {
            let remedy = closest(word, names)
                .map_or_else(|| format!("Use {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
            diagnostics.add(path, format!("There is no replication `{word}`"), remedy);
        }
    }
    if memory.replication.is_empty() {
        diagnostics.add(path, format!("`{}` may exist nowhere", memory.name), format!("Use {}", names.join(", ")));
    }
    Replication::ALL.into_iter().filter(|each| memory.replication.iter().any(|word| word == each.name())).collect()
}

fn build_variant(
    path: &str,
    memory: &PoolMemorySpec,
    variant: &VariantSpec,
    diagnostics: &mut Diagnostics,
) -> Option<Variant> {
    let before = diagnostics.0.len();
    for (field, bits) in [("read_width", variant.read_width_bits), ("write_width", variant.write_width_bits)] {
        let what = format!("A {}", field.replace('_', " "));
        check_bits(
            format!("{path}.{field}"),
            &what,
            bits,
            "Write a positive number, for example `32 bit`",
            diagnostics,
        );
    }
    let source = if variant.source.is_empty() { &memory.source } else { &variant.source };
    let (figures, estimated, source) = match &variant.figures {
        FiguresSpec::Stated { read_energy_pj, write_energy_pj, area_um2 } => {
            check_energy(&format!("{path}.read_energy"), *read_energy_pj, diagnostics);
            check_energy(&format!("{path}.write_energy"), *write_energy_pj, diagnostics);
            check_area(&format!("{path}.area"), Some(*area_um2), diagnostics);
            let [read_energy_pj, write_energy_pj, area_um2] = [*read_energy_pj, *write_energy_pj, *area_um2];
            (Figures { read_energy_pj, write_energy_pj, area_um2 }, false, source.clone())
        }
        FiguresSpec::Estimate(name) => {
            let width = variant.read_width_bits.max(variant.write_width_bits);
            let (path, owner) = (format!("{path}.estimate"), format!("`{}`", memory.name));
            let figures = check_estimate(&path, &owner, (name, memory.size_bits, width), diagnostics)?;
            let source = format!("estimate: fit {name} at {} bit and a word of {width} bit", memory.size_bits);
            (figures, true, source)
        }
    };
    let (read_width_bits, write_width_bits) = (variant.read_width_bits, variant.write_width_bits);
    let built = Variant { read_width_bits, write_width_bits, figures, estimated, source };
    (diagnostics.0.len() == before).then_some(built)
}
