//! Estimates of SRAMs of arbitrary sizes: a fit to published figures at 65 nm, scaled to other nodes. A figure from here is always
//! called an estimate.
//!
//! Data: the memory pools with which the authors of ZigZag shipped their first public tool (ZigZag-Project/zigzag-v1,
//! `inputs/memory_pool_exploration.yaml` and `test/files/base/memory_pool_exploration.yaml`, words of 32 bit), and,
//! for the word width, Table IV of the paper (one size at 8, 16 and 64 bit). Both are CACTI 7 at 65 nm as the paper
//! says; the files themselves state neither tool nor node.
//!
//! Energy grows with the length of the wires, so with the root of the size: `a + b sqrt(bits)`; area grows with the size on
//! top of what decoders and amplifiers take: `a + b bits`. Both are scaled by `1 + c (width - 32)` for another
//! width. Each line minimises the squares of the relative residuals, which [`residuals`] lists.
//!
//! Nodes: Stillmaker and Baas, Scaling equations for the accurate prediction of CMOS device performance from 180 nm to 7 nm, Integration
//! 58 (2017). They fit the energy of inverters, so that SRAMs below 22 nm, which shrink less than logic, cost more than estimated here.
//!
//! `docs/documents.md` says how far all this is from other sources; the tests below check it.

/// The estimator at the node of the data.
pub const SRAM_65NM: &str = "sram-65nm";

/// All estimators, from the largest node to the smallest: `NODES`, and those between two of them for which SRAMs are often stated.
pub const SRAM_ESTIMATORS: [&str; 11] = [
    SRAM_65NM,
    "sram-45nm",
    "sram-40nm",
    "sram-32nm",
    "sram-28nm",
    "sram-22nm",
    "sram-20nm",
    "sram-16nm",
    "sram-14nm",
    "sram-10nm",
    "sram-7nm",
];

/// Sizes that are estimated, bits: from the smallest that was fitted to 16 MiB, up to which the fit stays close to CACTI.
pub const SRAM_SIZES: std::ops::RangeInclusive<u64> = 512..=16 << 23;
/// The widest word that is estimated, bits: the widest for which the fit was compared.
pub const MAX_SRAM_WIDTH: u64 = 2048;

/// Energy of an access (pJ) and area (um2) of one instance of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Energy of reading one full word, pJ.
    pub read_energy_pj: f64,
    /// Energy of writing one full word, pJ.
    pub write_energy_pj: f64,
    /// Area of one instance, um2.
    pub area_um2: f64,
}

/// A node of the scaling tables.
struct TechnologyNode {
    nm: f64,
    /// Nominal supply (Predictive Technology Model), V.
    supply: f64,
    /// Relative energy at a supply of `v`: `a v^2 + b v + c` (of the high-performance kind where the tables have two).
    energy: [f64; 3],
    /// Area beside that at 65 nm.
    area: f64,
}

/// From the largest to the smallest.
const NODES: [TechnologyNode; 8] = [
    TechnologyNode { nm: 65.0, supply: 1.1, energy: [3.755, -4.398, 1.975], area: 1.0 },
    TechnologyNode { nm: 45.0, supply: 1.0, energy: [1.018, -0.3107, 0.1539], area: 0.66 },
    TechnologyNode { nm: 32.0, supply: 0.9, energy: [0.8367, -0.4341, 0.1701], area: 0.31 },
    TechnologyNode { nm: 20.0, supply: 0.9, energy: [0.373, -0.1582, 0.04104], area: 0.14 },
    TechnologyNode { nm: 16.0, supply: 0.85, energy: [0.2958, -0.1241, 0.03024], area: 0.13 },
    TechnologyNode { nm: 14.0, supply: 0.8, energy: [0.2363, -0.09675, 0.02239], area: 0.12 },
    TechnologyNode { nm: 10.0, supply: 0.75, energy: [0.2068, -0.09311, 0.02375], area: 0.068 },
    TechnologyNode { nm: 7.0, supply: 0.7, energy: [0.1776, -0.09097, 0.02447], area: 0.039 },
];

/// Word width of [`BY_SIZE`], bits.
const WIDTH: f64 = 32.0;
/// Size in bits, read and write energy in pJ, area in um2, at 32 bit a word.
const BY_SIZE: [(u64, [f64; 3]); 7] = [
    (512, [1.858, 2.573, 2847.0]),
    (4_096, [3.683, 3.702, 2717.0]),
    (16_384, [4.089, 4.451, 5159.0]),
    (32_768, [4.455, 5.308, 8481.0]),
    (65_536, [7.749, 8.144, 17_138.0]),
    (131_072, [9.544, 10.488, 31_970.0]),
    (1_048_576, [21.311, 23.041, 207_747.0]),
];
/// Width in bits, and the same figures of one size (ZigZag, Table IV).
const BY_WIDTH: [(u64, [f64; 3]); 3] =
    [(8, [0.88, 0.98, 4740.06]), (16, [0.99, 1.39, 4825.56]), (64, [2.52, 3.49, 7457.82])];

/// The figures of an SRAM by the estimator called `name`, one of [`SRAM_ESTIMATORS`]; `None` if there is none of this name.
pub fn estimate(name: &str, size_bits: u64, width_bits: u64) -> Option<Figures> {
    let (energy, area) = SRAM_ESTIMATORS.contains(&name).then(|| scaling(node_nm(name)?))??;
    let [read_energy_pj, write_energy_pj, area_um2] = [(0, energy), (1, energy), (2, area)]
        .map(|(figure, scale)| at_size(figure, size_bits) * width_factor(figure, width_bits) * scale);
    Some(Figures { read_energy_pj, write_energy_pj, area_um2 })
}

/// The node in the name of an estimator, or in a similar name.
pub(super) fn node_nm(name: &str) -> Option<f64> {
    let nm: u16 = name.strip_prefix("sram-")?.strip_suffix("nm")?.parse().ok()?;
    Some(nm.into())
}

/// Energy and area at a node beside those at 65 nm, which are exactly 1 there. Between two nodes of the tables on a line: no power of the
/// node, as that may differ in its last bit between machines.
fn scaling(nm: f64) -> Option<(f64, f64)> {
    let energy = |node: &TechnologyNode| {
        let [a, b, c] = node.energy;
        a * node.supply * node.supply + b * node.supply + c
    };
    let next = NODES.iter().position(|node| node.nm <= nm)?;
    let (larger, smaller) = (&NODES[next.saturating_sub(1)], &NODES[next]);
    let share = if smaller.nm == nm { 0.0 } else { (nm - smaller.nm) / (larger.nm - smaller.nm) };
    let between = |smaller: f64, larger: f64| smaller + share * (larger - smaller);
    Some((between(energy(smaller), energy(larger)) / energy(&NODES[0]), between(smaller.area, larger.area)))
}

/// For every size that was fitted, the fit's read energy, write energy and area, relative to the data.
pub fn residuals() -> Vec<(u64, [f64; 3])> {
    BY_SIZE
        .iter()
        .map(|&(bits, data)| (bits, [0, 1, 2].map(|figure| at_size(figure, bits) / data[figure] - 1.0)))
        .collect()
}

fn at_size(figure: usize, bits: u64) -> f64 {
    let x = |bits: u64| if figure == 2 { bits as f64 } else { (bits as f64).sqrt() };
    let (a, b) = line(BY_SIZE.iter().map(|&(bits, data)| (x(bits), data[figure])));
    a + b * x(bits)
}

fn width_factor(figure: usize, bits: u64) -> f64 {
    let (a, b) = line(BY_WIDTH.iter().map(|&(bits, data)| (bits as f64, data[figure])));
    (a + b * bits as f64) / (a + b * WIDTH)
}

/// The line `a + b x` with the least squares of residuals relative to `y`.
fn line(points: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let [mut w, mut wx, mut wxx, mut wy, mut wxy] = [0.0; 5];
    for (x, y) in points {
        let weight = 1.0 / (y * y);
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * y;
        wxy += weight * x * y;
    }
    let b = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    ((wy - b * wx) / w, b)
}

#[cfg(test)]
mod tests {
    use super::{BY_WIDTH, SRAM_65NM, SRAM_ESTIMATORS, at_size, estimate, residuals, scaling, width_factor};

    #[test]
    fn the_fit_stays_close_to_its_data() {
        for (bits, residuals) in residuals() {
            let [read, write, area] = residuals.map(f64::abs);
            assert!(read < 0.35 && write < 0.35 && area < 0.35, "{bits} bit: {residuals:?}");
        }
        let widest = BY_WIDTH[2].1;
        for (width, data) in BY_WIDTH {
            for (figure, (here, widest)) in data.into_iter().zip(widest).enumerate() {
                let fitted = width_factor(figure, width) / width_factor(figure, 64) / (here / widest);
                assert!((fitted - 1.0).abs() < 0.3, "{width} bit, figure {figure}: {fitted}");
            }
        }
    }

    #[test]
    fn a_larger_or_wider_memory_costs_more() {
        for figure in 0..3 {
            assert!((9..27).all(|power| at_size(figure, 1 << power) < at_size(figure, 1 << (power + 1))));
            assert!((3..11).all(|power| width_factor(figure, 1 << power) < width_factor(figure, 1 << (power + 1))));
        }
        assert_eq!(estimate("sram-6nm", 512, 32), None);
        assert!(estimate(SRAM_65NM, 8192, 32).is_some_and(|f| f.read_energy_pj > 3.0 && f.read_energy_pj < 5.0));
    }

    #[test]
    fn at_the_node_of_the_data_nothing_is_scaled_and_every_smaller_one_costs_less() {
        assert_eq!(scaling(65.0), Some((1.0, 1.0)));
        let all: Vec<_> = SRAM_ESTIMATORS.iter().map(|name| estimate(name, 1 << 16, 64).unwrap()).collect();
        for pair in all.windows(2) {
            assert!(pair[1].read_energy_pj < pair[0].read_energy_pj, "{pair:?}");
            assert!(
                pair[1].write_energy_pj < pair[0].write_energy_pj && pair[1].area_um2 < pair[0].area_um2,
                "{pair:?}"
            );
        }
        assert_eq!(scaling(6.9), None);
    }

    /// Node, size in bytes, width in bits, and energy of reading and of writing in pJ by CACTI 7 itself (HewlettPackard/cacti at 1ffd8df:
    /// `ram`, one read/write port, itrs-hp, 360 K, ED^2), which nothing was fitted to.
    const CACTI: [(u32, u64, u64, f64, f64); 20] = [
        (65, 2 << 10, 64, 3.916, 6.175),
        (65, 8 << 10, 64, 8.813, 11.46),
        (65, 32 << 10, 64, 24.91, 22.42),
        (65, 128 << 10, 64, 56.00, 37.56),
        (65, 1 << 20, 64, 125.4, 99.14),
        (45, 2 << 10, 64, 2.351, 3.516),
        (45, 8 << 10, 64, 5.288, 6.502),
        (45, 128 << 10, 64, 32.96, 21.16),
        (45, 128 << 10, 512, 77.80, 157.5),
        (45, 1 << 20, 512, 311.1, 352.8),
        (32, 8 << 10, 64, 2.908, 3.431),
        (32, 128 << 10, 64, 14.45, 10.58),
        (32, 8 << 10, 512, 12.81, 19.12),
        (32, 1 << 20, 512, 177.1, 195.3),
        (22, 2 << 10, 64, 0.603, 0.897),
        (22, 8 << 10, 64, 1.504, 1.686),
        (22, 128 << 10, 64, 7.495, 5.104),
        (22, 1 << 20, 64, 18.44, 15.95),
        (22, 8 << 10, 512, 6.699, 9.924),
        (22, 1 << 20, 512, 96.43, 102.9),
    ];

    #[test]
    fn estimates_stay_near_figures_that_nothing_was_fitted_to() {
        let at = |nm: u32, bytes: u64, width: u64| estimate(&format!("sram-{nm}nm"), 8 * bytes, width).unwrap();
        for (nm, bytes, width, read, write) in CACTI {
            let found = at(nm, bytes, width);
            let ratios = (found.read_energy_pj / read, found.write_energy_pj / write);
            assert!((0.55..1.8).contains(&ratios.0), "{nm} nm, {bytes} B, {width} bit: {ratios:?}");
            assert!((0.8..1.4).contains(&ratios.1), "{nm} nm, {bytes} B, {width} bit: {ratios:?}");
        }
        // Caches with their tags at 45 nm, 64 bit (Horowitz, ISSCC 2014).
        for (bytes, read) in [(8 << 10, 10.0), (32 << 10, 20.0), (1 << 20, 100.0)] {
            let ratio = at(45, bytes, 64).read_energy_pj / read;
            assert!((0.45..0.6).contains(&ratio), "{bytes} B: {ratio}");
        }
        // A port for reading and one for writing at 22 nm (KULeuven-MICAS/zigzag, `cacti_master/example_mem_pool.yaml`).
        for (bytes, width, read, write, area) in
            [(128, 8, 0.07396, 0.09969, 309.1), (2 << 20, 256, 134.9, 139.6, 3_665_050.0)]
        {
            let found = at(22, bytes, width);
            for ratio in [found.read_energy_pj / read, found.write_energy_pj / write, found.area_um2 / area] {
                assert!((0.4..2.4).contains(&ratio), "{bytes} B: {found:?}");
            }
        }
    }
}
