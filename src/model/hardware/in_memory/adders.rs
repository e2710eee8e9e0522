//! A tree of ripple-carry adders for one column of a digital macro.

use super::circuit::{adder_pj, half_active_adder_pj};

/// Full adders of a tree: one for each bit of each of its adders, by the inputs that may be other than 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActiveAdders {
    /// Both inputs may be other than 0.
    pub full: u64,
    /// Only one may.
    pub half: u64,
}

impl ActiveAdders {
    /// Energy of one sum, pJ.
    pub fn pj(self) -> f64 {
        self.full as f64 * adder_pj() + self.half as f64 * half_active_adder_pj()
    }
}

/// Full adders of a tree over 2^`depth` inputs of `bits` bits. At each step towards its root numbers are a bit longer.
pub fn adders(bits: u64, depth: u32) -> u64 {
    active_adders(bits, depth, 1 << depth).full
}

/// The full adders that work when only the first `active` inputs do.
pub fn active_adders(bits: u64, depth: u32, active: u64) -> ActiveAdders {
    let mut all = ActiveAdders::default();
    let mut left = active;
    // Down from the root: of the two halves of a tree, the first is full or the second is empty.
    for below in (0..depth).rev() {
        let half = 1 << below;
        let width = bits + u64::from(below);
        if left == 0 {
            break;
        }
        if left > half {
            all.full += width + whole_tree(bits, below);
            left -= half;
        } else {
            all.half += width;
        }
    }
    // The rest fills a tree of one input, or is all of the last tree.
    all
}

/// Full adders of a whole tree.
fn whole_tree(bits: u64, depth: u32) -> u64 {
    (1..=depth).map(|level| (bits + u64::from(level) - 1) << (depth - level)).sum()
}

#[cfg(test)]
mod tests {
    use super::{ActiveAdders, active_adders, adders};

    /// Adder by adder.
    fn counted(bits: u64, depth: u32, active: u64) -> ActiveAdders {
        let mut all = ActiveAdders::default();
        let mut working: Vec<bool> = (0..1_u64 << depth).map(|input| input < active).collect();
        for level in 0..depth {
            let width = bits + u64::from(level);
            working = working
                .chunks(2)
                .map(|pair| {
                    match (pair[0], pair[1]) {
                        (true, true) => all.full += width,
                        (false, false) => {}
                        _ => all.half += width,
                    }
                    pair[0] || pair[1]
                })
                .collect();
        }
        all
    }

    #[test]
    fn active_adders_are_those_that_something_enters() {
        for depth in 0..7 {
            for bits in [1, 4, 8] {
                for active in 0..=1 << depth {
                    assert_eq!(active_adders(bits, depth, active), counted(bits, depth, active), "{depth} {active}");
                }
                assert_eq!(adders(bits, depth), counted(bits, depth, 1 << depth).full);
            }
        }
    }
}
