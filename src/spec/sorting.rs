//! Stable sorting that is in the module once, not once per type: the standard library's takes some 10 kB each time, and
//! the page sorts short lists of many types. Where time counts (`search`, `cost`, `mapping`) the standard library's is
//! used.

use std::cmp::Ordering;

/// Sorts `items`; equal ones keep their order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = sorted(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// Sorts `items` by `key`; equal ones keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts a list of few items, some tens, where time counts; equal ones keep their order. By insertion, which is quick for so few and
/// a hundredth of the code.
pub fn sort_few_by_key<T, K: PartialOrd>(items: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..items.len() {
        let mut place = end;
        while place > 0 && key(&items[place]) < key(&items[place - 1]) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// Indices in the order that `compare` asks for.
fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Puts item `order[place]` at every place.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for place in 0..items.len() {
        // Where the item went meanwhile, if it had to make room.
        let mut from = order[place];
        while from < place {
            from = order[from];
        }
        items.swap(place, from);
        order[place] = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut state = 7_u64;
        for count in 0..200 {
            let mut items: Vec<(u64, usize)> = (0..count)
                .map(|index| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % 20, index)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let mut few = items.clone();
            sort_by_key(&mut items, |item| item.0);
            sort_few_by_key(&mut few, |item| item.0);
            assert_eq!((&items, &few), (&expected, &expected));
        }
    }
}
