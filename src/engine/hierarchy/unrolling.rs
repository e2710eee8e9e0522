//! A few ways to unroll convolutions over the array, to compare hierarchies under them (ZigZag, Fig. 20).

use super::chains::Chains;
use super::study::HierarchyProblem;
use crate::hardware::{ArrayDimId, Unroll};
use crate::sorting::sort_by_key;
use crate::workload::{Dim, LayerKind};
use serde::{Deserialize, Serialize};

/// The loops that are worth unrolling in a convolution, in the order of the figure.
const LOOPS: [Dim; 4] = [Dim::OX, Dim::OY, Dim::K, Dim::C];

/// One way to unroll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HierarchyUnrolling {
    /// For a person: `OX 8 | K 8`.
    pub title: String,
    /// The loops over the two largest array dimensions; others stay as they are.
    pub loops: [Unroll; 2],
}

/// Every pair of loops over the two largest dimensions of the study's array; none if it has only one.
pub fn unrollings(study: &HierarchyProblem) -> Vec<HierarchyUnrolling> {
    let mut dims: Vec<ArrayDimId> = study.core.array.keys().filter(|&dim| study.core.array[dim].1 > 1).collect();
    sort_by_key(&mut dims, |&dim| std::cmp::Reverse(study.core.array[dim].1));
    let (Some(&a), Some(&b)) = (dims.first(), dims.get(1)) else { return Vec::new() };
    let loop_over = |array_dim: ArrayDimId, dim: Dim| Unroll { array_dim, dim, limit: study.core.array[array_dim].1 };
    let mut all = Vec::new();
    for (index, &first) in LOOPS.iter().enumerate() {
        for &second in &LOOPS[index + 1..] {
            let loops = [loop_over(a, first), loop_over(b, second)];
            let title = loops.map(|part| format!("{} {}", part.dim, part.limit)).join(" | ");
            all.push(HierarchyUnrolling { title, loops });
        }
    }
    all
}

impl HierarchyProblem {
    /// A study of these hierarchies with another unrolling of the layers; layers without input channels keep theirs.
    #[must_use]
    pub fn unrolled(&self, unrolling: &HierarchyUnrolling) -> Self {
        // Known bounds are those of the other unrolling.
        let mut study = self.clone();
        study.chains = Chains::default();
        for layer in &mut study.layers {
            if !matches!(layer.shape.kind, LayerKind::Conv | LayerKind::Pointwise | LayerKind::FullyConnected) {
                continue;
            }
            let is_other = |part: &Unroll| unrolling.loops.iter().all(|new| new.array_dim != part.array_dim);
            layer.unroll.retain(is_other);
            layer.unroll.extend(unrolling.loops);
        }
        study
    }
}
