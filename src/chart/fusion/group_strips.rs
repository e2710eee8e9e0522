//! Groups of layers for several choices: one strip per choice, one block per group; groups that differ from the strip
//! above are emphasised.

use super::fusion_map::runs_of;
use crate::kit::{
    Chart, Color, Column, LegendEntry, LegendMark, MINIMUM_WIDTH, Sketch, Table, TableCell, Theme, draw_legend,
    legend_height, mix, shorten, text_on,
};
use fusescape_engine::explore::GroupingTraffic;

/// The groups of one choice.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStrip {
    /// The name of the choice: `on line`.
    pub title: String,
    /// Their cost in words: `12 groups, 3.1 MiB`.
    pub note: String,
    /// The layers of each group, by index.
    groups: Vec<Vec<usize>>,
    /// For each group, whether the strip above lacks it.
    is_other: Vec<bool>,
}

/// Strips over the same layers.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStrips {
    layers: Vec<String>,
    strips: Vec<GroupStrip>,
}

const TITLE: i32 = 20;
const BAR: i32 = 24;
const BETWEEN: i32 = 12;
const UNDER: i32 = 18;

impl GroupStrips {
    /// Strips from the top, each with title, note and groups.
    pub fn new(layers: &[String], choices: Vec<(String, String, &GroupingTraffic)>) -> Self {
        let above: Vec<Option<&GroupingTraffic>> =
            [None].into_iter().chain(choices.iter().map(|choice| Some(choice.2))).collect();
        let strip =
            |((title, note, grouped), above): ((String, String, &GroupingTraffic), Option<&GroupingTraffic>)| {
                GroupStrip {
                    is_other: above
                        .map_or_else(|| vec![false; grouped.groups.len()], |above| grouped.changed_from(above)),
                    groups: grouped
                        .groups
                        .iter()
                        .map(|group| group.iter().map(|layer| layer.index()).collect())
                        .collect(),
                    title,
                    note,
                }
            };
        Self { layers: layers.to_vec(), strips: choices.into_iter().zip(above).map(strip).collect() }
    }

    fn entries(theme: &Theme) -> Vec<LegendEntry> {
        let [same, _, other, _] = colors(theme);
        vec![
            (LegendMark::Chip(same), "a group".to_owned()),
            (LegendMark::Chip(other), "a group that the strip above does not have".to_owned()),
        ]
    }

    fn top(width: i32) -> i32 {
        legend_height(&Self::entries(&Theme::LIGHT), width, Theme::LIGHT.note()) + 8
    }

    fn pitch() -> i32 {
        TITLE + BAR + BETWEEN
    }
}

/// Two colours for groups that are the same as above, two for others; neighbours differ.
fn colors(theme: &Theme) -> [Color; 4] {
    let calm = mix(theme.soft, theme.panel, 0.45);
    [calm, mix(calm, theme.panel, 0.35), theme.accent, mix(theme.accent, theme.panel, 0.3)]
}

impl Chart for GroupStrips {
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch {
        let width = width.max(MINIMUM_WIDTH);
        let mut sketch = Sketch::new(width, self.height_for(width));
        let (right, top) = (width as i32, Self::top(width as i32));
        draw_legend(&mut sketch, &Self::entries(theme), (0, 0), right, theme.note());
        let count = self.layers.len().max(1) as i32;
        let x = |layer: usize| right * layer as i32 / count;
        for (row, strip) in self.strips.iter().enumerate() {
            let y = top + row as i32 * Self::pitch();
            let note = theme.note().end();
            let room = right - note.width(&strip.note) - 8;
            sketch.text(shorten(&strip.title, room, 12.0, true), (0, y + TITLE / 2 - 1), theme.value().bold());
            sketch.text(strip.note.clone(), (right - 1, y + TITLE / 2 - 1), note);
            for (index, (group, &is_other)) in strip.groups.iter().zip(&strip.is_other).enumerate() {
                let color = colors(theme)[2 * usize::from(is_other) + index % 2];
                for (first, last) in runs_of(group) {
                    let (left, length) = (x(first), x(last + 1) - x(first) - 1);
                    sketch.round_rect((left, y + TITLE), (length.max(1), BAR), 3, color);
                    let size = group.len().to_string();
                    let letters = theme.value().size(11.0).middle().color(text_on(color));
                    if letters.width(&size) + 4 <= length {
                        sketch.text(size, (left + length / 2, y + TITLE + BAR / 2), letters);
                    }
                }
            }
        }
        // The first and the last name; the table has them all.
        let under = top + self.strips.len() as i32 * Self::pitch() - BETWEEN / 2 + UNDER / 2;
        let letters = theme.label();
        let (first, last) = (self.layers.first(), self.layers.last().filter(|_| self.layers.len() > 1));
        let half = right / 2 - 6;
        if let Some(first) = first {
            sketch.text(shorten(first, half, letters.size, false), (0, under), letters.start());
        }
        if let Some(last) = last {
            sketch.text(shorten(last, half, letters.size, false), (right - 1, under), letters.end());
        }
        sketch
    }

    fn height_for(&self, width: u32) -> u32 {
        let top = Self::top(width.max(MINIMUM_WIDTH) as i32);
        (top + self.strips.len() as i32 * Self::pitch() + UNDER) as u32
    }

    fn table(&self) -> Table {
        let group_of = |strip: &GroupStrip, layer: usize| {
            let index = strip.groups.iter().position(|group| group.contains(&layer));
            index.map_or(TableCell::Nothing, |index| TableCell::count(index as u64 + 1))
        };
        let row = |(layer, name): (usize, &String)| {
            let groups = self.strips.iter().map(|strip| group_of(strip, layer));
            [TableCell::from(name.as_str())].into_iter().chain(groups).collect()
        };
        let columns = self.strips.iter().map(|strip| Column::numbers(strip.title.as_str()));
        Table {
            caption: "Group of every layer".to_owned(),
            columns: [Column::words("layer")].into_iter().chain(columns).collect(),
            rows: self.layers.iter().enumerate().map(row).collect(),
        }
    }

    fn describe(&self) -> String {
        let strip = |strip: &GroupStrip| {
            let others = strip.is_other.iter().filter(|&&is_other| is_other).count();
            format!("{}: {}, {others} of them not in the strip above", strip.title, strip.note)
        };
        let strips: Vec<String> = self.strips.iter().map(strip).collect();
        format!("Which of {} layers run together. {}.", self.layers.len(), strips.join("; "))
    }
}
