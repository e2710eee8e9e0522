//! A validated request, and every hierarchy it asks for.

use super::chains::Chains;
use super::generate::{Element, MOST_HIERARCHIES, MemoryHierarchy, elements, generate};
use super::request::{HierarchyRequest, HierarchySettings};
use super::widths::BandwidthDemand;
use crate::hardware::{Core, Memory, Operand, Unroll};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::pool::Pool;
use crate::search::{Limits, Objective, check_lpf_limit};
use crate::spec::{Diagnostics, HardwareSpec, MemorySpec, closest, read_hardware, write_hardware};
use crate::workload::{LayerShape, Network};

/// Levels that [`crate::hardware::MAX_LEVELS`] leaves below the highest; more have never helped.
const MOST_LEVELS: usize = 4;

/// A validated request with its hierarchies.
#[derive(Clone)]
pub struct HierarchyProblem {
    /// The memories of which hierarchies consist.
    pub pool: Pool,
    /// The core whose array, unrolling and highest memory count.
    pub core: Core,
    /// The hierarchies of the study, and its objective.
    pub settings: HierarchySettings,
    /// The different layers, in the order of the network.
    pub layers: Vec<DistinctLayer>,
    /// Pool memories in their replications, smallest first.
    pub elements: Vec<Element>,
    /// All valid hierarchies.
    pub hierarchies: Vec<MemoryHierarchy>,
    /// The hardware document with the highest memory alone.
    template: HardwareSpec,
    /// Known bounds of parts of hierarchies.
    pub(super) chains: Chains,
}

/// Layers of the network that are the same problem.
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctLayer {
    /// Their names in the network's document; the problem is solved once for all of them.
    pub names: Vec<String>,
    /// Their loop nest.
    pub shape: LayerShape,
    /// Loops that the array unrolls.
    pub unroll: Vec<Unroll>,
}

impl HierarchyProblem {
    /// Validates a request and generates its hierarchies.
    ///
    /// # Errors
    /// Everything that is wrong with it; paths begin with `pool.`, `hardware.`, `workload.` or `settings.`.
    pub fn new(request: &HierarchyRequest) -> Result<Self, Diagnostics> {
        let pool = Pool::from_text(&request.pool);
        let core = array_alone(&request.hardware);
        let network = Network::from_text(&request.workload).map(Network::without_vector_unit);
        let settings = &request.settings;
        let mut diagnostics = Diagnostics::default();
        let found =
            [("pool", pool.as_ref().err()), ("hardware", core.as_ref().err()), ("workload", network.as_ref().err())];
        for (document, wrong) in found {
            diagnostics.0.append(&mut wrong.cloned().unwrap_or_default().under(document).0);
        }
        check_settings(settings, &mut diagnostics);
        if let Ok(core) = &core {
            check_highest(core, &mut diagnostics);
            if core.in_memory.is_some() {
                diagnostics.add(
                    "hardware.array.in_memory",
                    "The array computes in memory: the lowest memory of its weights are the cells, which no pool has",
                    "Take an array that states `mac_energy`",
                );
            }
        }
        if let Ok(network) = &network {
            check_layers(settings, network, &mut diagnostics);
        }
        let (Ok(pool), Ok(core), Ok(network), true) = (pool, core, network, diagnostics.is_empty()) else {
            return Err(diagnostics);
        };
        let mut template = read_hardware(&request.hardware).whole()?;
        template.vector_unit = None;
        template.memories.retain(|memory| memory.name == core.memories[core.top(Operand::O)].name);
        let mut study = Self {
            layers: layers(&core, &network, settings),
            elements: elements(&pool, &core),
            settings: settings.clone(),
            pool,
            core,
            template,
            hierarchies: Vec::new(),
            chains: Chains::default(),
        };
        study.hierarchies = study.generate()?;
        Ok(study)
    }

    fn generate(&self) -> Result<Vec<MemoryHierarchy>, Diagnostics> {
        let problems: Vec<LayerProblem> = self.layers.iter().map(|layer| layer.problem(&self.core)).collect();
        let on_core = problems.iter().map(|problem| LayerOnCore::new(&self.core, self.settings.rules, problem));
        let demand = BandwidthDemand::new(&self.core, on_core);
        let pes_um2 = self.core.area().pes_um2.unwrap_or(0.0);
        let other_um2 = pes_um2 + self.highest().area_um2.unwrap_or(0.0);
        let mut diagnostics = Diagnostics::default();
        match generate(&self.pool, &self.elements, &self.settings, &demand, other_um2) {
            Ok(hierarchies) if hierarchies.is_empty() => diagnostics.add(
                "settings.budget",
                format!("The PEs and `{}` alone take {other_um2} um2", self.highest().name),
                "Allow more area",
            ),
            Ok(hierarchies) => return Ok(hierarchies),
            Err(_) => diagnostics.add(
                "settings",
                format!("There are more than {MOST_HIERARCHIES} hierarchies"),
                "Allow less area or fewer levels, raise the ratio of sizes, or take memories out of the pool",
            ),
        }
        Err(diagnostics)
    }

    /// The memory above all others, which every hierarchy has.
    pub fn highest(&self) -> &Memory {
        &self.core.memories[self.core.top(Operand::O)]
    }

    /// Whether some figure of a hierarchy is estimated by a fit.
    pub fn is_estimated(&self, hierarchy: &MemoryHierarchy) -> bool {
        hierarchy.memories.iter().any(|placed| {
            let memory = &self.pool.memories[self.elements[placed.element as usize].memory];
            memory.variants[placed.variant as usize].estimated
        })
    }

    /// A hierarchy as a hardware document: the array of the study, these memories, and the highest.
    pub fn document(&self, hierarchy: &MemoryHierarchy) -> String {
        write_hardware(&self.hardware_spec(hierarchy))
    }

    /// A hierarchy as a core, validated as any document.
    ///
    /// # Errors
    /// The mistakes of validation, if the names of the pool's and the highest memory clash.
    pub fn core_of(&self, hierarchy: &MemoryHierarchy) -> Result<Core, Diagnostics> {
        Core::new(&self.hardware_spec(hierarchy))
    }

    fn hardware_spec(&self, hierarchy: &MemoryHierarchy) -> HardwareSpec {
        let memories = hierarchy.memories.iter().map(|placed| {
            let element = self.elements[placed.element as usize];
            let memory = &self.pool.memories[element.memory];
            let variant = &memory.variants[placed.variant as usize];
            let operands: Vec<String> =
                Operand::ALL.into_iter().filter(|&o| placed.holds(o)).map(|operand| operand.to_string()).collect();
            let dims = self.core.array.iter_enumerated();
            MemorySpec {
                name: format!("{}_{}", memory.name, operands.concat()),
                size_bits: memory.size_bits,
                operands,
                read_width_bits: variant.read_width_bits,
                write_width_bits: variant.write_width_bits,
                read_granularity_bits: variant.read_width_bits,
                write_granularity_bits: variant.write_width_bits,
                read_energy_pj: variant.figures.read_energy_pj,
                write_energy_pj: variant.figures.write_energy_pj,
                area_um2: Some(variant.figures.area_um2),
                shared_over: dims
                    .filter(|(dim, _)| element.shared_over.contains(*dim))
                    .map(|(_, (name, _))| name.clone())
                    .collect(),
                latency_cycles: 1,
                source: variant.source.clone(),
                ..MemorySpec::default()
            }
        });
        let memories = memories.chain(self.template.memories.iter().cloned()).collect();
        let estimated = if self.is_estimated(hierarchy) { " Figures marked as estimates come from a fit." } else { "" };
        HardwareSpec {
            name: format!("{}: {}", self.core.name, self.name(hierarchy)).chars().take(100).collect(),
            about: format!(
                "Generated from the pool {} for the array of {}: {}.{estimated}",
                self.pool.name,
                self.core.name,
                self.name(hierarchy)
            ),
            memories,
            ..self.template.clone()
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits::of_many(self.settings.lpf_limit)
    }
}

impl DistinctLayer {
    /// The problem of mapping it on `core` with all memories.
    pub fn problem(&self, core: &Core) -> LayerProblem {
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        LayerProblem::new(self.shape, levels, self.unroll.clone())
    }

    /// Names for a person: `conv1`, or `conv1 and 3 more`.
    pub fn title(&self) -> String {
        let first = self.names.first().map_or("", String::as_str);
        match self.names.len() {
            0 | 1 => first.to_owned(),
            count => format!("{first} and {} more", count - 1),
        }
    }
}

/// The core without its vector unit: hierarchies are those of the array.
fn array_alone(hardware: &str) -> Result<Core, Diagnostics> {
    let core = Core::from_text(hardware)?;
    if core.vector_unit.is_none() {
        return Ok(core);
    }
    Core::new(&HardwareSpec { vector_unit: None, ..read_hardware(hardware).whole()? })
}

/// The different layers among those that count.
fn layers(core: &Core, network: &Network, settings: &HierarchySettings) -> Vec<DistinctLayer> {
    let mut layers: Vec<DistinctLayer> = Vec::new();
    for id in network.computing() {
        let layer = network.layer(id);
        if !settings.layers.is_empty() && !settings.layers.contains(&layer.name) {
            continue;
        }
        let unroll = layer.unroll_on(core, &settings.rules);
        match layers.iter_mut().find(|other| other.shape == layer.shape && other.unroll == unroll) {
            Some(same) => same.names.push(layer.name.clone()),
            None => layers.push(DistinctLayer { names: vec![layer.name.clone()], shape: layer.shape, unroll }),
        }
    }
    layers
}

fn check_settings(settings: &HierarchySettings, diagnostics: &mut Diagnostics) {
    if let Some(budget) = settings.budget_um2.filter(|budget| !budget.is_finite() || *budget < 0.0) {
        let reason = format!("{budget} um2 is not an area");
        diagnostics.add("settings.budget", reason, "Write for example `1 mm2`, or leave it out for no limit");
    }
    if settings.max_levels > MOST_LEVELS {
        let reason = format!("{} levels of one operand", settings.max_levels);
        diagnostics.add("settings.max_levels", reason, format!("Write 0 to {MOST_LEVELS}"));
    }
    check_lpf_limit("settings.lpf_limit", settings.lpf_limit, diagnostics);
    if !matches!(settings.objective, Objective::Energy | Objective::Latency | Objective::EnergyDelayProduct) {
        let reason = "Memories differ from hierarchy to hierarchy, so their accesses cannot be compared";
        diagnostics.add("settings.objective", reason, "Choose energy, latency or their product");
    }
}

/// The highest memory must serve every operand.
fn check_highest(core: &Core, diagnostics: &mut Diagnostics) {
    let [w, i] = [Operand::W, Operand::I].map(|operand| core.top(operand));
    if w != i {
        diagnostics.add(
            "hardware.memories",
            format!(
                "The highest memory of W is `{}`, that of I and O is `{}`",
                core.memories[w].name, core.memories[i].name
            ),
            "Let one memory be the highest of all, as every generated hierarchy ends there",
        );
    }
}

fn check_layers(settings: &HierarchySettings, network: &Network, diagnostics: &mut Diagnostics) {
    let names: Vec<&str> = network.computing().map(|id| network.layer(id).name.as_str()).collect();
    for layer in settings.layers.iter().filter(|layer| !names.contains(&layer.as_str())) {
        let remedy = closest(layer, names.iter().copied())
            .map_or_else(|| format!("Use {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
        diagnostics.add("settings.layers", format!("No layer that computes is called `{layer}`"), remedy);
    }
}
