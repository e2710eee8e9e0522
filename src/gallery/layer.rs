//! Figures of one mapped layer (ZigZag, Fig. 6).

use super::opening::Opening;
use fusescape_engine::cost::LatencyCause;
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappedLayer};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::search::Objective;

/// An entry of the loop-information table (ZigZag, Fig. 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFigure {
    /// Elements in one unit.
    UnitSize,
    /// Elements in all units.
    TotalSize,
    /// MACs that the data of one unit supports.
    UnitMacs,
    /// MACs that the data of all units supports.
    TotalMacs,
    /// Data reuse factor.
    Reuse,
    /// Elements that come down from the next higher level.
    AccessesDown,
    /// Elements that go up to the next higher level.
    AccessesUp,
    /// Cycles between replacements of the data.
    TurnaroundCycles,
    /// Number of units with different data.
    UniqueUnits,
    /// Ratio of the level's capacity to its contents.
    Roof,
}

/// A figure of a whole mapped layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerFigure {
    /// Multiply-accumulates.
    Macs,
    /// PEs that work.
    ActivePes,
    /// Cycles without stalls.
    TemporalCycles,
    /// Elements of an operand.
    Size(Operand),
    /// MACs per element of an operand.
    Reuse(Operand),
    /// Energy, ratio of this mapping to the best.
    EnergyOverBest,
    Energy,
    Latency,
    /// Latency, ratio of this mapping to the best.
    LatencyOverBest,
    /// Share of stalls at memory ports in the latency.
    StallShare,
    /// Share of the MACs possible with all PEs in the time.
    Utilization,
    /// MACs per byte read from and written to the highest memory.
    Intensity,
}

/// The layer of an entry, or another one of its network.
pub fn design_layer(opens: &Opening, layer: Option<String>) -> Result<DesignLayer, String> {
    DesignLayer::new(&request(opens, layer)).map_err(|wrong| wrong.to_string())
}

fn request(opens: &Opening, layer: Option<String>) -> LayerRequest {
    let settings = &opens.settings;
    LayerRequest {
        hardware: opens.hardware.text().to_owned(),
        workload: opens.workload.text().to_owned(),
        layer: layer.or_else(|| opens.layer.clone()),
        objective: Objective::Energy,
        strategy: settings.strategy,
        lpf_limit: settings.lpf_limit,
        rules: settings.rules,
        unroll: None,
    }
}

fn mapped(opens: &Opening, design_layer: &DesignLayer) -> Result<MappedLayer, String> {
    match &opens.mapping {
        Some(mapping) => {
            design_layer.cost(mapping).map_err(|flaws| format!("The mapping has {} flaws: {flaws:?}", flaws.len()))
        }
        None => design_layer.best().map_err(|wrong| wrong.to_string()),
    }
}

/// An entry of the loop-information table.
pub fn table(opens: &Opening, figure: TableFigure, operand: Operand, level: usize) -> Result<f64, String> {
    let mapped = mapped(opens, &design_layer(opens, None)?)?;
    let levels = &mapped.information.operands[Opening::index_of(operand)].levels;
    let level = levels.get(level).ok_or_else(|| format!("{operand} has {} levels", levels.len()))?;
    let traffic = || level.traffic.ok_or("The highest level exchanges data with nothing above");
    Ok(match figure {
        TableFigure::UnitSize => level.unit_size,
        TableFigure::TotalSize => level.total_size,
        TableFigure::UnitMacs => level.unit_macs,
        TableFigure::TotalMacs => level.total_macs,
        TableFigure::Reuse => level.reuse.total,
        TableFigure::AccessesDown => traffic()?.down,
        TableFigure::AccessesUp => traffic()?.up,
        TableFigure::TurnaroundCycles => level.turnaround_cycles as f64,
        TableFigure::UniqueUnits => level.units.unique,
        TableFigure::Roof => level.roof.ok_or("The MAC units have no roof")? as f64,
    })
}

/// A figure of the whole layer.
pub fn figure(opens: &Opening, figure: LayerFigure) -> Result<f64, String> {
    let design_layer = design_layer(opens, None)?;
    let mapped = mapped(opens, &design_layer)?;
    let operand = |operand: Operand| &mapped.information.operands[Opening::index_of(operand)];
    Ok(match figure {
        LayerFigure::Macs => mapped.information.macs as f64,
        LayerFigure::ActivePes => mapped.information.active_pes,
        LayerFigure::TemporalCycles => mapped.information.temporal_cycles as f64,
        LayerFigure::Size(of) => operand(of).size,
        LayerFigure::Reuse(of) => operand(of).reuse,
        LayerFigure::EnergyOverBest => {
            mapped.energy_pj() / design_layer.best().map_err(|wrong| wrong.to_string())?.energy_pj()
        }
        LayerFigure::Energy => mapped.energy_pj(),
        LayerFigure::Latency => mapped.cycles.total as f64,
        LayerFigure::LatencyOverBest => {
            let objective = Objective::Latency;
            let best = DesignLayer::new(&LayerRequest { objective, ..request(opens, None) });
            let best = best.map_err(|wrong| wrong.to_string())?.best().map_err(|wrong| wrong.to_string())?;
            mapped.cycles.total as f64 / best.cycles.total as f64
        }
        LayerFigure::StallShare => mapped.cycles.by_cause[LatencyCause::Stall] as f64 / mapped.cycles.total as f64,
        LayerFigure::Utilization => {
            let pes = design_layer.facts().pe_count as f64;
            mapped.information.macs as f64 / (mapped.cycles.total as f64 * pes)
        }
        LayerFigure::Intensity => {
            let facts = design_layer.facts();
            let highest = mapped.words.iter().zip(&facts.operands).map(|(words, (_, memories))| {
                let name = memories.last().map_or("", String::as_str);
                let memory = design_layer.core.memories.iter().find(|memory| memory.name == name);
                let width = memory.map_or(0, |memory| memory.read_width_bits) as f64;
                words.last().map_or(0.0, |moved| moved.iter().sum::<f64>()) * width / 8.0
            });
            mapped.information.macs as f64 / highest.sum::<f64>()
        }
    })
}

/// Bytes of a memory; of all but the highest if none is named. All instances count.
pub fn memory_size(opens: &Opening, name: Option<&str>) -> Result<f64, String> {
    let core = Core::from_text(opens.hardware.text()).map_err(|wrong| wrong.to_string())?;
    let highest = core.top(Operand::O);
    let counted = core.memories.iter_enumerated().filter(|(id, memory)| match name {
        Some(name) => memory.name == name,
        None => *id != highest,
    });
    let sizes: Vec<f64> = counted.map(|(_, memory)| memory.size_bits as f64 * memory.instances as f64 / 8.0).collect();
    match (sizes.is_empty(), name) {
        (true, Some(name)) => Err(format!("There is no memory `{name}`")),
        _ => Ok(sizes.iter().sum()),
    }
}
