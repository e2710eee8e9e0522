//! Fields of forms in files, by kind.

use super::item::{Item, list, words};
use super::values::{index, index_of, items, text_of, text_up_to};
use crate::{Choice, FieldRef, FuseChoice, RULE_SETS, RuleSet};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_spec::reader::{Fields, LocatedNode, Reader, ValueError, count};

/// Limit on the length of a weight, three of which share a field of a link, bytes.
const LONGEST_WEIGHT: usize = 1000;
const POINT: [&str; 4] = ["tile", "mode", "stacks", "cuts"];

/// Whether it has no content.
pub(super) fn is_empty(slot: &FieldRef) -> bool {
    match slot {
        FieldRef::Text(text) | FieldRef::Sizes(text) => text.is_empty(),
        FieldRef::Name(name) => name.is_none(),
        FieldRef::Names(names) => names.is_empty(),
        FieldRef::Ordinal(number) => **number == 0,
        FieldRef::OptionalOrdinal(number) => number.is_none(),
        FieldRef::Point(point) => point.is_none(),
        _ => false,
    }
}

/// A field under its names: a single one, except for rules.
pub(super) fn write(names: &'static [&'static str], slot: FieldRef) -> Vec<(&'static str, Item)> {
    let number = |number: u64| Item::Line(number.to_string());
    let items = match slot {
        FieldRef::Text(text) | FieldRef::Sizes(text) => vec![words(text)],
        FieldRef::Name(name) => name.iter().map(|name| words(name)).collect(),
        FieldRef::Names(names) => vec![list(names.clone())],
        FieldRef::Choice(choice) => vec![Item::Line(choice.name().to_owned())],
        FieldRef::Modes(modes) => vec![list(modes.iter().map(|mode| mode.name().to_owned()).collect())],
        FieldRef::Weights(weights) => vec![list(weights.to_vec())],
        FieldRef::Rules(rules) => {
            let (set, others) = RuleSet::nearest(rules);
            let others: Vec<String> = others.into_iter().map(str::to_owned).collect();
            let switched = (!others.is_empty()).then(|| list(others));
            std::iter::once(Item::Line(set.name.to_owned())).chain(switched).collect()
        }
        FieldRef::Count(count) => vec![number(*count as u64)],
        FieldRef::Ratio(ratio) => vec![number(*ratio)],
        FieldRef::Flag(flag) => vec![Item::Line(flag.to_string())],
        FieldRef::Shown(_) => Vec::new(),
        FieldRef::Ordinal(index) => vec![number(*index as u64 + 1)],
        FieldRef::OptionalOrdinal(index) => index.iter().map(|index| number(*index as u64 + 1)).collect(),
        FieldRef::Point(opened) => opened.iter().map(point).collect(),
    };
    names.iter().copied().zip(items).collect()
}

/// A point of a sweep.
pub(super) fn point(DepthFirstStrategy { tile, mode, fuse }: &DepthFirstStrategy) -> Item {
    let side = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
    let (stacks, cuts) = match fuse {
        FuseDepth::Automatic => (FuseChoice::Automatic, None),
        FuseDepth::SingleLayer => (FuseChoice::SingleLayer, None),
        FuseDepth::LayerByLayer => (FuseChoice::LayerByLayer, None),
        FuseDepth::Cuts(layers) => (FuseChoice::ByHand, Some(layers)),
    };
    let mut fields = vec![
        ("tile", list(vec![side(tile.0), side(tile.1)])),
        ("mode", Item::Line(mode.name().to_owned())),
        ("stacks", Item::Line(crate::AnyChoice::name(&stacks).to_owned())),
    ];
    fields.extend(cuts.map(|layers| ("cuts", list(layers.clone()))));
    Item::Fields(fields)
}

/// Reads a field, if it is present.
pub(super) fn read(reader: &mut Reader, fields: &Fields, names: &[&str], slot: FieldRef) {
    let Some(name) = names.first() else { return };
    let Some(place) = fields.get(name) else {
        // Switches without a set modify the default set.
        if let FieldRef::Rules(_) = slot {
            read_rules(reader, fields, names, slot);
        }
        return;
    };
    match slot {
        FieldRef::Text(text) | FieldRef::Sizes(text) => set(text, text_of(reader, place)),
        FieldRef::Name(name) => *name = text_of(reader, place),
        FieldRef::Names(names) => *names = items(reader, place, text_of),
        FieldRef::Choice(choice) => {
            let index = index_of(reader, place, &choice.all_names());
            index.into_iter().for_each(|index| choice.take(index));
        }
        FieldRef::Modes(modes) => {
            let chosen: Vec<StoringMode> = items(reader, place, one_of);
            *modes = StoringMode::ALL.into_iter().filter(|mode| chosen.contains(mode)).collect();
        }
        FieldRef::Weights(weights) => {
            let written = items(reader, place, |reader, item| text_up_to(reader, item, LONGEST_WEIGHT));
            weights.iter_mut().zip(written).for_each(|(weight, text)| *weight = text);
        }
        FieldRef::Rules(_) => read_rules(reader, fields, names, slot),
        FieldRef::Count(count) => set(count, index(place, reader)),
        FieldRef::Ratio(ratio) => set(ratio, place.count(reader)),
        FieldRef::Flag(flag) => set(flag, place.flag(reader)),
        FieldRef::Shown(_) => {}
        FieldRef::Ordinal(number) => set(number, index(place, reader).map(from_one)),
        FieldRef::OptionalOrdinal(number) => *number = index(place, reader).map(from_one),
        FieldRef::Point(point) => *point = read_point(reader, place),
    }
}

fn from_one(number: usize) -> usize {
    number.saturating_sub(1)
}

/// Rules: a set, and the switches that differ.
fn read_rules(reader: &mut Reader, fields: &Fields, names: &[&str], slot: FieldRef) {
    let (FieldRef::Rules(rules), [set_name, switched]) = (slot, names) else { return };
    if let Some(place) = fields.get(set_name) {
        let index = index_of(reader, place, &RULE_SETS.map(|set| set.name));
        set(rules, index.map(|index| RULE_SETS[index].rules));
    }
    if let Some(place) = fields.get(switched) {
        let switches: Vec<&str> = rules.values_by_name().iter().map(|(name, _)| *name).collect();
        for index in items(reader, place, |reader, item| index_of(reader, item, &switches)) {
            let (name, value) = rules.values_by_name()[index];
            set(rules, rules.with(name, !value));
        }
    }
}

/// Reads a point of a sweep.
pub(super) fn read_point(reader: &mut Reader, place: &LocatedNode) -> Option<DepthFirstStrategy> {
    let fields = place.fields(reader, &POINT);
    let tile = fields.need(reader, "tile", "[4, 72]")?;
    let sides = items(reader, tile, |reader, item| {
        item.value(reader, "a number of columns or rows, or `all`", |text| match text {
            "all" => Ok(u64::MAX),
            _ => count(text),
        })
    });
    let mode = fields.need(reader, "mode", "fully-cached").and_then(|place| one_of(reader, place))?;
    let fuse = match fields.get("stacks").and_then(|place| one_of(reader, place)).unwrap_or_default() {
        FuseChoice::Automatic => FuseDepth::Automatic,
        FuseChoice::SingleLayer => FuseDepth::SingleLayer,
        FuseChoice::LayerByLayer => FuseDepth::LayerByLayer,
        FuseChoice::ByHand => {
            let cuts = fields.get("cuts").map(|place| items(reader, place, |reader, item| item.verbatim(reader)));
            FuseDepth::Cuts(cuts.unwrap_or_default())
        }
    };
    match sides[..] {
        [width, height] => Some(DepthFirstStrategy { tile: (width, height), mode, fuse }),
        _ => {
            tile.reject(reader, ValueError::new("A tile has a width and a height", "Write for example `[4, 72]`"));
            None
        }
    }
}

/// The value with the name in the file.
fn one_of<T: Choice>(reader: &mut Reader, place: &LocatedNode) -> Option<T> {
    let (choices, names): (Vec<T>, Vec<&str>) = T::names().into_iter().unzip();
    index_of(reader, place, &names).and_then(|index| choices.into_iter().nth(index))
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
