//! Undo and redo: a bounded history of states.

use super::kind::{Field, Kind};
use super::{Design, Document, State, View};

/// Keystrokes in one field that follow each other within this time are one edit, milliseconds.
const ONE_EDIT_MS: f64 = 1000.0;
/// Edits that can be undone.
const MOST_STEPS: usize = 200;
/// Bytes of text that a history holds, at most; one step is kept however large it is.
const MOST_BYTES: usize = 16 << 20;

/// The history of edits: states to undo, and states to redo.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
    /// The field of the last keystroke, and when it was, milliseconds.
    typing: Option<(Field, f64)>,
    /// Edits that were made so far, whether or not they were taken back.
    edits: usize,
}

/// One edit.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    /// The state on its other side.
    state: State,
    /// The way of looking there, where the edit changed that, too.
    view: Option<View>,
}

impl History {
    /// Takes note of an edit of this kind that made `after` of `before` at a time in milliseconds; says whether it is a keystroke
    /// that goes on with the one before, after which more may follow. A drag is one edit, however long it rests.
    pub fn note(&mut self, before: &State, after: &State, kind: Kind, now_ms: f64) -> bool {
        let is_drag = matches!(kind, Kind::Dragging(_));
        let field = match kind {
            // A keystroke that changes nothing begins no edit that the next could go on with.
            _ if before == after => return false,
            Kind::Look => return false,
            Kind::Typing(field) | Kind::Dragging(field) => Some(field),
            Kind::Edit => None,
        };
        let continues = self.typing.as_ref().is_some_and(|(last, at_ms)| {
            field.as_ref() == Some(last) && (is_drag || now_ms - at_ms < ONE_EDIT_MS) && self.future.is_empty()
        });
        self.typing = field.map(|field| (field, now_ms));
        if continues {
            return !is_drag;
        }
        self.future.clear();
        self.edits += 1;
        let view = (before.view != after.view).then(|| before.view.clone());
        self.past.push(Step { state: before.clone(), view });
        let mut bytes: usize = self.past.iter().map(|step| step.state.text_bytes()).sum();
        while self.past.len() > MOST_STEPS || (bytes > MOST_BYTES && self.past.len() > 1) {
            bytes -= self.past.remove(0).state.text_bytes();
        }
        false
    }

    /// The state before the last edit of `now`; the way of looking stays where the edit left it alone.
    pub fn undo(&mut self, now: &State) -> Option<State> {
        self.typing = None;
        cross(&mut self.past, &mut self.future, now)
    }

    /// The state after the edit that was undone last.
    pub fn redo(&mut self, now: &State) -> Option<State> {
        self.typing = None;
        cross(&mut self.future, &mut self.past, now)
    }

    /// How many edits were made so far; keystrokes that follow each other, and the steps of a drag, are one.
    pub fn edits(&self) -> usize {
        self.edits
    }

    /// Whether the last edit was a keystroke or a step of a drag, and nothing was undone or redone since.
    pub fn is_under_way(&self) -> bool {
        self.typing.is_some()
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

/// Goes over the nearest edit on one side, which is then the nearest on the other.
fn cross(from: &mut Vec<Step>, to: &mut Vec<Step>, now: &State) -> Option<State> {
    let Step { state, view } = from.pop()?;
    to.push(Step { state: now.clone(), view: view.is_some().then(|| now.view.clone()) });
    Some(State { view: view.unwrap_or_else(|| now.view.clone()), ..state })
}

impl State {
    /// Bytes of all texts that it holds.
    fn text_bytes(&self) -> usize {
        let document = |document: &Document| document.text.len() + document.own.as_ref().map_or(0, String::len);
        let design = |design: &Design| document(&design.hardware) + document(&design.workload);
        let pinned = self.pinned.as_ref().map_or(0, |pinned| design(&pinned.design) + pinned.cores.own.len());
        design(&self.design)
            + pinned
            + self.hierarchy.pool.len()
            + self.cores.own.len()
            + self.attention.model.len()
            + self.attention.own.len()
            + self.study.text.len()
    }
}
