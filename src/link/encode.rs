//! The fields of a state: what differs from the baseline.

use super::baseline::baseline;
use super::codes::{self, code};
use super::fields::{Field, Mapping, Point, Sizes, Text};
use super::frozen::{Kind, fingerprint};
use super::packing::packed_length;
use super::patch;
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::rules::Rules;
use crate::sorting::sort_by_key;
use crate::state::{CoresForm, Design, Document, FuseChoice, HierarchyForm, Schedule, State, View};
use std::collections::HashSet;

/// A larger text is not compared with others, bytes.
const LARGE: usize = 1 << 18;
/// So many of the texts that share most lines are compared byte by byte.
const MOST_COMPARED: usize = 3;

/// What differs; with documents that are not in force or without.
pub(super) fn fields(state: &State, with_own: bool) -> Vec<Field> {
    let mut base = baseline();
    let mut fields = Vec::new();
    if let Some(pinned) = &state.pinned {
        design(&pinned.design, &base.design, with_own, &mut fields);
        fields.extend(pinned.point.as_ref().map(|opened| Field::Point(point(opened))));
        cores(&pinned.cores, &base.cores, with_own, &mut fields);
        fields.push(Field::Pin);
        base.design = pinned.design.clone();
        base.cores = pinned.cores.clone();
    }
    design(&state.design, &base.design, with_own, &mut fields);
    mapping(state, &mut fields);
    hierarchy(&state.hierarchy, &base.hierarchy, &mut fields);
    cores(&state.cores, &base.cores, with_own, &mut fields);
    view(&state.view, &base.view, &mut fields);
    let shown = [state.view.hardware_text, state.view.workload_text, state.hierarchy.shows_pool];
    let bits = shown.iter().rev().fold(0, |bits, shown| bits << 1 | u8::from(*shown));
    if bits != 0 {
        fields.push(Field::Texts(bits));
    }
    fields.extend(state.entry.map(|id| Field::Entry(codes::entry_name(id))));
    fields.extend(state.lesson.map(|id| Field::Lesson(codes::entry_name(id))));
    fields
}

fn design(design: &Design, base: &Design, with_own: bool, fields: &mut Vec<Field>) {
    let aside = |document: &Document| document.own.clone().filter(|own| with_own && *own != document.text);
    if design.hardware.text != base.hardware.text {
        fields.push(Field::Hardware(text(Kind::Hardware, &design.hardware.text)));
    }
    if design.workload.text != base.workload.text {
        fields.push(Field::Workload(text(Kind::Workload, &design.workload.text)));
    }
    fields.extend(aside(&design.hardware).map(|own| Field::OwnHardware(text(Kind::Hardware, &own))));
    fields.extend(aside(&design.workload).map(|own| Field::OwnWorkload(text(Kind::Workload, &own))));
    schedule(&design.schedule, &base.schedule, fields);
}

/// A text by its name, else as what it takes from one that has a name.
fn text(kind: Kind, text: &str) -> Text {
    let name = fingerprint(text);
    if kind.find(name).is_some_and(|frozen| frozen.text == text) {
        return Text::Frozen(name);
    }
    if text.len() > LARGE {
        return Text::Plain(text.to_owned());
    }
    let lines: HashSet<&str> = text.lines().collect();
    let mut known: Vec<(usize, &str)> = kind
        .texts()
        .map(|frozen| (frozen.text.lines().filter(|line| lines.contains(line)).count(), frozen.text))
        .collect();
    sort_by_key(&mut known, |(shared, _)| std::cmp::Reverse(*shared));
    let patched = |base: &str| Text::Patched(fingerprint(base), patch::diff(base, text));
    let patches = known.iter().take(MOST_COMPARED).map(|(_, base)| patched(base));
    patches.min_by_key(packed_length).unwrap_or_else(|| Text::Plain(text.to_owned()))
}

fn schedule(schedule: &Schedule, base: &Schedule, fields: &mut Vec<Field>) {
    let Schedule {
        tiles_x,
        tiles_y,
        modes,
        fuse,
        cuts,
        most_layers,
        most_tiles,
        objective,
        memory,
        weights,
        strategy,
        lpf_limit,
        rules,
    } = schedule;
    let mut note = |differs: bool, field: Field| fields.extend(differs.then_some(field));
    note(*tiles_x != base.tiles_x, Field::TilesX(sizes(tiles_x)));
    note(*tiles_y != base.tiles_y, Field::TilesY(sizes(tiles_y)));
    note(*modes != base.modes, Field::Modes(modes.iter().map(|mode| code(codes::MODES, mode)).sum()));
    note(*fuse != base.fuse, Field::Fuse(code(codes::FUSE, fuse)));
    note(*cuts != base.cuts, Field::Cuts(cuts.clone()));
    note(*objective != base.objective, Field::Objective(code(codes::OBJECTIVES, objective)));
    note(*memory != base.memory, Field::Memory(memory.clone()));
    note(*weights != base.weights, Field::Weights(weights.clone()));
    note(*strategy != base.strategy, Field::Strategy(code(codes::STRATEGIES, strategy)));
    note(*lpf_limit != base.lpf_limit, Field::LpfLimit(*lpf_limit as u32));
    note(*most_layers != base.most_layers, Field::MostLayers(most_layers.clone()));
    note(*most_tiles != base.most_tiles, Field::MostTiles(most_tiles.clone()));
    if *rules != base.rules {
        fields.push(rules_field(rules));
    }
}

fn sizes(text: &str) -> Sizes {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|word| word.parse().ok()).collect();
    match numbers {
        // `007` is a number, too.
        Some(numbers) if numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ") == text => {
            Sizes::List(numbers)
        }
        _ => Sizes::Text(text.to_owned()),
    }
}

/// The nearest set, and what is otherwise.
fn rules_field(rules: &Rules) -> Field {
    let others = |set: &Rules| {
        let pairs = rules.switches().into_iter().zip(set.switches());
        pairs.filter(|(mine, its)| mine.2 != its.2).map(|(mine, _)| codes::short_name(mine.0)).collect::<Vec<_>>()
    };
    let nearest =
        codes::RULES.iter().map(|(number, set)| (*number, others(set))).min_by_key(|(_, others)| others.len());
    let (set, others) = nearest.unwrap_or_default();
    Field::Rules(set, others)
}

fn mapping(state: &State, fields: &mut Vec<Field>) {
    fields.extend(state.mapping.layer.clone().map(Field::Layer));
    if let Some(unroll) = state.unroll() {
        let unroll = unroll.iter().map(|one| (one.array_dim as u32, code(codes::DIMS, &one.dim), one.limit));
        fields.push(Field::Unroll(unroll.collect()));
    }
    if let Some(own) = state.own_mapping() {
        fields.push(Field::Mapping(Mapping {
            order: own.order.iter().map(|next| (code(codes::DIMS, &next.dim), next.size)).collect(),
            ends: own.ends.clone().map(|ends| ends.into_iter().map(|end| end as u32).collect()),
        }));
    }
}

fn hierarchy(form: &HierarchyForm, base: &HierarchyForm, fields: &mut Vec<Field>) {
    let HierarchyForm {
        pool,
        layer,
        budget,
        max_levels,
        min_ratio,
        all_widths,
        objective,
        pool_preset: _,
        shows_pool: _,
    } = form;
    if *pool != base.pool {
        fields.push(Field::Pool(text(Kind::Pool, pool)));
    }
    fields.extend(layer.clone().map(Field::HierarchyLayer));
    let mut note = |differs: bool, field: Field| fields.extend(differs.then_some(field));
    note(*budget != base.budget, Field::Budget(budget.clone()));
    note(*max_levels != base.max_levels, Field::MaxLevels(*max_levels as u32));
    note(*min_ratio != base.min_ratio, Field::MinRatio(*min_ratio));
    note(*all_widths != base.all_widths, Field::AllWidths(*all_widths));
    note(*objective != base.objective, Field::HierarchyObjective(*objective as u8));
}

fn cores(form: &CoresForm, base: &CoresForm, with_own: bool, fields: &mut Vec<Field>) {
    let CoresForm {
        preset,
        own,
        shows_system,
        granularity,
        rows,
        tiles,
        stacks,
        ends,
        aim,
        scheduler,
        order,
        prefetches,
        allocation,
    } = form;
    // A system of one's own is told again, as what was pinned keeps its own.
    if *preset != base.preset || preset.is_none() {
        fields.push(Field::System(text(Kind::System, form.system())));
    }
    if with_own && preset.is_some() && !own.is_empty() {
        fields.push(Field::OwnSystem(text(Kind::System, own)));
    }
    let mut note = |differs: bool, field: Field| fields.extend(differs.then_some(field));
    note(*granularity != base.granularity, Field::CoreTiles(code(codes::TILES, granularity)));
    note(*rows != base.rows, Field::Rows(rows.clone()));
    note(*tiles != base.tiles, Field::TilesByHand(tiles.clone()));
    note(*stacks != base.stacks, Field::CoreStacks(code(codes::STACKS, stacks)));
    note(*ends != base.ends, Field::StackEnds(ends.clone()));
    note(*aim != base.aim, Field::CoreAim(code(codes::AIMS, aim)));
    note(*scheduler != base.scheduler, Field::Scheduler(code(codes::SCHEDULERS, scheduler)));
    note(*prefetches != base.prefetches, Field::Prefetches(*prefetches));
    note(*allocation != base.allocation, Field::Allocation(allocation.clone()));
    note(*shows_system, Field::ShowsSystem(true));
    note(*order != base.order, Field::CoreOrder(code(codes::ORDERS, order)));
}

fn view(view: &View, base: &View, fields: &mut Vec<Field>) {
    let View { tab, metric, point: opened, stack, tile_type, hardware_text: _, workload_text: _ } = view;
    let mut note = |differs: bool, field: Field| fields.extend(differs.then_some(field));
    note(*tab != base.tab, Field::Tab(code(codes::TABS, tab)));
    note(*metric != base.metric, Field::Metric(code(codes::METRICS, metric)));
    note(*stack != base.stack, Field::Stack(*stack as u32));
    fields.extend(tile_type.map(|index| Field::TileType(index as u32)));
    fields.extend(opened.as_ref().map(|opened| Field::Point(point(opened))));
}

fn point(DepthFirstStrategy { tile, mode, fuse }: &DepthFirstStrategy) -> Point {
    let (fuse, cuts) = match fuse {
        FuseDepth::Automatic => (FuseChoice::Automatic, Vec::new()),
        FuseDepth::SingleLayer => (FuseChoice::SingleLayer, Vec::new()),
        FuseDepth::LayerByLayer => (FuseChoice::LayerByLayer, Vec::new()),
        FuseDepth::Cuts(layers) => (FuseChoice::ByHand, layers.clone()),
    };
    // The whole map is the largest number, which would be long.
    let side = |size: u64| size.wrapping_add(1);
    Point { tile: (side(tile.0), side(tile.1)), mode: code(codes::MODES, mode), fuse: code(codes::FUSE, &fuse), cuts }
}
