//! Small drawings of terms, as marks on a field of 160 x 64: rectangles, arrows and words.

/// The colour of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Weights.
    W,
    /// Inputs.
    I,
    /// Outputs.
    O,
    /// What the drawing is about.
    Accent,
    /// The same, paler.
    Pale,
    /// What stands beside.
    Soft,
    /// An outline only.
    Line,
}

/// A mark of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// A rectangle: left, top, width, height.
    Box(f32, f32, f32, f32, Tone),
    /// An arrow from a place to another.
    Arrow(f32, f32, f32, f32),
    /// A word, centred on a place.
    Word(f32, f32, &'static str),
}

use Mark::{Arrow, Box, Word};
use Tone::{Accent, I, Line, O, Pale, Soft, W};

/// The drawing of a term, by its name in the list.
pub fn drawing(name: &str) -> Option<&'static [Mark]> {
    DRAWINGS.iter().find(|(term, _)| *term == name).map(|(_, marks)| *marks)
}

/// The terms that have a drawing.
pub fn drawn() -> impl Iterator<Item = &'static str> {
    DRAWINGS.iter().map(|(term, _)| *term)
}

const DRAWINGS: &[(&str, &[Mark])] = &[
    (
        "operand",
        &[
            Box(8.0, 18.0, 34.0, 28.0, I),
            Word(25.0, 32.0, "I"),
            Arrow(46.0, 32.0, 60.0, 32.0),
            Box(64.0, 18.0, 30.0, 28.0, W),
            Word(79.0, 32.0, "W"),
            Arrow(98.0, 32.0, 112.0, 32.0),
            Box(116.0, 18.0, 34.0, 28.0, O),
            Word(133.0, 32.0, "O"),
        ],
    ),
    (
        "query, key, value",
        &[
            Box(8.0, 8.0, 34.0, 20.0, I),
            Word(25.0, 18.0, "Q"),
            Box(8.0, 36.0, 34.0, 20.0, W),
            Word(25.0, 46.0, "K"),
            Arrow(46.0, 18.0, 62.0, 28.0),
            Arrow(46.0, 46.0, 62.0, 36.0),
            Box(66.0, 20.0, 34.0, 24.0, Soft),
            Word(83.0, 32.0, "Q x K"),
            Arrow(104.0, 32.0, 118.0, 32.0),
            Box(122.0, 20.0, 30.0, 24.0, O),
            Word(137.0, 32.0, "x V"),
        ],
    ),
    (
        "pass",
        &[
            Box(12.0, 26.0, 112.0, 12.0, W),
            Word(68.0, 32.0, "keys"),
            Arrow(12.0, 16.0, 124.0, 16.0),
            Word(142.0, 16.0, "first"),
            Arrow(12.0, 48.0, 124.0, 48.0),
            Word(142.0, 48.0, "second"),
        ],
    ),
    (
        "memory hierarchy",
        &[
            Box(24.0, 6.0, 112.0, 12.0, Soft),
            Arrow(52.0, 20.0, 52.0, 26.0),
            Arrow(108.0, 20.0, 108.0, 26.0),
            Box(24.0, 28.0, 54.0, 12.0, W),
            Box(82.0, 28.0, 54.0, 12.0, I),
            Arrow(52.0, 42.0, 52.0, 48.0),
            Arrow(108.0, 42.0, 108.0, 48.0),
            Box(24.0, 50.0, 112.0, 10.0, Accent),
        ],
    ),
    (
        "memory pool",
        &[
            Box(10.0, 40.0, 14.0, 14.0, Pale),
            Box(32.0, 32.0, 22.0, 22.0, Pale),
            Box(62.0, 22.0, 32.0, 32.0, Accent),
            Box(102.0, 12.0, 46.0, 42.0, Pale),
        ],
    ),
    (
        "constraint",
        &[
            Box(12.0, 20.0, 40.0, 24.0, Accent),
            Word(32.0, 32.0, "K 4"),
            Box(60.0, 20.0, 40.0, 24.0, Line),
            Word(80.0, 32.0, "C ?"),
            Box(108.0, 20.0, 40.0, 24.0, Line),
            Word(128.0, 32.0, "OX ?"),
        ],
    ),
    (
        "loop dimension",
        &[
            Box(12.0, 10.0, 44.0, 40.0, I),
            Word(34.0, 30.0, "C"),
            Word(34.0, 58.0, "IX"),
            Box(72.0, 18.0, 18.0, 18.0, W),
            Word(81.0, 27.0, "FX"),
            Box(106.0, 10.0, 40.0, 40.0, O),
            Word(126.0, 30.0, "K"),
            Word(126.0, 58.0, "OX"),
        ],
    ),
    (
        "layer",
        &[
            Box(12.0, 14.0, 40.0, 36.0, I),
            Arrow(58.0, 32.0, 100.0, 32.0),
            Word(79.0, 22.0, "3 x 3"),
            Box(108.0, 16.0, 36.0, 32.0, O),
        ],
    ),
    (
        "partial sum",
        &[
            Box(12.0, 20.0, 26.0, 24.0, Pale),
            Arrow(42.0, 32.0, 64.0, 32.0),
            Word(53.0, 22.0, "+"),
            Box(68.0, 20.0, 26.0, 24.0, Accent),
            Arrow(98.0, 32.0, 120.0, 32.0),
            Box(124.0, 20.0, 26.0, 24.0, O),
        ],
    ),
    (
        "stationarity",
        &[
            Box(60.0, 20.0, 40.0, 24.0, W),
            Word(80.0, 32.0, "W"),
            Arrow(20.0, 16.0, 56.0, 26.0),
            Arrow(20.0, 48.0, 56.0, 38.0),
            Arrow(104.0, 26.0, 140.0, 16.0),
            Arrow(104.0, 38.0, 140.0, 48.0),
        ],
    ),
    (
        "core",
        &[
            Box(14.0, 8.0, 132.0, 12.0, Soft),
            Box(14.0, 24.0, 62.0, 10.0, Soft),
            Box(84.0, 24.0, 62.0, 10.0, Soft),
            Box(50.0, 40.0, 12.0, 9.0, Accent),
            Box(66.0, 40.0, 12.0, 9.0, Accent),
            Box(82.0, 40.0, 12.0, 9.0, Accent),
            Box(98.0, 40.0, 12.0, 9.0, Accent),
            Box(50.0, 52.0, 12.0, 9.0, Accent),
            Box(66.0, 52.0, 12.0, 9.0, Accent),
            Box(82.0, 52.0, 12.0, 9.0, Accent),
            Box(98.0, 52.0, 12.0, 9.0, Accent),
        ],
    ),
    (
        "memory level",
        &[
            Box(20.0, 4.0, 120.0, 16.0, Soft),
            Word(80.0, 12.0, "DRAM"),
            Arrow(80.0, 21.0, 80.0, 27.0),
            Box(40.0, 28.0, 80.0, 14.0, Pale),
            Word(80.0, 35.0, "level 1"),
            Arrow(80.0, 43.0, 80.0, 48.0),
            Box(58.0, 49.0, 44.0, 13.0, Accent),
            Word(80.0, 55.5, "level 0"),
        ],
    ),
    (
        "port",
        &[
            Box(50.0, 14.0, 60.0, 36.0, Pale),
            Box(46.0, 26.0, 8.0, 12.0, Accent),
            Box(106.0, 26.0, 8.0, 12.0, Accent),
            Arrow(12.0, 32.0, 44.0, 32.0),
            Arrow(116.0, 32.0, 150.0, 32.0),
        ],
    ),
    (
        "spatial mapping",
        &[
            Box(22.0, 10.0, 20.0, 20.0, Accent),
            Box(46.0, 10.0, 20.0, 20.0, Accent),
            Box(70.0, 10.0, 20.0, 20.0, Accent),
            Box(94.0, 10.0, 20.0, 20.0, Accent),
            Box(22.0, 34.0, 20.0, 20.0, Accent),
            Box(46.0, 34.0, 20.0, 20.0, Accent),
            Box(70.0, 34.0, 20.0, 20.0, Accent),
            Box(94.0, 34.0, 20.0, 20.0, Accent),
            Word(132.0, 20.0, "K 4"),
            Word(132.0, 44.0, "C 2"),
        ],
    ),
    (
        "temporal mapping",
        &[
            Box(14.0, 6.0, 132.0, 12.0, Soft),
            Word(80.0, 12.0, "for OY"),
            Box(28.0, 21.0, 118.0, 12.0, Pale),
            Word(87.0, 27.0, "for K"),
            Box(42.0, 36.0, 104.0, 12.0, Accent),
            Word(94.0, 42.0, "for C"),
            Arrow(8.0, 8.0, 8.0, 50.0),
            Word(80.0, 57.0, "one after the other"),
        ],
    ),
    (
        "even, uneven mapping",
        &[
            Box(14.0, 8.0, 60.0, 12.0, W),
            Box(14.0, 24.0, 60.0, 12.0, I),
            Box(14.0, 40.0, 60.0, 12.0, O),
            Word(44.0, 59.0, "even"),
            Box(90.0, 8.0, 60.0, 12.0, W),
            Box(90.0, 24.0, 34.0, 12.0, I),
            Box(90.0, 40.0, 48.0, 12.0, O),
            Word(120.0, 59.0, "uneven"),
        ],
    ),
    (
        "Pareto front",
        &[
            Arrow(14.0, 58.0, 150.0, 58.0),
            Arrow(14.0, 58.0, 14.0, 4.0),
            Box(24.0, 10.0, 7.0, 7.0, Accent),
            Box(44.0, 30.0, 7.0, 7.0, Accent),
            Box(80.0, 42.0, 7.0, 7.0, Accent),
            Box(126.0, 48.0, 7.0, 7.0, Accent),
            Box(70.0, 20.0, 7.0, 7.0, Soft),
            Box(104.0, 26.0, 7.0, 7.0, Soft),
        ],
    ),
    (
        "energy-delay product (EDP)",
        &[
            Box(20.0, 12.0, 66.0, 40.0, Pale),
            Word(53.0, 32.0, "EDP"),
            Word(53.0, 58.0, "latency"),
            Word(112.0, 32.0, "energy"),
        ],
    ),
    (
        "MAC use",
        &[
            Box(14.0, 22.0, 132.0, 20.0, Pale),
            Box(14.0, 22.0, 54.0, 20.0, Accent),
            Word(41.0, 32.0, "41 %"),
            Word(108.0, 32.0, "idle, waiting"),
        ],
    ),
    (
        "stall",
        &[
            Box(14.0, 22.0, 36.0, 20.0, Accent),
            Box(54.0, 22.0, 24.0, 20.0, Line),
            Word(66.0, 32.0, "wait"),
            Box(82.0, 22.0, 36.0, 20.0, Accent),
            Box(122.0, 22.0, 24.0, 20.0, Line),
        ],
    ),
    (
        "double buffering",
        &[
            Box(20.0, 8.0, 56.0, 20.0, Accent),
            Word(48.0, 18.0, "in use"),
            Box(84.0, 8.0, 56.0, 20.0, Pale),
            Word(112.0, 18.0, "next"),
            Arrow(48.0, 30.0, 48.0, 50.0),
            Arrow(112.0, 52.0, 112.0, 32.0),
        ],
    ),
    (
        "single-layer, layer-by-layer, depth-first",
        &[
            Box(8.0, 6.0, 38.0, 38.0, I),
            Box(60.0, 6.0, 38.0, 38.0, Line),
            Box(60.0, 6.0, 12.0, 12.0, Accent),
            Box(112.0, 6.0, 38.0, 38.0, Line),
            Box(112.0, 6.0, 9.0, 9.0, Accent),
            Arrow(46.0, 12.0, 58.0, 12.0),
            Arrow(74.0, 12.0, 110.0, 11.0),
            Word(80.0, 56.0, "a tile through all layers"),
        ],
    ),
    (
        "stack",
        &[
            Box(8.0, 10.0, 94.0, 42.0, Pale),
            Box(14.0, 20.0, 22.0, 22.0, Accent),
            Box(44.0, 20.0, 22.0, 22.0, Accent),
            Box(74.0, 20.0, 22.0, 22.0, Accent),
            Box(124.0, 20.0, 22.0, 22.0, Soft),
            Arrow(104.0, 31.0, 120.0, 31.0),
            Word(55.0, 58.0, "one stack"),
        ],
    ),
    (
        "fuse depth",
        &[
            Box(6.0, 8.0, 72.0, 22.0, Pale),
            Box(82.0, 8.0, 72.0, 22.0, Pale),
            Box(12.0, 12.0, 26.0, 14.0, Accent),
            Box(46.0, 12.0, 26.0, 14.0, Accent),
            Box(88.0, 12.0, 26.0, 14.0, Accent),
            Box(122.0, 12.0, 26.0, 14.0, Accent),
            Box(6.0, 36.0, 148.0, 22.0, Pale),
            Box(12.0, 40.0, 26.0, 14.0, Accent),
            Box(46.0, 40.0, 26.0, 14.0, Accent),
            Box(88.0, 40.0, 26.0, 14.0, Accent),
            Box(122.0, 40.0, 26.0, 14.0, Accent),
        ],
    ),
    (
        "tile size",
        &[
            Box(40.0, 4.0, 80.0, 56.0, Line),
            Box(40.0, 4.0, 26.0, 28.0, Accent),
            Word(53.0, 18.0, "tile"),
            Box(66.0, 4.0, 27.0, 28.0, Line),
            Box(93.0, 4.0, 27.0, 28.0, Line),
            Box(40.0, 32.0, 26.0, 28.0, Line),
            Box(66.0, 32.0, 27.0, 28.0, Line),
        ],
    ),
    (
        "overlap storing mode",
        &[
            Box(20.0, 6.0, 60.0, 46.0, Line),
            Box(62.0, 6.0, 18.0, 46.0, I),
            Word(71.0, 29.0, "H"),
            Box(20.0, 40.0, 60.0, 12.0, O),
            Word(46.0, 46.0, "V"),
            Box(80.0, 6.0, 42.0, 46.0, Pale),
            Word(104.0, 29.0, "next tile"),
            Word(80.0, 59.0, "cached or computed again"),
        ],
    ),
    (
        "tile type",
        &[
            Box(40.0, 4.0, 22.0, 16.0, W),
            Box(64.0, 4.0, 22.0, 16.0, I),
            Box(88.0, 4.0, 22.0, 16.0, I),
            Box(40.0, 22.0, 22.0, 16.0, Pale),
            Box(64.0, 22.0, 22.0, 16.0, Accent),
            Box(88.0, 22.0, 22.0, 16.0, Accent),
            Box(40.0, 40.0, 22.0, 16.0, Pale),
            Box(64.0, 40.0, 22.0, 16.0, Accent),
            Box(88.0, 40.0, 22.0, 16.0, Accent),
        ],
    ),
    (
        "back-calculation",
        &[
            Box(10.0, 4.0, 52.0, 52.0, Line),
            Box(14.0, 8.0, 34.0, 34.0, Pale),
            Box(78.0, 6.0, 40.0, 46.0, Line),
            Box(82.0, 10.0, 22.0, 22.0, Accent),
            Box(130.0, 10.0, 24.0, 36.0, Line),
            Box(133.0, 13.0, 12.0, 12.0, O),
            Arrow(131.0, 18.0, 106.0, 20.0),
            Arrow(80.0, 20.0, 50.0, 24.0),
        ],
    ),
    (
        "layer-tile",
        &[
            Box(14.0, 14.0, 40.0, 36.0, Line),
            Box(60.0, 14.0, 40.0, 36.0, Line),
            Box(106.0, 14.0, 40.0, 36.0, Line),
            Box(64.0, 18.0, 16.0, 16.0, Accent),
        ],
    ),
    (
        "top memory level",
        &[
            Box(20.0, 4.0, 120.0, 15.0, Line),
            Word(80.0, 11.5, "DRAM"),
            Box(40.0, 24.0, 80.0, 15.0, Accent),
            Word(80.0, 31.5, "top of I"),
            Box(58.0, 44.0, 44.0, 15.0, Pale),
        ],
    ),
    (
        "data copy action",
        &[
            Box(14.0, 8.0, 132.0, 16.0, Soft),
            Box(20.0, 11.0, 24.0, 10.0, I),
            Arrow(32.0, 26.0, 70.0, 44.0),
            Box(50.0, 42.0, 60.0, 16.0, Pale),
            Box(68.0, 45.0, 24.0, 10.0, I),
        ],
    ),
    (
        "point",
        &[
            Box(30.0, 6.0, 20.0, 16.0, Pale),
            Box(54.0, 6.0, 20.0, 16.0, Pale),
            Box(78.0, 6.0, 20.0, 16.0, Soft),
            Box(30.0, 24.0, 20.0, 16.0, Pale),
            Box(54.0, 24.0, 20.0, 16.0, Accent),
            Box(78.0, 24.0, 20.0, 16.0, Pale),
            Box(30.0, 42.0, 20.0, 16.0, Soft),
            Box(54.0, 42.0, 20.0, 16.0, Pale),
            Box(78.0, 42.0, 20.0, 16.0, Soft),
            Word(126.0, 32.0, "4 x 72"),
        ],
    ),
    (
        "fused operator-group",
        &[
            Box(8.0, 12.0, 102.0, 40.0, Pale),
            Box(16.0, 22.0, 24.0, 20.0, Accent),
            Arrow(42.0, 32.0, 74.0, 32.0),
            Box(78.0, 22.0, 24.0, 20.0, Accent),
            Arrow(112.0, 32.0, 126.0, 32.0),
            Box(130.0, 22.0, 22.0, 20.0, Soft),
        ],
    ),
    (
        "memory cost",
        &[
            Box(30.0, 6.0, 100.0, 16.0, Soft),
            Word(80.0, 14.0, "DRAM"),
            Arrow(66.0, 24.0, 66.0, 44.0),
            Arrow(94.0, 44.0, 94.0, 24.0),
            Box(50.0, 46.0, 60.0, 14.0, Accent),
        ],
    ),
    (
        "reuse buffer",
        &[
            Box(16.0, 8.0, 50.0, 46.0, Line),
            Box(54.0, 8.0, 12.0, 46.0, Accent),
            Box(84.0, 8.0, 50.0, 46.0, Line),
            Box(84.0, 8.0, 12.0, 46.0, Pale),
            Arrow(67.0, 31.0, 83.0, 31.0),
        ],
    ),
    (
        "computation tile (CT)",
        &[
            Box(14.0, 10.0, 64.0, 44.0, Line),
            Box(14.0, 10.0, 64.0, 11.0, Accent),
            Arrow(80.0, 15.0, 104.0, 20.0),
            Box(108.0, 12.0, 38.0, 22.0, Soft),
            Word(127.0, 23.0, "core 1"),
        ],
    ),
    (
        "communication link",
        &[
            Box(10.0, 18.0, 44.0, 28.0, Soft),
            Word(32.0, 32.0, "core 1"),
            Arrow(56.0, 32.0, 104.0, 32.0),
            Box(106.0, 18.0, 44.0, 28.0, Soft),
            Word(128.0, 32.0, "core 2"),
        ],
    ),
    (
        "layer stack",
        &[
            Box(14.0, 10.0, 24.0, 18.0, W),
            Box(40.0, 10.0, 24.0, 18.0, I),
            Box(66.0, 10.0, 24.0, 18.0, W),
            Box(92.0, 10.0, 24.0, 18.0, I),
            Box(118.0, 10.0, 24.0, 18.0, W),
            Word(80.0, 44.0, "tiles of both, interleaved"),
        ],
    ),
    (
        "steady state",
        &[
            Box(8.0, 12.0, 30.0, 18.0, Line),
            Box(44.0, 12.0, 30.0, 18.0, Accent),
            Box(78.0, 12.0, 30.0, 18.0, Accent),
            Box(112.0, 12.0, 30.0, 18.0, Accent),
            Word(23.0, 42.0, "start"),
            Word(93.0, 42.0, "again and again"),
        ],
    ),
    (
        "core allocation",
        &[
            Box(12.0, 8.0, 30.0, 14.0, W),
            Box(12.0, 26.0, 30.0, 14.0, I),
            Box(12.0, 44.0, 30.0, 14.0, O),
            Arrow(44.0, 15.0, 104.0, 18.0),
            Arrow(44.0, 33.0, 104.0, 22.0),
            Arrow(44.0, 51.0, 104.0, 48.0),
            Box(106.0, 10.0, 44.0, 20.0, Soft),
            Word(128.0, 20.0, "core 1"),
            Box(106.0, 38.0, 44.0, 20.0, Soft),
            Word(128.0, 48.0, "core 2"),
        ],
    ),
    (
        "WACO",
        &[
            Arrow(12.0, 56.0, 150.0, 56.0),
            Box(24.0, 14.0, 14.0, 42.0, Soft),
            Box(48.0, 24.0, 14.0, 32.0, Soft),
            Box(72.0, 36.0, 14.0, 20.0, Accent),
            Box(96.0, 20.0, 14.0, 36.0, Soft),
            Box(120.0, 10.0, 14.0, 46.0, Soft),
            Word(79.0, 28.0, "proved"),
        ],
    ),
    (
        "landscape",
        &[
            Box(30.0, 6.0, 24.0, 12.0, W),
            Box(56.0, 6.0, 24.0, 12.0, Pale),
            Box(82.0, 6.0, 24.0, 12.0, Pale),
            Box(30.0, 20.0, 24.0, 12.0, Pale),
            Box(56.0, 20.0, 24.0, 12.0, Accent),
            Box(82.0, 20.0, 24.0, 12.0, I),
            Box(30.0, 34.0, 24.0, 12.0, Pale),
            Box(56.0, 34.0, 24.0, 12.0, I),
            Box(82.0, 34.0, 24.0, 12.0, W),
            Word(68.0, 56.0, "tile width"),
        ],
    ),
];
