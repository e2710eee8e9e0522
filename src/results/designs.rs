//! The set of designs that were read.

use std::collections::BTreeMap;

/// Design indices as ranges: end by start. Results are ordered by design, so there are few ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Designs(BTreeMap<u64, u64>);

impl Designs {
    /// Adds a design; `false` if it is in the set already.
    pub fn add(&mut self, design: u64) -> bool {
        let before = self.0.range(..=design).next_back().map(|(&start, &end)| (start, end));
        let start = match before {
            Some((_, end)) if end > design => return false,
            Some((start, end)) if end == design => start,
            _ => design,
        };
        let end = self.0.remove(&(design + 1)).unwrap_or(design + 1);
        self.0.insert(start, end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Designs;

    #[test]
    fn each_is_added_once_in_whatever_order() {
        let mut designs = Designs::default();
        let order = [5, 6, 4, 0, 9, 7, 8];
        assert!(order.iter().all(|&design| designs.add(design)));
        assert_eq!(designs.0.iter().collect::<Vec<_>>(), [(&0, &1), (&4, &10)]);
        assert!(order.iter().all(|&design| !designs.add(design)));
    }
}
