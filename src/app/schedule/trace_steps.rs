//! The steps of the trace of a stack: one layer in one tile; and the effect of keys and of drags over a map.

use crate::app::widgets::figures::animation::{AnimatedFigure, FigureLabels};
use crate::app::widgets::figures::player::{AnimationFrame, Speed};
use crate::chart::{StackHit, StackStep};
use crate::depth_first::{NodeId, TraceStep};
use std::rc::Rc;

/// The unit of playback tile by tile, at the current layer; all other playback is layer by layer.
const TILE: &str = "tile";

fn last_tile(now: &StackStep) -> u64 {
    now.traced.trace.tile_count().saturating_sub(1)
}

fn at(now: &StackStep, step: TraceStep) -> StackStep {
    StackStep { step, ..now.clone() }
}

/// The current layer in another tile, or in the last one.
pub fn at_tile(now: &StackStep, tile: u64) -> StackStep {
    at(now, TraceStep { tile: tile.min(last_tile(now)), ..now.step })
}

/// Another layer in the current tile, or the last one.
pub fn at_layer(now: &StackStep, node: u64) -> StackStep {
    let last = now.traced.trace.maps.len().saturating_sub(1);
    at(now, TraceStep { node: NodeId::from(last.min(node as usize)), ..now.step })
}

impl AnimationFrame for StackStep {
    const SPEEDS: &'static [Speed] = &[
        Speed { count: 1, unit: "layer" },
        Speed { count: 4, unit: "layer" },
        Speed { count: 4, unit: TILE },
        Speed { count: 30, unit: TILE },
        Speed { count: 600, unit: TILE },
    ];

    fn before(&self) -> Option<Self> {
        Some(at(self, self.traced.trace.before(self.step)?))
    }

    fn after(&self) -> Option<Self> {
        Some(at(self, self.traced.trace.after(self.step)?))
    }

    fn ahead(&self, count: u64, unit: &str) -> Option<Self> {
        if unit == TILE {
            return (self.step.tile < last_tile(self)).then(|| at_tile(self, self.step.tile.saturating_add(count)));
        }
        let mut steps = std::iter::successors(self.after(), Self::after).take(count as usize);
        steps.next().map(|next| steps.last().unwrap_or(next))
    }

    fn rewound(&self, unit: &str) -> Self {
        if unit == TILE { at_tile(self, 0) } else { at(self, TraceStep::default()) }
    }

    fn kept(&self, start: &Self) -> Option<Self> {
        let (before, after) = (&self.traced.trace, &start.traced.trace);
        (Rc::ptr_eq(before, after) || before == after).then(|| at(start, self.step))
    }
}

impl AnimatedFigure for StackStep {
    /// Nothing but a map can be dragged.
    type Grip = ();
    const LABELS: FigureLabels = FigureLabels {
        testid: "motion",
        keys: "Data in motion: left and right arrow lead from layer to layer, up and down from tile to tile, page up and page down \
               to the row of tiles above and below, Home to the first step, End to the last",
        steps: "Steps",
        buttons: ["The layer before", "The next layer"],
    };

    fn keyed(&self, key: &str) -> Option<Self> {
        let (tile, columns) = (self.step.tile, self.traced.trace.columns.len() as u64);
        Some(match key {
            "ArrowDown" => at_tile(self, tile.saturating_add(1)),
            "ArrowUp" => at_tile(self, tile.saturating_sub(1)),
            "PageDown" => at_tile(self, tile.saturating_add(columns)),
            "PageUp" => at_tile(self, tile.saturating_sub(columns)),
            "Home" => at(self, TraceStep::default()),
            "End" => at_layer(&at_tile(self, u64::MAX), u64::MAX),
            _ => return None,
        })
    }

    fn pressed(&self, place: (f64, f64), width: u32) -> Option<(Self, Option<()>)> {
        Some(match self.hit(place.0, place.1, width)? {
            StackHit::Tile(tile) => (at_tile(self, tile), Some(())),
            StackHit::Node(node) => (at_layer(self, node.index() as u64), None),
        })
    }

    fn dragged(&self, (): (), place: (f64, f64), width: u32) -> Option<Self> {
        match self.hit(place.0, place.1, width)? {
            StackHit::Tile(tile) => Some(at_tile(self, tile)),
            StackHit::Node(_) => None,
        }
    }
}
