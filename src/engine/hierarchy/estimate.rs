//! Estimates of SRAMs of arbitrary sizes: a fit to published figures. A figure from here is always called an estimate.
//!
//! Data: the memory pools with which the authors of ZigZag shipped their first public tool (ZigZag-Project/zigzag-v1,
//! `inputs/memory_pool_exploration.yaml` and `test/files/base/memory_pool_exploration.yaml`, words of 32 bit), and,
//! for the word width, Table IV of the paper (one size at 8, 16 and 64 bit). Both are CACTI 7 at 65 nm as the paper
//! says; the files themselves state neither tool nor node.
//!
//! Energy grows with the length of the wires, so with the root of the size: `a + b sqrt(bits)`; area grows with the size on
//! top of what decoders and amplifiers take: `a + b bits`. Both are scaled by `1 + c (width - 32)` for another
//! width. Each line minimises the squares of the relative residuals, which [`residuals`] lists.

use super::pool::Figures;

/// Name of the fit.
pub const SRAM_65NM: &str = "sram-65nm";

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

/// The figures of an SRAM by the fit called `name`; `None` if there is none of this name.
pub fn estimate(name: &str, size_bits: u64, width_bits: u64) -> Option<Figures> {
    let [read_energy_pj, write_energy_pj, area_um2] =
        [0, 1, 2].map(|figure| at_size(figure, size_bits) * width_factor(figure, width_bits));
    (name == SRAM_65NM).then_some(Figures { read_energy_pj, write_energy_pj, area_um2 })
}

/// For every size that was fitted, what the fit makes of read energy, write energy and area, relative to the data.
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
    use super::{BY_WIDTH, SRAM_65NM, at_size, estimate, residuals, width_factor};

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
            assert!((9..25).all(|power| at_size(figure, 1 << power) < at_size(figure, 1 << (power + 1))));
            assert!((3..9).all(|power| width_factor(figure, 1 << power) < width_factor(figure, 1 << (power + 1))));
        }
        assert_eq!(estimate("sram-7nm", 512, 32), None);
        assert!(estimate(SRAM_65NM, 8192, 32).is_some_and(|f| f.read_energy_pj > 3.0 && f.read_energy_pj < 5.0));
    }
}
