//! An answer to a step, from the page or a receipt.

use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::workload::Dim;
use serde::{Deserialize, Serialize};

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Given {
    /// The number of a choice, counted from 1.
    Choice(u32),
    /// A number, in the unit of the question.
    Number(f64),
    /// The heights of a curve, in the unit of its number.
    Curve(Vec<f64>),
    /// For each field of a task the number of its value, counted from 1.
    Values(Vec<u32>),
    /// A mapping made by hand.
    Mapping(MappingGiven),
}

/// A mapping made by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingGiven {
    /// Loops and their sizes, innermost first: `OX 4`.
    pub order: Vec<String>,
    /// For the output, then the inputs: the number of loops up to the end of each memory level.
    pub ends: [Vec<u32>; 3],
}

impl From<&TemporalMapping> for MappingGiven {
    fn from(mapping: &TemporalMapping) -> Self {
        let order = mapping.order.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
        let ends = mapping.ends.each_ref().map(|ends| ends.iter().map(|end| *end as u32).collect());
        Self { order, ends }
    }
}

impl MappingGiven {
    /// Limit on the loops of a mapping.
    const MOST_LOOPS: usize = 1000;

    /// The mapping; `None` if it is malformed.
    pub fn mapping(&self) -> Option<TemporalMapping> {
        if self.order.len() > Self::MOST_LOOPS || self.ends.iter().any(|ends| ends.len() > Self::MOST_LOOPS) {
            return None;
        }
        let one = |text: &String| {
            let (dim, size) = text.split_once(' ')?;
            let size = size.trim().parse().ok().filter(|size| *size > 0)?;
            Some(TemporalLoop { dim: Dim::from_name(dim)?, size })
        };
        let order = self.order.iter().map(one).collect::<Option<_>>()?;
        let ends = self.ends.each_ref().map(|ends| ends.iter().map(|end| *end as usize).collect());
        Some(TemporalMapping { order, ends })
    }
}
