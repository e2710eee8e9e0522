//! The loops of a layer, step by step: the steps, and the effect of sliders, keys and drags over a loop.

use super::animation::{AnimatedFigure, Animation, FigureLabels, use_animation};
use super::data_table::{Twin, plain_table};
use super::figure::Drawn;
use super::player::{AnimationFrame, Slider, Speed};
use super::save::{FileContent, Save, WIDTH};
use crate::app::widgets::forms::controls::{ChoiceOption, Picker};
use crate::chart::{Chart, LoopStep, group_thousands};
use crate::cost::LoopTrace;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct LoopTraceFigureProps {
    pub trace: Rc<LoopTrace>,
    pub layer: Rc<str>,
}

impl PartialEq for LoopTraceFigureProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.trace, &other.trace) && self.layer == other.layer
    }
}

fn last(now: &LoopStep) -> u64 {
    now.trace.steps(now.depth).saturating_sub(1)
}

/// The given step, or the last if it is beyond.
fn at(now: &LoopStep, step: u64) -> LoopStep {
    LoopStep { step: step.min(last(now)), ..now.clone() }
}

/// Changes the number of loops that run through within one step; the current iteration stays in sight.
fn with_depth(now: &LoopStep, depth: usize) -> LoopStep {
    let iterations = |depth: usize| (now.trace.cycles(depth) / now.trace.iteration_cycles.max(1)).max(1);
    let depth = depth.min(now.trace.order.len());
    at(&LoopStep { depth, ..now.clone() }, now.step * iterations(now.depth) / iterations(depth))
}

/// Number of steps in one full turn of the next `loops` outer loops.
fn turn(now: &LoopStep, loops: usize) -> u64 {
    now.trace.order.iter().skip(now.depth).take(loops).map(|next| next.size).product()
}

impl AnimationFrame for LoopStep {
    const SPEEDS: &'static [Speed] = &[
        Speed { count: 2, unit: "step" },
        Speed { count: 8, unit: "step" },
        Speed { count: 60, unit: "step" },
        Speed { count: 1000, unit: "step" },
    ];

    fn before(&self) -> Option<Self> {
        Some(at(self, self.step.checked_sub(1)?))
    }

    fn after(&self) -> Option<Self> {
        self.ahead(1, "")
    }

    fn ahead(&self, count: u64, _unit: &str) -> Option<Self> {
        (self.step < last(self)).then(|| at(self, self.step.saturating_add(count)))
    }

    fn rewound(&self, _unit: &str) -> Self {
        at(self, 0)
    }

    fn kept(&self, start: &Self) -> Option<Self> {
        let is_same = self.trace.order == start.trace.order && self.layer == start.layer;
        is_same.then(|| LoopStep { depth: self.depth, step: self.step, ..start.clone() })
    }
}

impl AnimatedFigure for LoopStep {
    /// Index of the loop under the drag.
    type Grip = usize;
    const LABELS: FigureLabels = FigureLabels {
        testid: "turns",
        keys: "Loops, step by step: left and right arrow lead from step to step, up and down by a turn of the next outer loop, page up \
               and page down by a turn of the one after it, Home to the first step, End to the last",
        steps: "Steps of the loops",
        buttons: ["The step before", "The next step"],
    };

    fn keyed(&self, key: &str) -> Option<Self> {
        Some(match key {
            "ArrowDown" => at(self, self.step.saturating_add(turn(self, 1))),
            "ArrowUp" => at(self, self.step.saturating_sub(turn(self, 1))),
            "PageDown" => at(self, self.step.saturating_add(turn(self, 2))),
            "PageUp" => at(self, self.step.saturating_sub(turn(self, 2))),
            "Home" => at(self, 0),
            "End" => at(self, u64::MAX),
            _ => return None,
        })
    }

    fn pressed(&self, place: (f64, f64), width: u32) -> Option<(Self, Option<usize>)> {
        let hit = self.hit(place.0, place.1, width)?;
        if hit.place < self.depth {
            return Some((with_depth(self, hit.place), None));
        }
        Some((at(self, self.step_at(hit)), Some(hit.place)))
    }

    fn dragged(&self, grip: usize, place: (f64, f64), width: u32) -> Option<Self> {
        Some(at(self, self.step_along(grip, place.0, width)?))
    }
}

/// The figure and its controls. Another layer begins at its first step.
#[component]
pub fn LoopTraceFigure(props: &LoopTraceFigureProps) -> Html {
    let start = LoopStep::new(Rc::clone(&props.trace), Rc::clone(&props.layer));
    let stage = use_animation(start, (), None);
    let (now, settled) = (stage.player.now(), stage.settled.clone());
    let table = use_callback(settled.clone(), |(), settled| plain_table(settled.table()));
    html! {
        <figure
            data-testid="turns-figure"
            data-step={now.step.to_string()}
            data-steps={now.trace.steps(now.depth).to_string()}
            data-depth={now.depth.to_string()}
        >
            <figcaption class="sr-only">{ "Loops of a layer, and what lies in each memory" }</figcaption>
            { stage.view() }
            { scrubber(&stage, &now) }
            <div class="saves"><Save what={FileContent::Figure(Drawn::new(settled), WIDTH)} /></div>
            <Twin label="what lies where as a table" cells={usize::MAX} {table} />
        </figure>
    }
}

/// A slider over the steps, and a list of what one step covers.
fn scrubber(stage: &Animation<LoopStep>, now: &LoopStep) -> Html {
    let steps =
        Slider { title: "step", last: last(now), at: now.step, told: now.title(), to: at, testid: "turns-steps" };
    let ondepth = {
        let player = stage.player.clone();
        Callback::from(move |value: String| {
            value.parse().into_iter().for_each(|depth| player.look(with_depth(&player.now(), depth)));
        })
    };
    let depths: Vec<ChoiceOption> = (0..now.trace.order.len())
        .rev()
        .map(|depth| {
            let next = now.trace.order[depth];
            let steps = group_thousands(now.trace.steps(depth));
            ChoiceOption::new(depth.to_string(), format!("{} {}: {steps} steps", next.dim, next.size))
        })
        .collect();
    let depth = html! {
        <label>
            <span>{ "a step turns" }</span>
            <Picker choices={depths} value={now.depth.to_string()} onchange={ondepth} testid="turns-depth" />
        </label>
    };
    stage.scrubber(vec![steps], depth)
}
