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

/// The numbers of the points of a front, by ascending abscissa, that are corners of its lower convex hull.
pub fn lower_hull(points: usize, at: impl Fn(usize) -> (f64, f64)) -> Vec<usize> {
    let mut hull: Vec<usize> = Vec::new();
    for number in 0..points {
        let (x, y) = at(number);
        while let [.., before, last] = hull[..] {
            let ((x0, y0), (x1, y1)) = (at(before), at(last));
            // The last corner stays if it lies below the straight line from the one before to this point.
            if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0) {
                break;
            }
            hull.pop();
        }
        hull.push(number);
    }
    hull
}

/// The numbers of the points (energy, latency) of a front, by ascending energy, that are corners of its lower convex
/// hull and have the least energy and weighted latency for some weight of a range.
pub fn corners_between(points: usize, (least, most): (f64, f64), at: impl Fn(usize) -> (f64, f64)) -> Vec<usize> {
    let hull = lower_hull(points, &at);
    // By ascending energy, corners are best for a growing weight.
    let weights: Vec<f64> = hull.windows(2).map(|pair| slope_between(at(pair[0]), at(pair[1]))).collect();
    let begin = weights.partition_point(|weight| *weight < least);
    let end = weights.partition_point(|weight| *weight <= most);
    hull.get(begin..=end).unwrap_or_default().to_vec()
}

/// The slope between two points of a front (energy, latency): the energy that each cycle more saves.
pub fn slope_between((energy, latency): (f64, f64), (other_energy, other_latency): (f64, f64)) -> f64 {
    (other_energy - energy) / (latency - other_latency)
}
