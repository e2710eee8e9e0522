//! All different orders of a multiset.

/// Number of different orders of `items`, in which equal ones have to lie side by side; `u64::MAX` where there are
/// more.
pub fn count_orders<T: PartialEq>(items: &[T]) -> u64 {
    let (mut orders, mut equal) = (1_u128, 0);
    for (index, item) in items.iter().enumerate() {
        equal = if index > 0 && items[index - 1] == *item { equal + 1 } else { 1 };
        // Multinomial coefficients of ever more items: whole numbers that never fall.
        orders = orders * (index as u128 + 1) / equal;
        if orders > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    orders as u64
}

/// Turns `items` into the next larger order; `false` after the largest. Starting from ascending order it passes through
/// every different order once (D. Knuth, The Art of Computer Programming 7.2.1.2, Algorithm L).
pub fn next_permutation<T: Ord>(items: &mut [T]) -> bool {
    // The tail behind the pivot descends: it is in its last order. The pivot goes up by the least possible step, and
    // the tail begins again in its first order, ascending.
    let Some(pivot) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let Some(successor) = items.iter().rposition(|item| *item > items[pivot]) else { return false };
    items.swap(pivot, successor);
    items[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::{count_orders, next_permutation};

    #[test]
    fn every_order_of_a_multiset_comes_once() {
        for (mut items, count) in [(vec![], 1), (vec![1], 1), (vec![1, 1, 2], 3), (vec![1, 2, 2, 3, 3], 30)] {
            let mut seen = std::collections::HashSet::from([items.clone()]);
            while next_permutation(&mut items) {
                assert!(seen.insert(items.clone()), "{items:?} came twice");
            }
            assert_eq!(seen.len(), count);
            items.sort_unstable();
            assert_eq!(count_orders(&items), count as u64);
        }
    }

    #[test]
    fn orders_beyond_a_number_are_the_largest_number() {
        assert_eq!(count_orders(&(0..20).collect::<Vec<_>>()), 2_432_902_008_176_640_000);
        assert_eq!(count_orders(&(0..21).collect::<Vec<_>>()), u64::MAX);
        assert_eq!(count_orders(&[7; 1000]), 1);
    }
}
