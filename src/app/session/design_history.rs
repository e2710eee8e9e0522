//! The last designs with complete sweeps: the baseline of the current design, and designs to go back to.

use crate::app::workers::results::SweepResults;
use crate::state::State;
use std::rc::Rc;

/// Limit on the frames.
const MOST_FRAMES: usize = 8;

/// A design with its results.
#[derive(Debug, Clone)]
pub struct SettledDesign {
    pub state: Rc<State>,
    pub results: Rc<SweepResults>,
    /// Number of the edit that led to it: a drag is one edit, whatever the number of designs that it passes.
    edit: usize,
}

impl PartialEq for SettledDesign {
    fn eq(&self, other: &Self) -> bool {
        // A frame never changes, and comparing all results of eight designs would take long.
        Rc::ptr_eq(&self.state, &other.state) && Rc::ptr_eq(&self.results, &other.results) && self.edit == other.edit
    }
}

/// The last designs, the oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DesignHistory {
    frames: Vec<SettledDesign>,
    /// Index of the frame that was completed last.
    current: Option<usize>,
    /// The frame before the edit that led to it.
    before: Option<SettledDesign>,
}

impl DesignHistory {
    /// The oldest first.
    pub fn frames(&self) -> &[SettledDesign] {
        &self.frames
    }

    /// Index of the frame that was completed last.
    pub fn current(&self) -> Option<usize> {
        self.current
    }

    /// Records that the sweep of a design is complete; `edit` counts the edits that led to it.
    pub fn settle(&mut self, state: &Rc<State>, results: &Rc<SweepResults>, edit: usize) {
        let here = self.current.and_then(|index| self.frames.get(index)).cloned();
        let frame = SettledDesign { state: Rc::clone(state), results: Rc::clone(results), edit };
        if let Some((index, known)) =
            self.frames.iter_mut().enumerate().find(|(_, known)| known.state.design == state.design)
        {
            *known = frame;
            if self.current != Some(index) {
                (self.before, self.current) = (here, Some(index));
            }
            return;
        }
        match (here, self.current.and_then(|index| self.frames.get_mut(index))) {
            // The first frame, the initial design, is never replaced.
            (Some(here), Some(place)) if here.edit == edit && edit > 0 => *place = frame,
            (here, _) => {
                self.frames.push(frame);
                if self.frames.len() > MOST_FRAMES {
                    self.frames.remove(0);
                }
                (self.before, self.current) = (here, Some(self.frames.len() - 1));
            }
        }
    }

    /// The baseline of a design: the frame before the edit that led to it. `None` if another network was chosen.
    pub fn before(&self, state: &State, edit: usize) -> Option<&SettledDesign> {
        let here = self.current.and_then(|index| self.frames.get(index))?;
        let is_here = here.state.design == state.design || (here.edit == edit && edit > 0);
        let before = if is_here { self.before.as_ref() } else { Some(here) };
        before.filter(|frame| frame.state.design.workload.text == state.design.workload.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Action, Half, ScheduleField};

    fn state(tiles: &str) -> Rc<State> {
        let mut state = State::first();
        state.apply(Action::Schedule(ScheduleField::TilesX(tiles.to_owned())));
        Rc::new(state)
    }

    fn settle(design_history: &mut DesignHistory, tiles: &str, edit: usize) {
        design_history.settle(&state(tiles), &Rc::default(), edit);
    }

    fn tiles(design_history: &DesignHistory) -> Vec<&str> {
        design_history.frames().iter().map(|frame| frame.state.design.schedule.tiles_x.as_str()).collect()
    }

    fn before(design_history: &DesignHistory, at: &str, edit: usize) -> Option<String> {
        design_history.before(&state(at), edit).map(|frame| frame.state.design.schedule.tiles_x.clone())
    }

    #[test]
    fn the_designs_that_a_drag_passes_are_one_frame() {
        let mut design_history = DesignHistory::default();
        settle(&mut design_history, "1", 0);
        assert_eq!(before(&design_history, "1", 0), None);
        for passed in ["2", "4", "8"] {
            // While nothing is known of it, and afterwards, the baseline is the design before the drag.
            assert_eq!(before(&design_history, passed, 1).as_deref(), Some("1"));
            settle(&mut design_history, passed, 1);
            assert_eq!(before(&design_history, passed, 1).as_deref(), Some("1"));
        }
        assert_eq!(tiles(&design_history), ["1", "8"]);
        settle(&mut design_history, "9", 2);
        assert_eq!(tiles(&design_history), ["1", "8", "9"]);
        assert_eq!(before(&design_history, "9", 2).as_deref(), Some("8"));
    }

    #[test]
    fn going_back_adds_no_frame_and_compares_with_where_one_came_from() {
        let mut design_history = DesignHistory::default();
        for (edit, tiles) in ["1", "2", "3"].into_iter().enumerate() {
            settle(&mut design_history, tiles, edit);
        }
        settle(&mut design_history, "1", 3);
        assert_eq!((tiles(&design_history), design_history.current()), (vec!["1", "2", "3"], Some(0)));
        assert_eq!(before(&design_history, "1", 3).as_deref(), Some("3"));
    }

    #[test]
    fn the_oldest_frames_make_room_and_another_network_is_not_compared() {
        let mut design_history = DesignHistory::default();
        for edit in 0..20 {
            settle(&mut design_history, &edit.to_string(), edit);
        }
        assert_eq!(tiles(&design_history).len(), MOST_FRAMES);
        assert_eq!(tiles(&design_history).last(), Some(&"19"));
        let mut other = State::first();
        other.apply(Action::preset(Half::Workload, "mobilenet-v1").unwrap());
        assert_eq!(design_history.before(&other, 20), None);
    }
}
