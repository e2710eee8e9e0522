//! Where the keyboard is in a figure.

use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// A place among the parts of a figure. Its newest value is known before it is drawn: keys come faster than a busy page draws.
pub struct Cursor<T> {
    at: Rc<Cell<T>>,
    update: UseForceUpdateHandle,
}

impl<T> Clone for Cursor<T> {
    fn clone(&self) -> Self {
        Self { at: Rc::clone(&self.at), update: self.update.clone() }
    }
}

impl<T: Copy + PartialEq> Cursor<T> {
    /// Where it is.
    pub fn get(&self) -> T {
        self.at.get()
    }

    /// Moves it, and draws its component again if that is somewhere else.
    pub fn set(&self, at: T) {
        if self.at.replace(at) != at {
            self.update.force_update();
        }
    }
}

/// A cursor that begins at the default place.
#[hook]
pub fn use_cursor<T: Default + 'static>() -> Cursor<T> {
    let at = use_memo((), |()| Cell::new(T::default()));
    Cursor { at, update: use_force_update() }
}
