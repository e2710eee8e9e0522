//! Documents from files of Timeloop or AccelForge, and their texts, validated.

use super::report::ImportReport;
use fusescape_engine::explore::{DesignLayer, LayerRequest, TemporalMapping, user_mappings};
use fusescape_engine::hardware::{Core, Unroll};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_engine::workload::Network;
use fusescape_spec::{
    Diagnostics, HardwareSpec, MappingSpec, PortSpec, WorkloadSpec, write_hardware, write_mapping, write_workload,
};
use serde::{Deserialize, Serialize};

/// Capacity of a memory without a limit, bits: 1024 GiB.
pub(super) const NO_LIMIT_BITS: u64 = 1 << 43;
/// Accesses per cycle of a memory without a limit.
pub(super) const NO_LIMIT_ACCESSES: u64 = 4096;

/// Documents from another program's files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Documents {
    pub hardware: Option<HardwareSpec>,
    pub workload: Option<WorkloadSpec>,
    /// The mapping of the layers.
    pub mapping: Option<MappingSpec>,
}

/// A single port for all reads and writes.
pub(super) fn shared_port(operands: &[String]) -> PortSpec {
    let movements = |operand: &String| {
        let all: &[&str] = if operand == "O" {
            &["read_to_low", "write_from_low", "read_to_high", "write_from_high"]
        } else {
            &["read_to_low", "write_from_high"]
        };
        all.iter().map(|movement| format!("{operand}.{movement}")).collect::<Vec<_>>()
    };
    PortSpec { name: "rw".to_owned(), serves: operands.iter().flat_map(movements).collect(), ..PortSpec::default() }
}

/// Texts of the documents, `None` for those that are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    pub hardware: Option<String>,
    /// The workload document.
    pub workload: Option<String>,
    /// The mapping document.
    pub mapping: Option<String>,
}

impl Texts {
    /// Writes documents; the report gets a summary of them, and errors for the user to correct.
    pub fn of(documents: &Documents, report: &mut ImportReport) -> Self {
        let texts = Self {
            hardware: documents.hardware.as_ref().map(write_hardware),
            workload: documents.workload.as_ref().map(write_workload),
            mapping: documents.mapping.as_ref().map(write_mapping),
        };
        let mut facts = Vec::new();
        let mut told = |known: Result<String, Diagnostics>, what: &str, report: &mut ImportReport| match known {
            Ok(text) => facts.push(text),
            Err(wrong) => facts.push(format!("{what} with {}", report.note_mistakes(&wrong))),
        };
        let core = documents.hardware.as_ref().map(Core::new);
        let network = documents.workload.as_ref().map(Network::new);
        if let Some(core) = &core {
            told(core.as_ref().map(crate::core_facts).map_err(Clone::clone), "hardware", report);
        }
        if let Some(network) = &network {
            told(network.as_ref().map(crate::network_facts).map_err(Clone::clone), "workload", report);
        }
        if let (Some(Ok(core)), Some(Ok(network)), Some(text)) = (core, network, &texts.mapping) {
            let priced = user_mappings(text, &core, &network, &request());
            told(priced.map(|_| "a mapping, to be priced by `layer --mapping`".to_owned()), "a mapping", report);
        }
        report.result = facts.join(", ");
        texts
    }
}

/// The mapping of one layer, to be opened for editing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedMapping {
    /// Name of the layer.
    pub layer: String,
    /// Its unrolling, if it differs from that of the other documents.
    pub unroll: Option<Vec<Unroll>>,
    /// Its loops and their allocation to memories.
    pub mapping: TemporalMapping,
}

impl ImportedMapping {
    /// The mapping of the first layer in the document, if all three documents are valid.
    pub fn first(mapping: &str, hardware: &str, workload: &str) -> Option<Self> {
        let (core, network) = (Core::from_text(hardware).ok()?, Network::from_text(workload).ok()?);
        let (design_layer, mapped) = user_mappings(mapping, &core, &network, &request()).ok()?.into_iter().next()?;
        let layer = design_layer.layer;
        let usual = DesignLayer::of(core, &network, &LayerRequest { layer: Some(layer.clone()), ..request() }).ok()?;
        let unroll = Some(design_layer.problem.unroll).filter(|unroll| *unroll != usual.problem.unroll);
        Some(Self { layer, unroll, mapping: mapped.mapping })
    }
}

/// A request for the cost of a mapping.
fn request() -> LayerRequest {
    LayerRequest {
        hardware: String::new(),
        workload: String::new(),
        layer: None,
        objective: Objective::Energy,
        strategy: Strategy::default(),
        lpf_limit: 6,
        rules: Rules::CORRECTED,
        unroll: None,
    }
}
