//! Calls that happen later.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// A call that is due; dropping it cancels it.
pub struct Timeout {
    id: i32,
    _call: Closure<dyn FnMut()>,
}

impl Timeout {
    /// Calls `call` once after `ms` milliseconds; `None` outside a window.
    pub fn new(ms: i32, call: impl FnMut() + 'static) -> Option<Self> {
        let call = Closure::<dyn FnMut()>::new(call);
        let id = web_sys::window()?
            .set_timeout_with_callback_and_timeout_and_arguments_0(call.as_ref().unchecked_ref(), ms)
            .ok()?;
        Some(Self { id, _call: call })
    }
}

impl Drop for Timeout {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_timeout_with_handle(self.id);
        }
    }
}

/// Calls `call` once, after `ms` milliseconds, whatever happens.
pub fn later(ms: i32, call: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let call = Closure::once_into_js(call);
        // It only fails in a window that is closing.
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(call.unchecked_ref(), ms);
    }
}

/// Calls `call` once, before the next frame.
pub fn before_next_frame(call: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let call = Closure::once_into_js(call);
        let _ = window.request_animation_frame(call.unchecked_ref());
    }
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}
