//! A state of fields.

use super::baseline::baseline;
use super::codes::{self, Codes, meant};
use super::fields::{Field, Mapping, Point, Sizes, Text};
use super::frozen::Kind;
use super::packing::newer;
use super::{patch, wrong};
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::explore::TemporalMapping;
use crate::hardware::Unroll;
use crate::mapping::TemporalLoop;
use crate::rules::Rules;
use crate::spec::{Diagnostics, gallery_presets};
use crate::state::{Document, FuseChoice, LPF_LIMITS, MappingChange, OBJECTIVES, Pinned, State};

/// Longest document, bytes. What is longer than any document may be is kept, too, and called wrong where it stands.
const MOST_BYTES: usize = 4 << 20;
/// More loops than any mapping has.
const MOST_LOOPS: usize = 1000;

/// The state that differs from the baseline by these fields.
pub(super) fn state(fields: &[Field]) -> Result<State, Diagnostics> {
    let mut state = baseline();
    let (mut unroll, mut mapping) = (None, None);
    for field in fields {
        let (design, hierarchy, view) = (&mut state.design, &mut state.hierarchy, &mut state.view);
        let schedule = &mut design.schedule;
        match field {
            Field::Hardware(written) => design.hardware = document(Kind::Hardware, written)?,
            Field::Workload(written) => design.workload = document(Kind::Workload, written)?,
            Field::OwnHardware(written) => design.hardware.own = Some(text(Kind::Hardware, written)?.0),
            Field::OwnWorkload(written) => design.workload.own = Some(text(Kind::Workload, written)?.0),
            Field::TilesX(written) => schedule.tiles_x = sizes(written),
            Field::TilesY(written) => schedule.tiles_y = sizes(written),
            Field::Modes(bits) => {
                schedule.modes =
                    codes::MODES.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, mode)| *mode).collect();
            }
            Field::Fuse(code) => schedule.fuse = known(codes::FUSE, *code)?,
            Field::Cuts(cuts) => schedule.cuts.clone_from(cuts),
            Field::Objective(code) => schedule.objective = known(codes::OBJECTIVES, *code)?,
            Field::Memory(name) => schedule.memory.clone_from(name),
            Field::Weights(weights) => schedule.weights.clone_from(weights),
            Field::Strategy(code) => schedule.strategy = known(codes::STRATEGIES, *code)?,
            // A larger one would only keep workers busy for hours.
            Field::LpfLimit(limit) => schedule.lpf_limit = (*limit as usize).clamp(1, *LPF_LIMITS.end()),
            Field::Rules(set, others) => schedule.rules = rules(*set, others)?,
            Field::Pool(written) => (hierarchy.pool, hierarchy.pool_preset) = text(Kind::Pool, written)?,
            Field::HierarchyLayer(layer) => hierarchy.layer = Some(layer.clone()),
            Field::Budget(text) => hierarchy.budget.clone_from(text),
            Field::MaxLevels(levels) => hierarchy.max_levels = *levels as usize,
            Field::MinRatio(ratio) => hierarchy.min_ratio = *ratio,
            Field::AllWidths(all) => hierarchy.all_widths = *all,
            Field::HierarchyObjective(index) if usize::from(*index) < OBJECTIVES.len() => {
                hierarchy.objective = usize::from(*index);
            }
            Field::HierarchyObjective(_) => return Err(newer()),
            Field::Tab(code) => view.tab = known(codes::TABS, *code)?,
            Field::Metric(code) => view.metric = known(codes::METRICS, *code)?,
            Field::Point(written) => view.point = Some(point(written)?),
            Field::Stack(stack) => view.stack = *stack as usize,
            Field::TileType(index) => view.tile_type = Some(*index as usize),
            Field::Texts(bits) => {
                let shown = |bit: u8| bits & (1 << bit) != 0;
                (view.hardware_text, view.workload_text, hierarchy.shows_pool) = (shown(0), shown(1), shown(2));
            }
            Field::Layer(layer) => state.mapping.layer = Some(layer.clone()),
            Field::Unroll(written) => unroll = Some(written),
            Field::Mapping(written) => mapping = Some(written),
            Field::Pin => {
                let pinned = state.design.clone();
                state.design.forget_own();
                state.pinned = Some(Box::new(Pinned { design: pinned, point: state.view.point.take() }));
            }
            Field::Entry(name) => {
                let entry = gallery_presets().iter().find(|entry| codes::entry_name(entry.id) == *name);
                state.entry = entry.map(|entry| entry.id);
            }
        }
    }
    // They belong to the layer and the documents, which are known only now.
    if let Some(written) = unroll {
        let change = MappingChange::Unroll(state.layer_key(), Some(unrolls(written)?));
        state.mapping.change(change);
    }
    if let Some(written) = mapping {
        let change = MappingChange::Edit(state.mapping_subject(), own_mapping(written)?);
        state.mapping.change(change);
    }
    Ok(state)
}

fn known<T: Clone>(codes: Codes<T>, code: u8) -> Result<T, Diagnostics> {
    meant(codes, code).ok_or_else(newer)
}

/// A text, and the preset that it is.
fn text(kind: Kind, written: &Text) -> Result<(String, Option<&'static str>), Diagnostics> {
    let frozen = |name: &[u8; 4]| {
        kind.find(*name).ok_or_else(|| {
            wrong(
                "The link builds on a document that this version of Fusescape does not have",
                "Reload this page, or open the link where it was made",
            )
        })
    };
    match written {
        Text::Frozen(name) => frozen(name).map(|frozen| (frozen.text.to_owned(), frozen.preset)),
        Text::Patched(name, patch) => match patch::apply(frozen(name)?.text, patch, MOST_BYTES) {
            Some(text) => Ok((text, None)),
            None => Err(too_large()),
        },
        Text::Plain(text) if text.len() <= MOST_BYTES => Ok((text.clone(), None)),
        Text::Plain(_) => Err(too_large()),
    }
}

fn too_large() -> Diagnostics {
    let reason = format!("The link holds what is no document, or one of more than {MOST_BYTES} bytes");
    wrong(reason, "Ask for the documents themselves, and enter them as text")
}

fn document(kind: Kind, written: &Text) -> Result<Document, Diagnostics> {
    let (text, preset) = text(kind, written)?;
    let own = preset.is_none().then(|| text.clone());
    Ok(Document { text, preset, own })
}

fn sizes(written: &Sizes) -> String {
    match written {
        Sizes::List(numbers) => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        Sizes::Text(text) => text.clone(),
    }
}

fn rules(set: u8, others: &[[u8; 2]]) -> Result<Rules, Diagnostics> {
    let mut rules = known(codes::RULES, set)?;
    for name in others {
        let switches = rules.switches();
        let (name, _, value) = switches.iter().find(|switch| codes::short_name(switch.0) == *name).ok_or_else(newer)?;
        rules = rules.with(name, !value).ok_or_else(newer)?;
    }
    Ok(rules)
}

fn point(written: &Point) -> Result<DepthFirstStrategy, Diagnostics> {
    let side = |size: u64| size.wrapping_sub(1);
    let fuse = match known(codes::FUSE, written.fuse)? {
        FuseChoice::Automatic => FuseDepth::Automatic,
        FuseChoice::SingleLayer => FuseDepth::SingleLayer,
        FuseChoice::LayerByLayer => FuseDepth::LayerByLayer,
        FuseChoice::ByHand => FuseDepth::Cuts(written.cuts.clone()),
    };
    let tile = (side(written.tile.0), side(written.tile.1));
    Ok(DepthFirstStrategy { tile, mode: known(codes::MODES, written.mode)?, fuse })
}

fn unrolls(written: &[(u32, u8, u64)]) -> Result<Vec<Unroll>, Diagnostics> {
    let one = |(array_dim, dim, limit): &(u32, u8, u64)| {
        Ok(Unroll { array_dim: *array_dim as usize, dim: known(codes::DIMS, *dim)?, limit: *limit })
    };
    written.iter().take(MOST_LOOPS).map(one).collect()
}

fn own_mapping(written: &Mapping) -> Result<TemporalMapping, Diagnostics> {
    let one = |(dim, size): &(u8, u64)| Ok(TemporalLoop { dim: known(codes::DIMS, *dim)?, size: *size });
    let order = written.order.iter().take(MOST_LOOPS).map(one).collect::<Result<_, Diagnostics>>()?;
    let ends = |ends: &Vec<u32>| ends.iter().take(MOST_LOOPS).map(|end| *end as usize).collect();
    Ok(TemporalMapping { order, ends: written.ends.each_ref().map(ends) })
}
