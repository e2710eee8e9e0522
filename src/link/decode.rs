//! A state of fields.

use super::baseline::baseline;
use super::codes::{self, Codes, meant};
use super::fields::{Field, Mapping, Point, Sizes, Text};
use super::frozen::{Kind, fingerprint};
use super::packing::newer;
use super::{patch, wrong};
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::explore::TemporalMapping;
use crate::hardware::Unroll;
use crate::mapping::TemporalLoop;
use crate::rules::Rules;
use crate::spec::{Diagnostics, gallery_presets, lesson_steps};
use crate::state::{Document, FuseChoice, LPF_LIMITS, MappingChange, OBJECTIVES, Pinned, State};

/// Bytes of all documents together: with all else about as much as a file holds, so that what opens is kept. One that is longer than
/// any may be is kept, too, and called wrong where it stands.
const MOST_BYTES: usize = 7 << 20;
/// More loops than any mapping has.
const MOST_LOOPS: usize = 1000;

/// The state that differs from the baseline by these fields.
pub(super) fn state(fields: &[Field]) -> Result<State, Diagnostics> {
    let mut state = baseline();
    let (mut unroll, mut mapping) = (None, None);
    let mut texts = Texts { left: MOST_BYTES };
    for field in fields {
        let (design, hierarchy, view) = (&mut state.design, &mut state.hierarchy, &mut state.view);
        let schedule = &mut design.schedule;
        match field {
            Field::Hardware(written) => design.hardware = texts.document(Kind::Hardware, written)?,
            Field::Workload(written) => design.workload = texts.document(Kind::Workload, written)?,
            Field::OwnHardware(written) => {
                design.hardware.own = texts.aside(Kind::Hardware, written, &design.hardware)?
            }
            Field::OwnWorkload(written) => {
                design.workload.own = texts.aside(Kind::Workload, written, &design.workload)?
            }
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
            Field::MostLayers(text) => schedule.most_layers.clone_from(text),
            Field::MostTiles(text) => schedule.most_tiles.clone_from(text),
            Field::Rules(set, others) => schedule.rules = rules(*set, others)?,
            Field::Pool(written) => (hierarchy.pool, hierarchy.pool_preset) = texts.text(Kind::Pool, written)?,
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
                let (point, cores) = (state.view.point.take(), Pinned::cores_of(&state.cores));
                state.cores.own.clear();
                state.pinned = Some(Box::new(Pinned { design: pinned, point, cores }));
            }
            Field::System(written) => {
                let (text, preset) = texts.text(Kind::System, written)?;
                state.cores.preset = preset.map(str::to_owned);
                if preset.is_none() {
                    state.cores.own = text;
                }
            }
            Field::OwnSystem(written) => state.cores.own = texts.text(Kind::System, written)?.0,
            Field::CoreTiles(code) => state.cores.granularity = known(codes::TILES, *code)?,
            Field::Rows(text) => state.cores.rows.clone_from(text),
            Field::TilesByHand(text) => state.cores.tiles.clone_from(text),
            Field::CoreStacks(code) => state.cores.stacks = known(codes::STACKS, *code)?,
            Field::StackEnds(text) => state.cores.ends.clone_from(text),
            Field::CoreAim(code) => state.cores.aim = known(codes::AIMS, *code)?,
            Field::Scheduler(code) => state.cores.scheduler = known(codes::SCHEDULERS, *code)?,
            Field::CoreOrder(code) => state.cores.order = known(codes::ORDERS, *code)?,
            Field::Prefetches(first) => state.cores.prefetches = *first,
            Field::Allocation(text) => state.cores.allocation.clone_from(text),
            Field::ShowsSystem(shown) => state.cores.shows_system = *shown,
            Field::Entry(name) => {
                let entry = gallery_presets().iter().find(|entry| codes::entry_name(entry.id) == *name);
                state.entry = entry.map(|entry| entry.id);
            }
            Field::Lesson(name) => {
                state.lesson = lesson_steps().iter().find(|id| codes::entry_name(id) == *name).copied();
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

/// Reads documents, and bounds what all of them hold together.
struct Texts {
    /// Bytes that further ones may have.
    left: usize,
}

impl Texts {
    /// A text, and the preset that it is.
    fn text(&mut self, kind: Kind, written: &Text) -> Result<(String, Option<&'static str>), Diagnostics> {
        let frozen = |name: &[u8; 4]| {
            kind.find(*name).ok_or_else(|| {
                wrong(
                    "The link builds on a document that this version of Fusescape does not have",
                    "Reload this page, or open the link where it was made",
                )
            })
        };
        let text = match written {
            Text::Frozen(name) => return frozen(name).map(|frozen| (frozen.text.to_owned(), frozen.preset)),
            Text::Patched(name, patch) => patch::apply(frozen(name)?.text, patch, self.left),
            Text::Plain(text) => Some(text.clone()).filter(|text| text.len() <= self.left),
        };
        let text = text.ok_or_else(too_large)?;
        self.left -= text.len();
        // A preset to the letter is that preset, however it is written.
        let preset =
            kind.find(fingerprint(&text)).filter(|frozen| frozen.text == text).and_then(|frozen| frozen.preset);
        Ok((text, preset))
    }

    fn document(&mut self, kind: Kind, written: &Text) -> Result<Document, Diagnostics> {
        let (text, preset) = self.text(kind, written)?;
        let own = preset.is_none().then(|| text.clone());
        Ok(Document { text, preset, own })
    }

    /// What was written by hand and is not in force.
    fn aside(&mut self, kind: Kind, written: &Text, document: &Document) -> Result<Option<String>, Diagnostics> {
        let (text, _) = self.text(kind, written)?;
        Ok(if text == document.text { document.own.clone() } else { Some(text) })
    }
}

fn too_large() -> Diagnostics {
    let reason = format!("The link holds what is no document, or documents of more than {MOST_BYTES} bytes");
    wrong(reason, "Ask for the documents themselves, and enter them as text")
}

fn sizes(written: &Sizes) -> String {
    match written {
        Sizes::List(numbers) => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        Sizes::Text(text) => text.clone(),
    }
}

fn rules(set: u8, others: &[[u8; 2]]) -> Result<Rules, Diagnostics> {
    let mut rules = known(codes::RULES, set)?;
    if others.len() > rules.switches().len() {
        return Err(newer());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::fields::Patch;
    use crate::link::{encode, packing};
    use crate::spec::hardware_presets;

    /// What a link of these fields stands for, its draft, and its link.
    fn opened(fields: &[Field]) -> State {
        let link = packing::pack(fields);
        let state = crate::link::from_link(&link).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(super::state(&encode::fields(&state, true)), Ok(state.clone()));
        state
    }

    fn reason(fields: &[Field]) -> String {
        crate::link::from_link(&packing::pack(fields)).map(|_| String::new()).unwrap_or_else(|wrong| wrong.to_string())
    }

    #[test]
    fn a_preset_is_one_however_it_is_written() {
        let preset = &hardware_presets()[3];
        let plain = || Text::Plain(preset.text.to_owned());
        let state = opened(&[Field::Hardware(plain())]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), None));
        let state = opened(&[Field::Hardware(plain()), Field::OwnHardware(plain())]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), None));
        let other = "name: other".to_owned();
        let state = opened(&[Field::Hardware(plain()), Field::OwnHardware(Text::Plain(other.clone()))]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), Some(other)));
    }

    #[test]
    fn what_no_link_of_ours_holds_is_refused() {
        // Twice the same of one design, though not of two.
        assert!(reason(&[Field::Stack(1), Field::Stack(1)]).contains("damaged"));
        assert!(reason(&[Field::Pin, Field::Pin]).contains("damaged"));
        assert_eq!(opened(&[Field::LpfLimit(7), Field::Pin, Field::LpfLimit(8)]).design.schedule.lpf_limit, 8);
        // More than any field has.
        assert!(reason(&[Field::Cuts("x".repeat(1 << 20))]).contains("damaged"));
        assert!(reason(&[Field::Rules(0, vec![[1, 2]; 1000])]).contains("newer"));
        // Documents that are too large, one or together.
        let hash = fingerprint(hardware_presets()[0].text);
        let long = |bytes: usize| {
            let patch =
                Patch { insertions: vec![1], jumps: vec![0], lengths: vec![bytes as u32 - 1], inserted: vec![b'x'] };
            Text::Patched(hash, Patch { jumps: vec![hardware_presets()[0].text.len() as i32 - 1], ..patch })
        };
        assert_eq!(opened(&[Field::Hardware(long(MOST_BYTES))]).design.hardware.text, "x".repeat(MOST_BYTES));
        assert!(reason(&[Field::Hardware(long(MOST_BYTES + 1))]).contains("more than"));
        let half = MOST_BYTES / 2 + 1;
        assert!(reason(&[Field::Hardware(long(half)), Field::OwnHardware(long(half))]).contains("more than"));
    }
}
