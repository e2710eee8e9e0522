//! Designs of a study: any two of their numbers against each other.

use super::dimension::{Dimension, range_of};
use crate::kit::{
    Axis, Chart, Color, Column, Entry, MINIMUM_WIDTH, Mark, Sketch, Table, TableCell, Theme, draw_legend, draw_point,
    legend_height, mix, shorten,
};
use fusescape_spec::sorting::sort_by;

/// One design.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignMark {
    /// Its place among the results.
    pub row: usize,
    /// Its number in the study.
    pub design: u64,
    /// Along the figure, in base units.
    pub x: f64,
    /// Up the figure, in base units.
    pub y: f64,
    /// Whether no other one beats it.
    pub on_front: bool,
    /// Whether it is selected with others.
    pub is_within: bool,
}

/// Two numbers of many designs.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignScatter {
    /// What is along the figure.
    pub x: Dimension,
    /// What is up the figure.
    pub y: Dimension,
    /// Designs that are drawn: of those in one place one.
    pub marks: Vec<DesignMark>,
    /// How many designs there are.
    pub designs: usize,
    /// Place among the results of the design that a person opened.
    pub opened: Option<usize>,
    /// Whether the front is about just these two, less being better, so that it is a line.
    pub joins_front: bool,
}

const LEFT: i32 = 66;
const UNDER: i32 = 44;
const REACH: f64 = 12.0;

struct Layout {
    x: Axis,
    y: Axis,
    ranges: [(f64, f64); 2],
    top: i32,
    bottom: i32,
    right: i32,
}

impl DesignScatter {
    fn entries(&self, theme: &Theme) -> Vec<Entry> {
        let mut entries = vec![(Mark::Point(0, plain(theme)), "design".to_owned())];
        if self.marks.iter().any(|mark| !mark.is_within) {
            entries.push((Mark::Point(0, faint(theme)), "not selected".to_owned()));
        }
        entries.push((Mark::Point(0, theme.accent), "on the front: none is better in every objective".to_owned()));
        entries
    }

    fn layout(&self, width: u32) -> Layout {
        let width = width.max(MINIMUM_WIDTH) as i32;
        let top = legend_height(&self.entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 24;
        let (bottom, right) = (top + (width * 2 / 3).clamp(200, 380), width - 10);
        let ranges = [range_of(self.marks.iter().map(|mark| mark.x)), range_of(self.marks.iter().map(|mark| mark.y))];
        let (x, y) = (self.x.axis(ranges[0], (LEFT, right)), self.y.axis(ranges[1], (bottom, top)));
        Layout { x, y, ranges, top, bottom, right }
    }

    /// The row of the design nearest to a place of the figure, CSS pixels, when it is `width` wide.
    pub fn row_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        let layout = self.layout(width);
        let distance =
            |mark: &DesignMark| (f64::from(layout.x.at(mark.x)) - x).hypot(f64::from(layout.y.at(mark.y)) - y);
        let near = self.marks.iter().map(|mark| (mark.row, distance(mark))).filter(|near| near.1 <= REACH);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|near| near.0)
    }

    /// The numbers at a place of the figure.
    pub fn values_at(&self, x: f64, y: f64, width: u32) -> (f64, f64) {
        let layout = self.layout(width);
        (layout.x.value(x), layout.y.value(y))
    }

    fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, layout: &Layout) {
        let Layout { x, y, ranges, top, bottom, right } = layout;
        for (value, text) in self.y.marks(y, ranges[1], ((bottom - top) / 32) as usize) {
            sketch.horizontal((LEFT, y.at(value)), right - LEFT, theme.grid());
            sketch.text(
                shorten(&text, LEFT - 10, theme.label().size, false),
                (LEFT - 8, y.at(value)),
                theme.label().end(),
            );
        }
        for (value, text) in self.x.marks(x, ranges[0], ((right - LEFT) / 60) as usize) {
            sketch.vertical((x.at(value), *top), bottom - top, theme.grid());
            sketch.text_inside(text, (x.at(value), bottom + 13), theme.label());
        }
        sketch.horizontal((LEFT, *bottom), right - LEFT, theme.soft);
        sketch.vertical((LEFT, *top), bottom - top, theme.soft);
        sketch.text(self.y.title(ranges[1]), (0, top - 14), theme.note());
        sketch.text_inside(self.x.title(ranges[0]), ((LEFT + right) / 2, bottom + 33), theme.note().middle());
    }

    fn draw_front(&self, sketch: &mut Sketch, theme: &Theme, layout: &Layout) {
        let mut front: Vec<(f64, f64)> =
            self.marks.iter().filter(|mark| mark.on_front).map(|mark| (mark.x, mark.y)).collect();
        sort_by(&mut front, |a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut points: Vec<(i32, i32)> = Vec::new();
        for (x, y) in front {
            let at = (layout.x.at(x), layout.y.at(y));
            if let Some(last) = points.last() {
                points.push((at.0, last.1));
            }
            points.push(at);
        }
        if points.len() > 1 {
            sketch.line(points, 2, mix(theme.panel, theme.accent, 0.6));
        }
    }
}

fn plain(theme: &Theme) -> Color {
    theme.series(0, 2)
}

fn faint(theme: &Theme) -> Color {
    mix(theme.panel, theme.soft, 0.4)
}

impl Chart for DesignScatter {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let layout = self.layout(width);
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        self.draw_axes(&mut sketch, theme, &layout);
        let at = |mark: &DesignMark| (layout.x.at(mark.x), layout.y.at(mark.y));
        let others =
            |is_within: bool| self.marks.iter().filter(move |mark| !mark.on_front && mark.is_within == is_within);
        others(false).for_each(|mark| draw_point(&mut sketch, 0, at(mark), 3, faint(theme)));
        others(true).for_each(|mark| draw_point(&mut sketch, 0, at(mark), 3, plain(theme)));
        if self.joins_front {
            self.draw_front(&mut sketch, theme, &layout);
        }
        for mark in self.marks.iter().filter(|mark| mark.on_front) {
            draw_point(&mut sketch, 0, at(mark), 6, theme.panel);
            draw_point(&mut sketch, 0, at(mark), 5, if mark.is_within { theme.accent } else { faint(theme) });
        }
        if let Some(mark) = self.opened.and_then(|row| self.marks.iter().find(|mark| mark.row == row)) {
            sketch.circle(at(mark), 10, theme.ink);
            sketch.circle(at(mark), 8, theme.panel);
            draw_point(&mut sketch, 0, at(mark), 6, if mark.on_front { theme.accent } else { plain(theme) });
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.layout(width).bottom + UNDER) as u32
    }

    fn table(&self) -> Table {
        let mut front: Vec<&DesignMark> = self.marks.iter().filter(|mark| mark.on_front).collect();
        sort_by(&mut front, |a, b| a.x.total_cmp(&b.x).then(a.row.cmp(&b.row)));
        let row = |mark: &&DesignMark| vec![TableCell::full(mark.design), self.x.cell(mark.x), self.y.cell(mark.y)];
        Table {
            caption: "Designs on the front".to_owned(),
            columns: vec![Column::numbers("design"), self.x.column(), self.y.column()],
            rows: front.iter().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let front = self.marks.iter().filter(|mark| mark.on_front).count();
        let (x, y) = (range_of(self.marks.iter().map(|m| m.x)), range_of(self.marks.iter().map(|m| m.y)));
        format!(
            "{} against {} of {} designs, from {} to {} and from {} to {}; {front} are on the front.",
            self.y.name,
            self.x.name,
            self.designs,
            self.y.text(y.0),
            self.y.text(y.1),
            self.x.text(x.0),
            self.x.text(x.1)
        )
    }
}
