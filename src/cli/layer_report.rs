//! Printing mapped layers for a person.

use super::in_memory::{in_memory_line, write_use};
use super::plain::{in_unit, unit_of, with_unit};
use fusescape_chart::{Quantity, power_text, three_digits};
use fusescape_command::estimate_line;
use fusescape_command::layer::{ConstraintCost, LayerOutcome, LayersReport, Searched};
use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_engine::explore::{LayerFacts, MappedLayer};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::OPERANDS;
use fusescape_engine::search::Proof;
use fusescape_engine::search::space::MappingSpace;

/// Adds a line to a text; writing to a `String` cannot fail.
macro_rules! outln {
    ($out:ident, $($text:tt)*) => {{
        $out.push_str(format!($($text)*).trim_end());
        $out.push('\n');
    }};
}

/// Inputs first, as in the papers.
const COLUMNS: [usize; OPERANDS] = [1, 2, 0];

/// For a person.
pub fn table(LayersReport { core, network, layers, .. }: &LayersReport) -> String {
    let mut out = String::new();
    let results: Vec<&LayerOutcome> = layers.iter().map(|(_, result)| result).collect();
    outln!(out, "{} on {}", network.name, core.name);
    out.push_str(&estimate_line(core));
    out.push_str(&in_memory_line(core));
    for result in &results {
        write_layer(&mut out, core, result);
    }
    if results.len() > 1 {
        write_sum(&mut out, core, &results);
    }
    out
}

fn write_layer(out: &mut String, core: &Core, result: &LayerOutcome) {
    let facts = &result.facts;
    let count = match facts.shape.kind.needs_vector_unit() {
        true => format!("{} on the vector unit", with_unit(Quantity::Elements, facts.shape.iterations() as f64)),
        false => with_unit(Quantity::Macs, facts.shape.macs() as f64),
    };
    outln!(out, "\n{}: {count}", facts.layer);
    write_unrolling(out, facts);
    write_use(out, facts);
    write_search(out, result);
    match &result.mapped {
        Err(reasons) => {
            for reason in &reasons.0 {
                outln!(out, "  no mapping: {reason}");
            }
        }
        Ok(mapped) => {
            write_nest(out, facts, mapped);
            write_energy(out, facts, mapped);
            write_latency(out, mapped);
            if let Some(power) = result.power(core) {
                outln!(out, "  {}", power_text(&power));
            }
        }
    }
}

fn write_unrolling(out: &mut String, facts: &LayerFacts) {
    if facts.unrolled.is_empty() {
        outln!(out, "  nothing unrolled: 1 of {} PEs", facts.pe_count);
        return;
    }
    let mut dimensions: Vec<(&str, u64, Vec<String>)> = Vec::new();
    for (name, size, dim, width) in &facts.unrolled {
        let text = format!("{dim} {}", short(*width));
        match dimensions.iter_mut().find(|(known, ..)| known == name) {
            Some((.., loops)) => loops.push(text),
            None => dimensions.push((name, *size, vec![text])),
        }
    }
    let text: Vec<String> =
        dimensions.iter().map(|(name, size, loops)| format!("{name} ({size}): {}", loops.join(" | "))).collect();
    let used: f64 = facts.unrolled.iter().map(|(.., width)| width).product();
    outln!(out, "  unrolled {}; {} of {} PEs", text.join(", "), short(used), facts.pe_count);
}

/// A number that is often an integer: 13, or 6.88.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.2}") }
}

fn write_search(out: &mut String, result: &LayerOutcome) {
    if let Some(unrollings) = &result.unrollings {
        let proved = unrollings.best.as_ref().map_or_else(String::new, |_| format!("; {}", proof(&unrollings.proof)));
        outln!(
            out,
            "  {} unrollings: {} searched, {} cannot be better, {} open{proved}",
            unrollings.unrollings,
            unrollings.searched,
            unrollings.skipped,
            unrollings.unrollings - unrollings.searched - unrollings.skipped
        );
    }
    if let Some(front) = &result.front {
        let proved = if front.proof == Proof::Optimal { "proved" } else { "perhaps not all" };
        outln!(out, "  front of energy and latency, {proved}; * best by some weights of both");
        let corners = front.hull();
        let unit = unit_of(Quantity::Energy, front.mappings.iter().map(|mapping| mapping.energy_pj));
        for (number, mapping) in front.mappings.iter().enumerate() {
            let mark = if corners.binary_search(&number).is_ok() { "*" } else { " " };
            let (energy, cycles) = (in_unit(unit, mapping.energy_pj), mapping.latency_cycles);
            outln!(out, "  {mark} {energy:>14} {} {cycles:>14} cycles", unit.name);
        }
    }
    match &result.searched {
        Searched::Orders(outcome) => {
            // An exact search does not count mappings that fit.
            let looked_at = match outcome.feasible {
                0 => format!("{} partial mappings looked at", outcome.orders),
                fit => format!("{} mappings tried, {fit} fit", outcome.orders),
            };
            if outcome.best.is_none() {
                return outln!(out, "  {:.3} s", result.seconds);
            }
            let among = if result.constrained.is_some() { " under the constraints" } else { "" };
            outln!(out, "  {looked_at}; {}{among}", proof(&outcome.proof));
            if let Some(ConstraintCost { more: Some(more), .. }) = result.constrained {
                // Constraints may leave the unrolling open, which documents state; then a better one is possible.
                let word = if more < 0.0 { "less" } else { "more" };
                outln!(out, "  with the constraints it scores {:.2} % {word} than without", 100.0 * more.abs());
            }
        }
        Searched::Space(space) => write_space(out, space),
        Searched::Iterative(outcome) => {
            let (partial, last) = (outcome.partial, outcome.evaluated);
            outln!(out, "  {partial} partial mappings tried, {last} orders of the last; {}", proof(&Proof::None));
        }
        Searched::Refused(_) => {}
        Searched::ByHand => return outln!(out, "  made by hand"),
    }
    outln!(out, "  {:.3} s", result.seconds);
}

fn write_space(out: &mut String, space: &MappingSpace) {
    let MappingSpace { blockings, mappings, even_blockings, evaluated, .. } = space;
    outln!(
        out,
        "  {blockings} blockings ({even_blockings} even) looked at, which stand for {mappings} mappings; {evaluated} mappings \
         evaluated with their latency"
    );
    if let Some(best) = &space.best {
        let even = space.best_even.as_ref().map(|even| {
            let more = 100.0 * (even.energy_pj / best.energy_pj - 1.0);
            format!("the best even one costs {more:.2} % more, ")
        });
        let spread = space.most_energy_pj / best.energy_pj;
        outln!(out, "  {}the worst {spread:.1} times as much energy", even.unwrap_or_default());
    }
}

fn proof(proof: &Proof) -> String {
    match proof {
        Proof::None => "the best of these, not proved".to_owned(),
        Proof::Optimal => "proved optimal".to_owned(),
        Proof::OptimalButForTies => "proved optimal; among equals one may be better".to_owned(),
        Proof::Gap(gap) => format!("the optimum is at most {:.2} % lower", 100.0 * gap),
    }
}

/// The loops from the outermost to the innermost, with the memory of each for every operand.
fn write_nest(out: &mut String, facts: &LayerFacts, mapped: &MappedLayer) {
    let mut columns =
        vec![column("loop", mapped.mapping.order.iter().rev().map(|next| format!("{} {}", next.dim, next.size)))];
    for operand in COLUMNS {
        let (name, memories) = &facts.operands[operand];
        let ends = &mapped.mapping.ends[operand];
        let memory = |place: usize| {
            let level = ends.iter().position(|&end| place < end).unwrap_or(memories.len() - 1);
            memories[level].clone()
        };
        columns.push(column(name, (0..mapped.mapping.order.len()).rev().map(memory)));
    }
    outln!(out, "");
    for line in 0..columns[0].len() {
        let cells: Vec<&str> = columns.iter().map(|cells| cells[line].as_str()).collect();
        outln!(out, "  {}", cells.join("  "));
    }
}

/// A heading and the cells below it, all of the same width.
fn column(heading: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    let cells: Vec<String> = std::iter::once(heading.to_owned()).chain(cells).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    cells.into_iter().map(|cell| format!("{cell:<width$}")).collect()
}

fn write_energy(out: &mut String, facts: &LayerFacts, mapped: &MappedLayer) {
    // Memories are listed in the order of the operand with the most memories.
    let mut memories: Vec<&String> = Vec::new();
    for (_, names) in &facts.operands {
        let mut place = 0;
        for name in names {
            match memories.iter().position(|known| *known == name) {
                Some(known) => place = known + 1,
                None => {
                    memories.insert(place, name);
                    place += 1;
                }
            }
        }
    }
    let names = COLUMNS.map(|operand| format!("{:>14}", facts.operands[operand].0));
    let unit = unit_of(Quantity::Energy, [mapped.energy_pj()]);
    outln!(out, "\n  {:<22} {} {:>14}   [{}]", "energy", names.join(" "), "all", unit.name);
    for memory in memories {
        let per_operand: [f64; OPERANDS] = COLUMNS.map(|operand| {
            let level = facts.operands[operand].1.iter().position(|name| name == memory);
            level.map_or(0.0, |level| mapped.memory_pj[operand][level])
        });
        let cells: Vec<String> = per_operand
            .iter()
            .map(|&pj| format!("{:>14}", if pj == 0.0 { String::new() } else { in_unit(unit, pj) }))
            .collect();
        outln!(out, "  {memory:<22} {} {:>14}", cells.join(" "), in_unit(unit, per_operand.iter().sum()));
    }
    let blank = " ".repeat(14 * OPERANDS + OPERANDS - 1);
    for cause in EnergyCause::seen_without_access(mapped.energy) {
        outln!(out, "  {:<22} {blank} {:>14}", cause.title(), in_unit(unit, mapped.energy[cause]));
    }
    outln!(out, "  {:<22} {blank} {:>14}", "all", in_unit(unit, mapped.energy_pj()));
}

fn write_latency(out: &mut String, mapped: &MappedLayer) {
    let cycles = &mapped.cycles;
    outln!(out, "\n  {:<22} {:>14}   [cycles]", "latency", "");
    let causes = LatencyCause::of_layer().map(|cause| (cause.plural(), cycles.by_cause[cause]));
    for (cause, count) in causes.chain([("all", cycles.total)]) {
        outln!(out, "  {cause:<22} {count:>14}");
    }
    outln!(
        out,
        "  utilisation: {} % of the PEs, {} % of the time",
        three_digits(100.0 * mapped.spatial_utilization()),
        three_digits(100.0 * mapped.temporal_utilization())
    );
}

fn write_sum(out: &mut String, core: &Core, results: &[&LayerOutcome]) {
    let mapped: Vec<&MappedLayer> = results.iter().filter_map(|result| result.mapped.as_ref().ok()).collect();
    if mapped.is_empty() {
        return;
    }
    let energy: f64 = mapped.iter().map(|mapped| mapped.energy_pj()).sum();
    let latency: u64 = mapped.iter().map(|mapped| mapped.cycles.total).fold(0, u64::saturating_add);
    outln!(
        out,
        "\n{} layers one after the other: {}, {}",
        mapped.len(),
        with_unit(Quantity::Energy, energy),
        with_unit(Quantity::Latency, latency as f64)
    );
    let macs = results.iter().filter(|result| result.mapped.is_ok()).map(|result| result.facts.shape.macs()).sum();
    if let Some(power) = core.power(energy, latency as f64, macs) {
        outln!(out, "{}", power_text(&power));
    }
}
