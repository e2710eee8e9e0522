//! Lists of tile sizes: reading what a person wrote, and suggesting some.

use crate::spec::Diagnostics;
use crate::workload::{Dim, Network};

/// More sizes than this in one direction would be a mistake.
const MOST: usize = 64;

/// Reads a list of sizes, separated by spaces or commas. Every entry that is wrong is reported.
pub fn parse_tiles(path: &str, what: &str, text: &str, diagnostics: &mut Diagnostics) -> Vec<u64> {
    let mut sizes = Vec::new();
    for word in text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        match word.parse::<u64>() {
            Ok(0) => diagnostics.add(path, format!("A tile {what} of 0 is no tile"), "Start at 1"),
            Ok(size) if sizes.contains(&size) => {
                diagnostics.add(path, format!("The tile {what} {size} is listed twice"), "Keep one");
            }
            Ok(size) => sizes.push(size),
            Err(_) => diagnostics.add(
                path,
                format!("`{word}` is no tile {what}"),
                "Write whole numbers with spaces between them, for example `1 4 16 60`",
            ),
        }
    }
    if sizes.len() > MOST {
        diagnostics.add(path, format!("There are {} tile {what}s", sizes.len()), format!("Keep at most {MOST}"));
    }
    if text.trim().is_empty() {
        diagnostics.add(path, format!("No tile {what} is given"), "Write at least one, for example `1 4 16 60`");
    }
    sizes
}

/// Widths and heights that span a network's maps in even steps; for maps of 960 x 540 those of DeFiNES, Fig. 12.
pub fn suggested_tiles(network: &Network) -> (Vec<u64>, Vec<u64>) {
    let size = |id| {
        let shape = network.layer(id).shape;
        (shape.size(Dim::OX), shape.size(Dim::OY))
    };
    let area = |(x, y): (u64, u64)| x.saturating_mul(y);
    let Some(largest) = network.computing().map(size).max_by_key(|&size| area(size)) else { return (vec![1], vec![1]) };
    let last = network.computing().last().map_or(largest, size);
    // A classifier ends in a single pixel, and tiles are a matter of its stacks before.
    let (x, y) = if area(last) >= area(largest) / 16 { last } else { largest };
    if (x, y) == (960, 540) {
        return (vec![1, 4, 16, 60, 240, 960], vec![1, 4, 18, 72, 270, 540]);
    }
    (spread(x), spread(y))
}

/// About six divisors of `size` at equal ratios, from 1 to `size`.
fn spread(size: u64) -> Vec<u64> {
    let divisors: Vec<u64> = (1..=size.min(1 << 16)).filter(|divisor| size.is_multiple_of(*divisor)).collect();
    let mut sizes: Vec<u64> = (0..6)
        .map(|step| {
            let target = (size as f64).powf(f64::from(step) / 5.0);
            let distance = |divisor: &u64| (*divisor as f64 / target).ln().abs();
            let nearest = divisors.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1);
            // A prime size has no divisors in between; any number will do.
            if distance(&nearest) > 0.5 { target.round() as u64 } else { nearest }
        })
        .collect();
    sizes.push(size);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
