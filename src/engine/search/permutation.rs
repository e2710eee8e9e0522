//! All different orders of a multiset.

/// Turns `items` into the next larger order; `false` after the largest.
///
/// Starting from ascending order it passes through every different order once.
pub fn next_permutation<T: Ord>(items: &mut [T]) -> bool {
    let Some(pivot) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let Some(successor) = items.iter().rposition(|item| *item > items[pivot]) else { return false };
    items.swap(pivot, successor);
    items[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::next_permutation;

    #[test]
    fn every_order_of_a_multiset_comes_once() {
        for (mut items, count) in [(vec![], 1), (vec![1], 1), (vec![1, 1, 2], 3), (vec![1, 2, 2, 3, 3], 30)] {
            let mut seen = std::collections::HashSet::from([items.clone()]);
            while next_permutation(&mut items) {
                assert!(seen.insert(items.clone()), "{items:?} came twice");
            }
            assert_eq!(seen.len(), count);
        }
    }
}
