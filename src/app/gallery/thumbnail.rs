//! A small picture of the numbers of an entry: one bar per published number, and a mark where ours is known to be.

use crate::gallery::Claim;
use yew::prelude::*;

/// Limit on the bars; more would be too thin to be told apart.
const MOST_BARS: usize = 24;
/// Height of the tallest bar, and the width of a bar with its gap.
const HEIGHT: f64 = 40.0;
const PITCH: f64 = 10.0;
/// Ratio of the largest to the smallest value above which the scale is logarithmic, as in the figure of an opened card.
const WIDE: f64 = 12.0;

/// The numbers of an entry that share the most frequent unit, in the order of the paper, without ranges. Nothing is
/// computed: the departure of our number is stated in the entry, and checked by a test.
/// far ours departs is stated in the entry, and held by a test.
pub fn thumbnail(claims: &[Claim]) -> Html {
    let shown = || claims.iter().filter(|claim| !claim.is_variation);
    let count_of = |unit: &str| shown().filter(|claim| claim.unit.symbol == unit).count();
    let mut most = "";
    for claim in shown() {
        if most.is_empty() || count_of(claim.unit.symbol) > count_of(most) {
            most = claim.unit.symbol;
        }
    }
    let numbers: Vec<(f64, f64)> = shown()
        .filter(|claim| claim.unit.symbol == most && !claim.published.is_range())
        .map(|claim| {
            let published = claim.published.nearest(0.0);
            (published, published * (1.0 + claim.deviation))
        })
        .filter(|(published, ours)| published.is_finite() && ours.is_finite() && *published > 0.0 && *ours > 0.0)
        .take(MOST_BARS)
        .collect();
    // A single bar shows nothing.
    if numbers.len() < 2 {
        return html! {};
    }
    let all = || numbers.iter().flat_map(|&(published, ours)| [published, ours]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let height = move |value: f64| {
        let share = if high > WIDE * low { (1.3 * value / low).ln() / (1.3 * high / low).ln() } else { value / high };
        (HEIGHT - 2.0) * share
    };
    let bar = |(index, &(published, ours)): (usize, &(f64, f64))| {
        let left = PITCH * index as f64 + 1.0;
        let (bar, mark) = (height(published), height(ours));
        html! {
            <>
                <rect class="published" x={left.to_string()} y={(HEIGHT - bar).to_string()} width="8" height={bar.to_string()} />
                <rect class="ours" x={left.to_string()} y={(HEIGHT - mark - 1.0).to_string()} width="8" height="2" />
            </>
        }
    };
    let width = PITCH * numbers.len() as f64;
    html! {
        // The text and numbers below say the same.
        <svg
            class="entry-thumbnail"
            viewBox={format!("0 0 {width} {HEIGHT}")}
            width={format!("{:.0}", 2.2 * width)}
            height="56"
            preserveAspectRatio="none"
            aria-hidden="true"
        >
            { for numbers.iter().enumerate().map(bar) }
        </svg>
    }
}
