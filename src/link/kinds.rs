//! Fields of forms in links, by kind.

use super::fields::{Point, TileSizeField, bytes, take};
use super::frozen::fnv_1a;
use super::packing::newer;
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_engine::rules::Rules;
use fusescape_spec::Diagnostics;
use fusescape_state::{Choice, FieldRef, FuseChoice, RULE_SETS, RuleSet};

/// The bytes of a field; `None` for an open one, which links leave out.
pub(super) fn pack(slot: FieldRef) -> Vec<u8> {
    match slot {
        FieldRef::Text(text) => bytes(text),
        FieldRef::Sizes(text) => bytes(&sizes(text)),
        FieldRef::Name(name) => name.as_ref().map(bytes).unwrap_or_default(),
        FieldRef::Names(names) => bytes(names),
        FieldRef::Choice(choice) => bytes(&choice.number()),
        FieldRef::Modes(modes) => bytes(&modes.iter().map(Choice::number).sum::<u8>()),
        FieldRef::Weights(weights) => bytes(weights),
        FieldRef::Rules(rules) => {
            let (set, others) = RuleSet::nearest(rules);
            let others: Vec<[u8; 2]> = others.into_iter().map(short_name).collect();
            bytes(&(set.number, others))
        }
        FieldRef::Count(number) | FieldRef::Ordinal(number) => bytes(&(*number as u32)),
        FieldRef::Ratio(ratio) => bytes(ratio),
        FieldRef::Flag(flag) | FieldRef::Shown(flag) => bytes(flag),
        FieldRef::OptionalOrdinal(number) => number.map(|number| bytes(&(number as u32))).unwrap_or_default(),
        FieldRef::Point(point) => point.as_ref().map(|point| bytes(&packed_point(point))).unwrap_or_default(),
    }
}

/// Reads a field from the start of the bytes.
pub(super) fn unpack(slot: FieldRef, from: &mut &[u8]) -> Result<(), Diagnostics> {
    match slot {
        FieldRef::Text(text) => *text = take(from)?,
        FieldRef::Sizes(text) => {
            *text = match take(from)? {
                TileSizeField::List(numbers) => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
                TileSizeField::Text(text) => text,
            }
        }
        FieldRef::Name(name) => *name = Some(take(from)?),
        FieldRef::Names(names) => *names = take(from)?,
        FieldRef::Choice(choice) => return choice.take_numbered(take(from)?).then_some(()).ok_or_else(newer),
        FieldRef::Modes(modes) => {
            let bits: u8 = take(from)?;
            *modes = StoringMode::ALL.into_iter().filter(|mode| bits & mode.number() != 0).collect();
        }
        FieldRef::Weights(weights) => *weights = take(from)?,
        FieldRef::Rules(rules) => *rules = unpacked_rules(take(from)?)?,
        FieldRef::Count(number) | FieldRef::Ordinal(number) => *number = take::<u32>(from)? as usize,
        FieldRef::Ratio(ratio) => *ratio = take(from)?,
        FieldRef::Flag(flag) | FieldRef::Shown(flag) => *flag = take(from)?,
        FieldRef::OptionalOrdinal(number) => *number = Some(take::<u32>(from)? as usize),
        FieldRef::Point(point) => *point = Some(unpacked_point(take(from)?)?),
    }
    Ok(())
}

fn sizes(text: &str) -> TileSizeField {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|word| word.parse().ok()).collect();
    match numbers {
        // `007` parses as a number, too.
        Some(numbers) if numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ") == text => {
            TileSizeField::List(numbers)
        }
        _ => TileSizeField::Text(text.to_owned()),
    }
}

/// A hash of the name of a switch of the rules.
fn short_name(name: &str) -> [u8; 2] {
    let [a, b, c, d] = fnv_1a(name.as_bytes()).to_le_bytes();
    [a ^ c, b ^ d]
}

fn unpacked_rules((set, others): (u8, Vec<[u8; 2]>)) -> Result<Rules, Diagnostics> {
    let mut rules = RULE_SETS.iter().find(|known| known.number == set).ok_or_else(newer)?.rules;
    if others.len() > rules.values_by_name().len() {
        return Err(newer());
    }
    for name in others {
        let switches = rules.values_by_name();
        let (name, value) = switches.iter().find(|switch| short_name(switch.0) == name).ok_or_else(newer)?;
        rules = rules.with(name, !value).ok_or_else(newer)?;
    }
    Ok(rules)
}

fn packed_point(DepthFirstStrategy { tile, mode, fuse }: &DepthFirstStrategy) -> Point {
    let (fuse, cuts) = match fuse {
        FuseDepth::Automatic => (FuseChoice::Automatic, Vec::new()),
        FuseDepth::SingleLayer => (FuseChoice::SingleLayer, Vec::new()),
        FuseDepth::LayerByLayer => (FuseChoice::LayerByLayer, Vec::new()),
        FuseDepth::Cuts(layers) => (FuseChoice::ByHand, layers.clone()),
    };
    // The whole map is the largest number, whose encoding would be long.
    let side = |size: u64| size.wrapping_add(1);
    Point { tile: (side(tile.0), side(tile.1)), mode: mode.number(), fuse: fuse.number(), cuts }
}

fn unpacked_point(written: Point) -> Result<DepthFirstStrategy, Diagnostics> {
    let side = |size: u64| size.wrapping_sub(1);
    let fuse = match FuseChoice::numbered(written.fuse).ok_or_else(newer)? {
        FuseChoice::Automatic => FuseDepth::Automatic,
        FuseChoice::SingleLayer => FuseDepth::SingleLayer,
        FuseChoice::LayerByLayer => FuseDepth::LayerByLayer,
        FuseChoice::ByHand => FuseDepth::Cuts(written.cuts),
    };
    let mode = StoringMode::numbered(written.mode).ok_or_else(newer)?;
    Ok(DepthFirstStrategy { tile: (side(written.tile.0), side(written.tile.1)), mode, fuse })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_short_names_are_equal() {
        let mut names: Vec<_> = Rules::CORRECTED.values_by_name().iter().map(|(name, _)| short_name(name)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
