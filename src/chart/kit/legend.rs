//! Legends of figures: entries on as many lines as they need.

use super::color::Color;
use super::sketch::{Lettering, Sketch};
use super::text::shorten;

/// The mark before an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LegendMark {
    /// Nothing: the text says it.
    None,
    /// A filled square.
    Chip(Color),
    /// A square with a line around it, and a gap between.
    Outline { line: Color, gap: Color, inside: Color },
    /// A hatched square: background and lines.
    Hatched(Color, Color),
    /// A small dot.
    Dot(Color),
    /// A short line.
    Line(Color),
    /// A short dashed line.
    Dashes(Color),
    /// The mark of series `index` of a scatter plot.
    Point(usize, Color),
}

/// One entry: its mark and its text.
pub(crate) type LegendEntry = (LegendMark, String);

const LINE: i32 = 20;
const MARK: i32 = 12;
const GAP: i32 = 6;
const BETWEEN: i32 = 16;

/// Width of the mark before the text.
fn indent(mark: LegendMark) -> i32 {
    if mark == LegendMark::None { 0 } else { MARK + GAP }
}

/// Left edge and line of each entry, and the number of lines.
fn places(entries: &[LegendEntry], width: i32, letters: Lettering) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut line) = (0, 0);
    let mut places = Vec::with_capacity(entries.len());
    for (mark, text) in entries {
        let needed = indent(*mark) + letters.width(text);
        if x > 0 && x + needed > width {
            (x, line) = (0, line + 1);
        }
        places.push((x, line));
        x += needed + BETWEEN;
    }
    (places, if entries.is_empty() { 0 } else { line + 1 })
}

/// Corner and size of each entry of a legend with its upper left corner at `at`.
pub(crate) fn entry_places(
    entries: &[LegendEntry],
    at: (i32, i32),
    width: i32,
    letters: Lettering,
) -> Vec<((i32, i32), (i32, i32))> {
    let place = |((mark, text), (x, line)): (&LegendEntry, (i32, i32))| {
        let long = (indent(*mark) + letters.width(text)).min(width - x);
        ((at.0 + x, at.1 + line * LINE), (long, LINE))
    };
    entries.iter().zip(places(entries, width, letters).0).map(place).collect()
}

/// Height of a legend `width` wide.
pub(crate) fn legend_height(entries: &[LegendEntry], width: i32, letters: Lettering) -> i32 {
    places(entries, width, letters).1 * LINE
}

/// Width of a legend on one line.
pub(crate) fn legend_width(entries: &[LegendEntry], letters: Lettering) -> i32 {
    let needed = entries.iter().map(|(mark, text)| indent(*mark) + letters.width(text) + BETWEEN);
    needed.sum::<i32>() - BETWEEN
}

/// Draws a legend with its upper left corner at `at`.
pub(crate) fn draw_legend(
    sketch: &mut Sketch,
    entries: &[LegendEntry],
    at: (i32, i32),
    width: i32,
    letters: Lettering,
) {
    for ((mark, text), (x, line)) in entries.iter().zip(places(entries, width, letters).0) {
        let (x, middle) = (at.0 + x, at.1 + line * LINE + LINE / 2);
        draw_mark(sketch, *mark, (x, middle));
        let text = shorten(text, width - indent(*mark), letters.size, letters.bold);
        sketch.text(text, (x + indent(*mark), middle), letters.start());
    }
}

fn draw_mark(sketch: &mut Sketch, mark: LegendMark, (x, middle): (i32, i32)) {
    let (corner, size) = ((x, middle - MARK / 2), (MARK, MARK));
    match mark {
        LegendMark::None => {}
        LegendMark::Chip(color) => sketch.round_rect(corner, size, 3, color),
        LegendMark::Outline { line, gap, inside } => {
            for (inset, color) in [(0, line), (2, gap), (3, inside)] {
                let extent = MARK - 2 * inset;
                sketch.round_rect((corner.0 + inset, corner.1 + inset), (extent, extent), 3, color);
            }
        }
        LegendMark::Hatched(background, lines) => {
            sketch.rect(corner, size, background);
            sketch.hatch(corner, size, lines);
        }
        LegendMark::Dot(color) => sketch.circle((x + MARK / 2, middle), 3, color),
        LegendMark::Line(color) => sketch.rect((x, middle - 1), (MARK, 2), color),
        LegendMark::Dashes(color) => {
            sketch.rect((x, middle), (5, 1), color);
            sketch.rect((x + 8, middle), (4, 1), color);
        }
        LegendMark::Point(index, color) => draw_point(sketch, index, (x + MARK / 2, middle), 4, color),
    }
}

/// The mark of series `index`: circle, square, triangle or diamond, so that colour is not the only difference.
pub(crate) fn draw_point(sketch: &mut Sketch, index: usize, (x, y): (i32, i32), radius: i32, color: Color) {
    let r = radius;
    match index % 4 {
        0 => sketch.circle((x, y), r as u32, color),
        1 => sketch.rect((x - r + 1, y - r + 1), (2 * r - 1, 2 * r - 1), color),
        2 => sketch.polygon(vec![(x, y - r), (x + r, y + r - 1), (x - r, y + r - 1)], color),
        _ => sketch.polygon(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)], color),
    }
}
