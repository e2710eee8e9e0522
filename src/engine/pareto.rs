//! Pareto fronts: items that no other one dominates.

use std::cmp::Ordering;

/// Whether one item dominates another, by how each of its objectives compares: nowhere greater, and less in something.
pub fn dominates(objectives: impl IntoIterator<Item = Option<Ordering>>) -> bool {
    let mut is_less = false;
    for order in objectives {
        match order {
            Some(Ordering::Less) => is_less = true,
            Some(Ordering::Equal) => {}
            Some(Ordering::Greater) | None => return false,
        }
    }
    is_less
}

/// Whether an item belongs on a front, as none of its items dominates it. Those that it dominates leave the front.
pub fn admits<T>(front: &mut Vec<T>, new: &T, dominates: impl Fn(&T, &T) -> bool) -> bool {
    if front.iter().any(|old| dominates(old, new)) {
        return false;
    }
    front.retain(|old| !dominates(new, old));
    true
}
