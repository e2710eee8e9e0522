//! Undo and redo: a bounded history of states.

use super::kind::{ActionKind, TypedField};
use super::{Design, Document, State, View};

/// Consecutive keystrokes in one field within this time are one edit, milliseconds.
const ONE_EDIT_MS: f64 = 1000.0;
/// Limit on the edits that can be undone.
const MOST_STEPS: usize = 200;
/// Limit on the text in a history, bytes; one step is always kept.
const MOST_BYTES: usize = 16 << 20;

/// The history of edits: states to undo, and states to redo.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    past: Vec<Edit>,
    future: Vec<Edit>,
    /// The field of the last keystroke, and its time, milliseconds.
    typing: Option<(TypedField, f64)>,
    /// Number of edits so far, including undone ones.
    edits: usize,
}

/// One edit.
#[derive(Debug, Clone, PartialEq)]
struct Edit {
    /// The state on the other side of the edit.
    state: State,
    /// Its view, if the edit changed the view as well.
    view: Option<View>,
}

impl History {
    /// Records an edit of this kind from `before` to `after` at a time in milliseconds; returns whether it is a
    /// keystroke that continues the previous one, so that more may follow. A drag is one edit, however long it pauses.
    pub fn note(&mut self, before: &State, after: &State, kind: ActionKind, now_ms: f64) -> bool {
        let is_drag = matches!(kind, ActionKind::Dragging(_));
        let field = match kind {
            // A keystroke that changes nothing begins no edit that the next one could continue.
            _ if before == after => return false,
            ActionKind::Look => return false,
            ActionKind::Typing(field) | ActionKind::Dragging(field) => Some(field),
            ActionKind::Edit => None,
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
        self.past.push(Edit { state: before.clone(), view });
        let mut bytes: usize = self.past.iter().map(|step| step.state.text_bytes()).sum();
        while self.past.len() > MOST_STEPS || (bytes > MOST_BYTES && self.past.len() > 1) {
            bytes -= self.past.remove(0).state.text_bytes();
        }
        false
    }

    /// The state before the last edit of `now`; the view is kept unless the edit changed it.
    pub fn undo(&mut self, now: &State) -> Option<State> {
        self.typing = None;
        cross(&mut self.past, &mut self.future, now)
    }

    /// The state after the edit that was undone last.
    pub fn redo(&mut self, now: &State) -> Option<State> {
        self.typing = None;
        cross(&mut self.future, &mut self.past, now)
    }

    /// Number of edits so far; consecutive keystrokes, and the steps of a drag, are one.
    pub fn edits(&self) -> usize {
        self.edits
    }

    /// Whether the last edit was a keystroke or a step of a drag, and nothing was undone or redone since.
    pub fn is_under_way(&self) -> bool {
        self.typing.is_some()
    }

    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

/// Crosses the nearest edit on one side, which then becomes the nearest on the other.
fn cross(from: &mut Vec<Edit>, to: &mut Vec<Edit>, now: &State) -> Option<State> {
    let Edit { state, view } = from.pop()?;
    to.push(Edit { state: now.clone(), view: view.is_some().then(|| now.view.clone()) });
    Some(State { view: view.unwrap_or_else(|| now.view.clone()), ..state })
}

impl State {
    /// Bytes of all texts in the history.
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
