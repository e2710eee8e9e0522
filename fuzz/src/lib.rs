//! Properties that hold for any bytes, one module per reader. `fuzz/targets` feeds these to libFuzzer;
//! `tests/page/fuzz_seeds.rs` checks them with the inputs that fuzzing begins with.

pub mod accelforge;
pub mod constraints;
pub mod designs;
pub mod embed;
pub mod gallery;
pub mod link;
pub mod mapping;
pub mod onnx;
pub mod pool;
pub mod receipt;
pub mod results;
pub mod state;
pub mod study;
pub mod system;
pub mod timeloop;
pub mod transformer;
pub mod yaml;

use fusescape::link::{from_link, to_draft, to_link};
use fusescape::spec::{Diagnostics, MAX_DIAGNOSTICS};
use fusescape::state::State;

/// Bytes. No message on the page is longer; the longest is a list of all names of a document.
const LONGEST_MESSAGE: usize = 16 << 10;

/// An accelerator for inputs that need one.
pub const HARDWARE: &str = include_str!("../../presets/hardware/tpu-like.yaml");

/// Four cores of that accelerator.
pub const SYSTEM: &str = include_str!("../../presets/system/quad-beside.yaml");

/// A network with most types of layers, small enough to be mapped quickly.
pub const WORKLOAD: &str = "name: tiny
layers:
  - { name: in, type: input, K: 3, size: 8 x 8 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: b, type: depthwise, kernel: 3 x 3, padding: 1 }
  - { name: c, type: add, from: [a, b] }
  - { name: d, type: pooling, kernel: 2 x 2, stride: 2 }
  - { name: e, type: fully-connected, K: 5 }
";

/// Each diagnostic of a text has a place, a reason and a remedy, and their number and length are limited.
pub fn check_wrong(text: &str, wrong: &Diagnostics) {
    // As YAML and browsers count: `\r` alone ends a line, too.
    let lines = text.split("\r\n").map(|part| part.split(['\r', '\n']).count()).sum::<usize>();
    assert!((1..=MAX_DIAGNOSTICS + 1).contains(&wrong.0.len()), "{} diagnostics", wrong.0.len());
    for one in &wrong.0 {
        assert!(!one.reason.is_empty() && !one.remedy.is_empty(), "{one:?}");
        assert!(one.reason.len() + one.remedy.len() + one.path.len() <= LONGEST_MESSAGE, "{one:?}");
        assert!(one.line.is_none_or(|line| (1..=lines).contains(&line)), "{one:?} of {lines} lines");
        let stands_for_others = one.reason == "There are more problems than these";
        assert!(!one.path.is_empty() || one.line.is_some() || stands_for_others, "{one:?} has no place");
    }
}

/// Each diagnostic of a request of several documents has its place in one of them.
pub fn check_rejected(wrong: &Diagnostics, documents: &[&str]) {
    assert!(!wrong.is_empty());
    for one in &wrong.0 {
        assert!(!one.reason.is_empty() && !one.remedy.is_empty(), "{one:?}");
        assert!(one.reason.len() + one.remedy.len() + one.path.len() <= LONGEST_MESSAGE, "{one:?}");
        assert!(documents.iter().any(|document| one.path.starts_with(document)), "{one:?} has no place");
    }
}

/// A draft keeps a state exactly; a link and a file keep their parts of it.
pub fn check_state(state: &State) {
    let draft = to_draft(state);
    assert_eq!(from_link(&draft).as_ref(), Ok(state), "{draft}");
    let link = to_link(state);
    let linked = from_link(&link).expect("a link of a state opens");
    assert_eq!(to_link(&linked), link);
    assert_eq!(linked.describe(), state.describe());
    let written = state.to_yaml();
    let back = State::from_yaml(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
    assert_eq!(back.to_yaml(), written);
    assert_eq!(back.describe(), state.describe());
}
