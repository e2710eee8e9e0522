//! Designs of a study: any two of their numbers against each other.

use super::dimension::{Dimension, range_of};
use crate::kit::{
    Axis, Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Sketch, Table, TableCell, Theme, draw_legend,
    draw_point, mix, shorten,
};
use crate::plots::{Plane, PlotArea, draw_ringed, nearest};
use fusescape_spec::sorting::sort_by;

/// One design in the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignMark {
    /// Index in the results.
    pub row: usize,
    /// Index in the study.
    pub design: u64,
    /// In base units.
    pub x: f64,
    /// In base units.
    pub y: f64,
    /// Whether it is on the Pareto front.
    pub on_front: bool,
    /// Whether it is in the selection.
    pub is_within: bool,
}

/// Two numbers of many designs.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignScatter {
    pub x: Dimension,
    pub y: Dimension,
    /// Drawn designs, one per place.
    pub marks: Vec<DesignMark>,
    /// Number of all designs.
    pub designs: usize,
    /// Index in the results of the opened design.
    pub opened: Option<usize>,
    /// Whether the front is drawn as a line: its objectives are exactly these two, both minimised.
    pub joins_front: bool,
}

const LEFT: i32 = 66;
const UNDER: i32 = 44;

impl DesignScatter {
    fn entries(&self, theme: &Theme) -> Vec<LegendEntry> {
        let mut entries = vec![(LegendMark::Point(0, plain(theme)), "design".to_owned())];
        if self.marks.iter().any(|mark| !mark.is_within) {
            entries.push((LegendMark::Point(0, faint(theme)), "not selected".to_owned()));
        }
        entries
            .push((LegendMark::Point(0, theme.accent), "on the front: none is better in every objective".to_owned()));
        entries
    }

    /// From the least to the largest number, along the figure and up.
    fn ranges(&self) -> [(f64, f64); 2] {
        [range_of(self.marks.iter().map(|mark| mark.x)), range_of(self.marks.iter().map(|mark| mark.y))]
    }

    fn plane(&self, width: u32) -> Plane {
        let area = PlotArea::of_points(LEFT, &self.entries(&Theme::LIGHT), width);
        let [along, up] = self.ranges();
        let (x, y) = (self.x.axis(along, (area.left, area.right)), self.y.axis(up, (area.bottom, area.top)));
        Plane { area, x, y }
    }

    /// The row of the design nearest to a place of the figure, CSS pixels, when it is `width` wide.
    pub fn row_at(&self, x: f64, y: f64, width: u32) -> Option<usize> {
        let plane = self.plane(width);
        nearest(self.marks.iter().map(|mark| (mark.row, plane.at(mark.x, mark.y))), (x, y))
    }

    /// The numbers at a place of the figure.
    pub fn values_at(&self, x: f64, y: f64, width: u32) -> (f64, f64) {
        let plane = self.plane(width);
        (plane.x.value(x), plane.y.value(y))
    }

    fn draw_axes(&self, sketch: &mut Sketch, theme: &Theme, plane: &Plane) {
        let PlotArea { left, top, right, bottom } = plane.area;
        let titled = |dimension: &Dimension, range: (f64, f64), axis: &Axis, count: i32| {
            (dimension.marks(axis, range, count as usize), dimension.title(range))
        };
        let [along, up] = self.ranges();
        let mut up = titled(&self.y, up, &plane.y, (bottom - top) / 32);
        up.0.iter_mut().for_each(|(_, text)| *text = shorten(text, LEFT - 10, theme.label().size, false));
        plane.draw_axes(sketch, theme, titled(&self.x, along, &plane.x, (right - left) / 60), up);
    }

    fn draw_front(&self, sketch: &mut Sketch, theme: &Theme, plane: &Plane) {
        let mut front: Vec<(f64, f64)> =
            self.marks.iter().filter(|mark| mark.on_front).map(|mark| (mark.x, mark.y)).collect();
        sort_by(&mut front, |a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        plane.draw_front(sketch, front, mix(theme.panel, theme.accent, 0.6));
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
        let plane = self.plane(width);
        draw_legend(&mut sketch, &self.entries(theme), (0, 0), width as i32, theme.note());
        self.draw_axes(&mut sketch, theme, &plane);
        let at = |mark: &DesignMark| plane.at(mark.x, mark.y);
        let others =
            |is_within: bool| self.marks.iter().filter(move |mark| !mark.on_front && mark.is_within == is_within);
        others(false).for_each(|mark| draw_point(&mut sketch, 0, at(mark), 3, faint(theme)));
        others(true).for_each(|mark| draw_point(&mut sketch, 0, at(mark), 3, plain(theme)));
        if self.joins_front {
            self.draw_front(&mut sketch, theme, &plane);
        }
        for mark in self.marks.iter().filter(|mark| mark.on_front) {
            draw_point(&mut sketch, 0, at(mark), 6, theme.panel);
            draw_point(&mut sketch, 0, at(mark), 5, if mark.is_within { theme.accent } else { faint(theme) });
        }
        if let Some(mark) = self.opened.and_then(|row| self.marks.iter().find(|mark| mark.row == row)) {
            let color = if mark.on_front { theme.accent } else { plain(theme) };
            draw_ringed(&mut sketch, theme, theme.ink, (0, at(mark), color));
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        (self.plane(width).area.bottom + UNDER) as u32
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
