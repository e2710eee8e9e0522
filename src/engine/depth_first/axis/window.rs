//! Windows of layers along one axis, also behind views.

use super::super::ids::ReadId;
use crate::ids::TiVec;
use crate::workload::AxisView;

/// The geometry of one layer's window along an axis: tap `t` of output `o` reads input column
/// `o * stride + t * dilation - padding`, if that exists.
#[derive(Debug, Clone, Copy)]
pub struct LayerWindow {
    pub kernel: u64,
    pub stride: u64,
    pub dilation: u64,
    pub padding: u64,
    pub input_size: u64,
    pub output_size: u64,
}

impl LayerWindow {
    /// First existing input column that output `output` reads, if there is one: at the border some taps fall into the
    /// padding.
    pub fn first_of(&self, output: u64) -> Option<u64> {
        let at = output * self.stride;
        // Distance of the first tap that is not in the padding: taps lie a dilation apart.
        let skipped = self.padding.saturating_sub(at).next_multiple_of(self.dilation);
        let is_tap = skipped <= self.dilation * (self.kernel - 1);
        is_tap.then(|| at + skipped - self.padding).filter(|&column| column < self.input_size)
    }

    /// First existing input column that any output from `start` on reads. With dilation that may be read by an output
    /// after `start`, but by none after the first `dilation` outputs.
    pub fn first_from(&self, start: u64) -> Option<u64> {
        (start..self.output_size.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min()
    }

    /// First and last (exclusive) existing input column that the outputs `start..end` read.
    ///
    /// With dilation the outermost column may belong to an output further inside, as at the border some taps fall into
    /// the padding. Only the first and the last `dilation` outputs come into question, so this takes no longer for
    /// larger tiles.
    pub fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let last_tap = self.dilation * (self.kernel - 1);
        let last_of = |output: u64| {
            // Mirrors `first_of`: the last tap, less the taps that lie beyond the map.
            let reach = (output * self.stride + last_tap).checked_sub(self.padding)?;
            let beyond = (reach + 1).saturating_sub(self.input_size).next_multiple_of(self.dilation);
            (beyond <= last_tap).then(|| reach.checked_sub(beyond)).flatten()
        };
        let first = (start..end.min(start + self.dilation)).filter_map(|output| self.first_of(output)).min();
        let last = (start.max(end.saturating_sub(self.dilation))..end).filter_map(last_of).max();
        first.zip(last).map(|(first, last)| (first, last + 1))
    }

    /// The outputs among `start..end` whose windows may touch the map. Behind a view that shows a small part of a map,
    /// many do not.
    pub fn in_reach(&self, (start, end): (u64, u64)) -> (u64, u64) {
        let last_tap = self.dilation * (self.kernel - 1);
        let first = self.padding.saturating_sub(last_tap).div_ceil(self.stride);
        let behind = (self.padding + self.input_size).div_ceil(self.stride);
        (start.max(first), end.min(behind))
    }
}

/// The window of a layer on the map of one producer behind a view.
#[derive(Debug, Clone, Copy)]
pub struct ShiftedWindow {
    pub view: AxisView,
    /// The window on the part of the view that shows this producer, which begins at 0.
    pub window: LayerWindow,
}

impl ShiftedWindow {
    /// Moves the window so that the part of the view that shows the producer begins at 0: columns before it become
    /// padding.
    pub fn new(window: LayerWindow, view: AxisView) -> Self {
        let part = LayerWindow { padding: window.padding + view.from, input_size: view.end - view.from, ..window };
        Self { view, window: part }
    }

    /// Columns of the producer for columns of its part of the view, first and end.
    pub fn on_producer(&self, (first, end): (u64, u64)) -> (u64, u64) {
        self.view.sources((first + self.view.from, end + self.view.from))
    }

    /// First and last (exclusive) column of the producer that the outputs `start..end` read.
    pub fn reach(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let (start, end) = self.window.in_reach((start, end));
        let reach = (start < end).then(|| self.window.reach(start, end)).flatten();
        reach.map(|columns| self.on_producer(columns))
    }

    /// First column of the producer that any output from `start` on reads.
    pub fn first_from(&self, start: u64) -> Option<u64> {
        let (start, end) = self.window.in_reach((start, self.window.output_size));
        let first = (start < end).then(|| self.window.first_from(start)).flatten();
        first.map(|first| self.on_producer((first, first + 1)).0)
    }
}

/// For each read of a stack the window behind its view; `None` where the reader sees the whole map straight, by its own
/// window.
pub type ShiftedWindows = TiVec<ReadId, Option<ShiftedWindow>>;
