//! A cursor over the time of a schedule: drag, keys and play; below it the state of cores, links and memories at that
//! cycle.

use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::figures::player::{AnimationFrame, Player, Slider, Speed};
use crate::chart::CoresLanes;
use std::rc::Rc;
use yew::prelude::*;

/// Number of steps of playback over the whole schedule.
const STEPS: f64 = 240.0;
/// Positions of the slider.
const POSITIONS: f64 = 1000.0;

/// A cycle of a schedule.
#[derive(Clone)]
pub struct Moment {
    pub lanes: Rc<CoresLanes>,
    /// `None` before a person moves the cursor.
    pub cycle: Option<f64>,
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.lanes, &other.lanes) && self.cycle == other.cycle
    }
}

impl Moment {
    fn latency(&self) -> f64 {
        self.lanes.account.latency_cycles
    }

    fn time(&self) -> f64 {
        self.cycle.unwrap_or(0.0)
    }

    fn at(&self, cycle: f64) -> Self {
        Self { cycle: Some(cycle.clamp(0.0, self.latency().max(0.0))), ..self.clone() }
    }
}

/// Single steps go to the next begin or end of a tile; playback advances by equal parts.
impl AnimationFrame for Moment {
    const SPEEDS: &'static [Speed] = &[Speed { count: 16, unit: "step" }];

    fn before(&self) -> Option<Self> {
        Some(self.at(self.lanes.event(self.time(), false).unwrap_or(0.0)))
    }

    fn after(&self) -> Option<Self> {
        Some(self.at(self.lanes.event(self.time(), true).unwrap_or(self.latency())))
    }

    fn ahead(&self, count: u64, _unit: &str) -> Option<Self> {
        (self.time() < self.latency()).then(|| self.at(self.time() + count as f64 * self.latency() / STEPS))
    }

    fn rewound(&self, _unit: &str) -> Self {
        self.at(0.0)
    }
}

#[derive(Properties, PartialEq)]
pub struct TimeCursorProps {
    pub moment: Moment,
    pub is_playing: bool,
    pub player: Player<Moment>,
}

/// The controls of the cursor, and the table of its cycle.
#[component]
pub fn TimeCursor(props: &TimeCursorProps) -> Html {
    let TimeCursorProps { moment, player, .. } = props;
    let table = moment.lanes.moment(moment.time());
    let caption = table.caption.clone();
    let cycles = Slider {
        title: "Cycle",
        last: POSITIONS as u64,
        at: (moment.time() / moment.latency().max(1.0) * POSITIONS).round() as u64,
        told: caption.clone(),
        to: |moment: &Moment, position| moment.at(position as f64 / POSITIONS * moment.latency()),
        testid: "cursor-slider",
    };
    html! {
        <div class="time-cursor" data-testid="time-cursor">
            <div class="scrubber" role="group" aria-label="Time cursor">
                <div class="row">
                    { player.button("◂ tile", "The last begin or end of a tile", "cursor-back", Moment::before) }
                    { player.play_button("cursor-play") }
                    { player.button("tile ▸", "The next begin or end of a tile", "cursor-next", Moment::after) }
                </div>
                { player.slider(&cycles) }
                <output data-testid="cursor-cycle">{ caption }</output>
            </div>
            if moment.cycle.is_some() {
                <div class="scroll" tabindex="0" role="group" aria-label="What happens at this cycle">{ plain_table(table) }</div>
            }
        </div>
    }
}
