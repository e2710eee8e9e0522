//! The steps of the trace of attention: a tile of queries that meets a tile of keys, or a stage of a block around
//! attention; and the effect of keys and of drags over the scores.

use crate::app::widgets::figures::animation::{AnimatedFigure, FigureLabels};
use crate::app::widgets::figures::player::{AnimationFrame, Speed};
use crate::attention::Stage;
use crate::chart::AttentionStep;
use crate::explore::AttentionTrace;
use std::rc::Rc;

pub fn last(now: &AttentionStep) -> u64 {
    now.of.steps.count().saturating_sub(1)
}

/// The given step, or the last if it is beyond.
pub fn at(now: &AttentionStep, number: u64) -> AttentionStep {
    AttentionStep { number: number.min(last(now)), ..now.clone() }
}

/// Index of the tile of queries of a step.
pub fn tile_of(now: &AttentionStep) -> u64 {
    now.step().map_or(0, |step| step.tile as u64)
}

/// The step of another tile of queries at the same tile of keys, as far as they meet.
pub fn at_tile(now: &AttentionStep, tile: u64) -> AttentionStep {
    let steps = &now.of.steps;
    let tile = steps.tiles.len().saturating_sub(1).min(tile as usize);
    let number = now.step().and_then(|step| steps.number_at(step.pass, tile, step.keys.0, step.stage, step.head_tile));
    at(now, number.unwrap_or(now.number))
}

/// The initial step: the second tile of keys of the last tile of queries, if it exists, as there something is
/// corrected.
pub fn first_step(of: Rc<AttentionTrace>) -> AttentionStep {
    let steps = &of.steps;
    let last = steps.tiles.len().saturating_sub(1);
    let second = steps.tiles.get(last).map(|tile| steps.schedule().keys + tile.key);
    let number = second.and_then(|key| steps.number_at(0, last, key, Stage::All, 0));
    AttentionStep { number: number.unwrap_or(0), of }
}

impl AnimationFrame for AttentionStep {
    const SPEEDS: &'static [Speed] = &[
        Speed { count: 1, unit: "step" },
        Speed { count: 4, unit: "step" },
        Speed { count: 30, unit: "step" },
        Speed { count: 600, unit: "step" },
    ];

    fn before(&self) -> Option<Self> {
        Some(at(self, self.number.checked_sub(1)?))
    }

    fn after(&self) -> Option<Self> {
        self.ahead(1, "")
    }

    fn ahead(&self, count: u64, _unit: &str) -> Option<Self> {
        (self.number < last(self)).then(|| at(self, self.number.saturating_add(count)))
    }

    fn rewound(&self, _unit: &str) -> Self {
        at(self, 0)
    }
}

impl AnimatedFigure for AttentionStep {
    /// Nothing but the scores can be dragged.
    type Grip = ();
    const LABELS: FigureLabels = FigureLabels {
        testid: "attention-motion",
        keys: "Attention in motion: left and right arrow lead from step to step, up and down to the tile of queries above and below, \
               Home to the first step, End to the last",
        steps: "Steps",
        buttons: ["The step before", "The next step"],
    };

    fn keyed(&self, key: &str) -> Option<Self> {
        Some(match key {
            "ArrowDown" => at_tile(self, tile_of(self) + 1),
            "ArrowUp" => at_tile(self, tile_of(self).saturating_sub(1)),
            "Home" => at(self, 0),
            "End" => at(self, u64::MAX),
            _ => return None,
        })
    }

    fn pressed(&self, place: (f64, f64), width: u32) -> Option<(Self, Option<()>)> {
        Some((self.dragged((), place, width)?, Some(())))
    }

    /// The step that computes the score at a place.
    fn dragged(&self, (): (), place: (f64, f64), width: u32) -> Option<Self> {
        let (query, key) = self.hit(place.0, place.1, width)?;
        let steps = &self.of.steps;
        let tile = steps.tiles.partition_point(|tile| tile.query + tile.size <= query);
        let step = self.step()?;
        let stage = if step.stage.is_attention() { step.stage } else { Stage::All };
        let number = steps.number_at(step.pass, tile, key, stage, step.head_tile);
        Some(number.map_or_else(|| self.clone(), |number| at(self, number)))
    }
}
