//! The keyboard's position in a figure.

use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// A position among the parts of a figure. It is up to date before it is drawn, as keys come faster than a busy page
/// draws.
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
    pub fn get(&self) -> T {
        self.at.get()
    }

    /// Moves it, and draws its component again if the position changed.
    pub fn set(&self, at: T) {
        if self.at.replace(at) != at {
            self.update.force_update();
        }
    }
}

/// A cursor that begins at the default position.
#[hook]
pub fn use_cursor<T: Default + 'static>() -> Cursor<T> {
    let at = use_memo((), |()| Cell::new(T::default()));
    Cursor { at, update: use_force_update() }
}
