//! Lists of tile sizes: parsing and suggestions.

use fusescape_engine::explore::{MOST_SIZES, parse_sizes};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::sorting::sort_by_key;
use fusescape_spec::{Diagnostics, MAX_DIAGNOSTICS};

/// The grid of tile sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridChoice {
    /// A few, from the smallest to the whole map.
    Spread,
    /// About a hundred in each direction, evenly spaced.
    Fine,
    /// As listed.
    Own,
}

impl GridChoice {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Spread, "a few, up to the map"), (Self::Fine, "full resolution"), (Self::Own, "as listed")];
}

/// Parses a list of sizes and ranges, separated by spaces or commas. Every invalid entry is reported.
pub fn parse_tiles(path: &str, what: &str, text: &str, diagnostics: &mut Diagnostics) -> Vec<u64> {
    let mut sizes = Vec::new();
    for word in text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        if sizes.len() > MOST_SIZES || diagnostics.0.len() > MAX_DIAGNOSTICS {
            break;
        }
        match parse_sizes(word) {
            Ok(more) => {
                if let Some(twice) = more.iter().find(|size| sizes.contains(*size)) {
                    diagnostics.add(path, format!("The tile {what} {twice} is listed twice"), "Keep one");
                }
                sizes.extend(more);
            }
            Err(wrong) => diagnostics.add(
                path,
                format!("As tile {what} `{word}` {wrong}"),
                "Write whole numbers with spaces between them, for example `1 4 16 60`, or a range such as `10..960:10`",
            ),
        }
    }
    if sizes.len() > MOST_SIZES {
        diagnostics.add(path, format!("There are more than {MOST_SIZES} tile {what}s"), format!("Keep {MOST_SIZES}"));
    }
    if text.trim().is_empty() {
        diagnostics.add(path, format!("No tile {what} is given"), "Write at least one, for example `1 4 16 60`");
    }
    sizes
}

/// Widths and heights that span a network's maps in even ratios; for maps of 960 x 540 those of DeFiNES, Fig. 12.
pub fn suggested_tiles(network: &Network) -> (Vec<u64>, Vec<u64>) {
    match map_size(network) {
        (960, 540) => (vec![1, 4, 16, 60, 240, 960], vec![1, 4, 18, 72, 270, 540]),
        (x, y) => (spread(x), spread(y)),
    }
}

/// Approximate number of sizes in each direction at full resolution.
const FINE: u64 = 100;

/// Ranges of widths and heights at full resolution, as written: every tenth size of a map of 960 x 540.
pub fn fine_tiles(network: &Network) -> (String, String) {
    let (x, y) = map_size(network);
    let steps = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
    let step = steps.into_iter().find(|step| x.max(y) / step <= FINE).unwrap_or(1);
    let range = |size: u64| match (size, step) {
        (0..=1, _) => "1".to_owned(),
        _ if size <= step => size.to_string(),
        (_, 1) => format!("1..{size}"),
        _ => format!("{step}..{size}:{step}"),
    };
    (range(x), range(y))
}

/// The map that is tiled: normally the network's last.
fn map_size(network: &Network) -> (u64, u64) {
    let size = |id| {
        let shape = network.layer(id).shape;
        (shape.size(Dim::OX), shape.size(Dim::OY))
    };
    let area = |(x, y): (u64, u64)| x.saturating_mul(y);
    let Some(largest) = network.computing().map(size).max_by_key(|&size| area(size)) else { return (1, 1) };
    let last = network.computing().last().map_or(largest, size);
    // A classifier ends in a single pixel; then the maps of its stacks before matter.
    if area(last) >= area(largest) / 16 { last } else { largest }
}

/// About six divisors of `size` at equal ratios, from 1 to `size`.
fn spread(size: u64) -> Vec<u64> {
    let divisors: Vec<u64> = (1..=size.min(1 << 16)).filter(|divisor| size.is_multiple_of(*divisor)).collect();
    let mut sizes: Vec<u64> = (0..6)
        .map(|step| {
            let target = (size as f64).powf(f64::from(step) / 5.0);
            let distance = |divisor: &u64| (*divisor as f64 / target).ln().abs();
            let nearest = divisors.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1);
            // A prime size has no divisors in between, so that the target itself is taken.
            if distance(&nearest) > 0.5 { target.round() as u64 } else { nearest }
        })
        .collect();
    sizes.push(size);
    sort_by_key(&mut sizes, |size| *size);
    sizes.dedup();
    sizes
}
