//! The change from a point to a neighbour, in words.

use fusescape_chart::{Quantity, more_or_less, tile_text};
use fusescape_engine::cost::{AccessCause, EnergyCause};
use fusescape_engine::depth_first::{DataMove, PointChange};
use fusescape_engine::explore::{BestCut, CutChange, Direction, FuseKind, Neighbour};
use fusescape_engine::hardware::Operand;

/// The position of a neighbour relative to its point: `wider tile, 16 × 72`.
pub fn neighbour_title(neighbour: &Neighbour) -> String {
    let tile = tile_text(&neighbour.strategy);
    match &neighbour.direction {
        Direction::Narrower => format!("narrower tile, {tile}"),
        Direction::Wider => format!("wider tile, {tile}"),
        Direction::Lower => format!("lower tile, {tile}"),
        Direction::Higher => format!("higher tile, {tile}"),
        Direction::Mode(mode) => mode.title().to_owned(),
        Direction::Fuse(FuseKind::Automatic) => "automatic fuse depth".to_owned(),
        Direction::Fuse(FuseKind::SingleLayer) => "single-layer".to_owned(),
        Direction::Fuse(FuseKind::LayerByLayer) => "layer-by-layer".to_owned(),
        Direction::Cut(layer) => format!("{}, after {layer}", cut_title(CutChange::More)),
        Direction::Join(layer) => format!("{}, none after {layer}", cut_title(CutChange::Fewer)),
    }
}

/// The direction of a change of the cuts.
pub fn cut_title(change: CutChange) -> &'static str {
    match change {
        CutChange::More => "one cut more",
        CutChange::Fewer => "one cut fewer",
    }
}

/// The number of points with one cut more or fewer that this one is the best of: `The best of 7; 2 cannot be scheduled`
pub fn best_cut_text(best: &BestCut) -> String {
    let all = match best.count {
        1 => "The only one".to_owned(),
        count => format!("The best of {count}"),
    };
    match best.impossible {
        0 => format!("{all}."),
        impossible => format!("{all}; {impossible} cannot be scheduled."),
    }
}

/// Causes with less than this share of the largest change are left out of the sentence.
const LEAST_SHARE: f64 = 0.2;
/// Limit on the layers named in a sentence.
const MOST_NAMED: usize = 2;

/// The reason for the cost of a neighbour, in a sentence: the causes of energy that change most, and the data that
/// moves to another memory.
pub fn change_sentence(change: &PointChange) -> String {
    let causes = causes_text(change);
    let moved = moves_text(change);
    let macs = (change.macs.to > change.macs.from).then(|| {
        let more = more_or_less(change.macs.from as f64, change.macs.to as f64);
        format!("{more} MACs, as overlap is computed again")
    });
    let why: Vec<String> = moved.into_iter().chain(macs).collect();
    match (causes.is_empty(), why.is_empty()) {
        (true, true) => "Nothing changes.".to_owned(),
        (true, false) => format!("{}.", capital(&why.join("; "))),
        (false, true) => format!("{causes}; every operand keeps its top memory."),
        (false, false) => format!("{causes}: {}.", why.join("; ")),
    }
}

/// `Activations cost 182 µJ more, weights 20 µJ less`
fn causes_text(change: &PointChange) -> String {
    let mut growths: Vec<(EnergyCause, f64)> = change.energy_growth().filter(|(_, growth)| *growth != 0.0).collect();
    fusescape_spec::sorting::sort_by(&mut growths, |a, b| b.1.abs().total_cmp(&a.1.abs()));
    let most = growths.first().map_or(0.0, |(_, growth)| growth.abs());
    growths.retain(|(_, growth)| growth.abs() >= LEAST_SHARE * most);
    let text = |(index, (cause, growth)): (usize, &(EnergyCause, f64))| {
        let way = if *growth < 0.0 { "less" } else { "more" };
        let verb = if index == 0 { " cost" } else { "" };
        format!("{}{verb} {} {way}", cause.plural(), Quantity::Energy.text(growth.abs()))
    };
    capital(&growths.iter().enumerate().map(text).collect::<Vec<_>>().join(", "))
}

/// The data whose top memory changes most of the energy, grouped by operand and direction.
fn moves_text(change: &PointChange) -> Option<String> {
    let grows = change.energy.to.total_pj() >= change.energy.from.total_pj();
    let cause = change.energy_growth().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(cause, _)| cause);
    let is_about_weights = cause == Some(EnergyCause::Access(AccessCause::Weight));
    let is_like_cause = |moved: &&DataMove| (moved.operand == Operand::W) == is_about_weights;
    let first = (change.moves.iter().find(|moved| moved.is_up == grows && is_like_cause(moved)))
        .or_else(|| change.moves.iter().find(|moved| moved.is_up == grows))
        .or(change.moves.first())?;
    let is_alike = |moved: &&DataMove| (moved.operand, &moved.memory) == (first.operand, &first.memory);
    let mut names: Vec<String> = change.moves.iter().filter(is_alike).map(|moved| moved.layer.clone()).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    if more > 1 {
        names.truncate(MOST_NAMED);
        names.push(format!("{more} more layers"));
    }
    let last = names.pop()?;
    let (lies, layers) = match names.is_empty() {
        true => ("goes", last),
        false => ("go", format!("{} and {last}", names.join(", "))),
    };
    let operand = first.operand;
    let (from, to) = (&first.memory.from, &first.memory.to);
    let rest = change.moves.iter().filter(|moved| !is_alike(moved)).count();
    let rest = match rest {
        0 => String::new(),
        1 => ", and one other operand lies elsewhere, too".to_owned(),
        many => format!(", and {many} other operands lie elsewhere, too"),
    };
    Some(match (&first.why, first.is_up) {
        (Some(why), true) => {
            format!("{operand} of {layers} {lies} up from {from} to {to} ({}){rest}", lower_case(why, operand))
        }
        (_, true) => format!("{operand} of {layers} {lies} up from {from} to {to}{rest}"),
        (_, false) => format!("{operand} of {layers} {lies} down from {from} to {to}{rest}"),
    })
}

/// A reason for use within a sentence: in lower case, except for names of operands.
fn lower_case(reason: &str, operand: Operand) -> String {
    let name = operand.to_string();
    reason
        .strip_prefix(&format!("{name} does not fit"))
        .map_or_else(|| reason.to_owned(), |rest| format!("does not fit{rest}"))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
