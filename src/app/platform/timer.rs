//! Delayed calls.

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Calls `call` once, after `ms` milliseconds; cannot be cancelled.
pub fn later(ms: u32, call: impl FnOnce() + 'static) {
    Timeout::new(ms, call).forget();
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
