//! Writing a state.

use super::{AIMS, ORDERS, RULES, SCHEDULERS, STRATEGIES, VERSION, metrics};
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::rules::Rules;
use crate::spec::{MARK, quoted, scalar};
use crate::state::{
    CoresForm, Design, FuseChoice, HierarchyForm, OBJECTIVES, ObjectiveChoice, Schedule, StackChoice, State, Tab,
    TileChoice,
};

/// What a file begins with.
const HEAD: &str = "\
# A design for Fusescape. The page opens it when it is dropped there, or under “Files”;
# on the command line: `fusescape report FILE`, `fusescape link open FILE`.
";

/// A value of the file.
enum Item {
    /// On the line of its name.
    Line(String),
    /// A text of several lines, kept as it is.
    Block(String),
    Fields(Vec<(&'static str, Item)>),
}

impl State {
    /// All that is in force, as a file.
    pub fn to_yaml(&self) -> String {
        let mut fields = vec![(MARK, Item::Line(VERSION.to_string()))];
        fields.extend(design(&self.design));
        if let Some(pinned) = &self.pinned {
            let mut pinned_fields = design(&pinned.design);
            pinned_fields.extend(pinned.point.as_ref().map(|opened| ("point", point(opened))));
            pinned_fields.push(("cores", Item::Fields(cores(&pinned.cores))));
            fields.push(("pinned", Item::Fields(pinned_fields)));
        }
        fields.push(("view", Item::Fields(self.view_fields())));
        let mapping = self.mapping_fields();
        if !mapping.is_empty() {
            fields.push(("mapping", Item::Fields(mapping)));
        }
        fields.push(("hierarchies", Item::Fields(hierarchies(&self.hierarchy))));
        fields.push(("cores", Item::Fields(cores(&self.cores))));
        fields.extend(self.entry.map(|entry| ("gallery", Item::Line(scalar(entry)))));
        fields.extend(self.lesson.map(|step| ("lesson", Item::Line(scalar(step)))));
        let mut text = HEAD.to_owned();
        write(&mut text, 0, &fields);
        text
    }

    fn view_fields(&self) -> Vec<(&'static str, Item)> {
        let view = &self.view;
        let shown = [
            ("hardware", view.hardware_text),
            ("workload", view.workload_text),
            ("pool", self.hierarchy.shows_pool),
            ("system", self.cores.shows_system),
        ];
        let shown: Vec<String> = shown.iter().filter(|(_, shown)| *shown).map(|(name, _)| (*name).to_owned()).collect();
        let mut fields = vec![("tab", named(&Tab::ALL, &view.tab)), ("metric", named(&metrics(), &view.metric))];
        fields.extend(view.point.as_ref().map(|opened| ("point", point(opened))));
        if view.stack > 0 {
            fields.push(("stack", Item::Line((view.stack + 1).to_string())));
        }
        fields.extend(view.tile_type.map(|index| ("tile_type", Item::Line((index + 1).to_string()))));
        if !shown.is_empty() {
            fields.push(("texts", list(shown)));
        }
        fields
    }

    fn mapping_fields(&self) -> Vec<(&'static str, Item)> {
        let mut fields = Vec::new();
        fields.extend(self.mapping.layer.as_ref().map(|layer| ("layer", words(layer))));
        if let Some(unroll) = self.unroll() {
            let one = |one: &crate::hardware::Unroll| format!("{} {} {}", one.array_dim + 1, one.dim, one.limit);
            fields.push(("unroll", list(unroll.iter().map(one).collect())));
        }
        if let Some(own) = self.own_mapping() {
            let order = own.order.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
            fields.push(("order", list(order)));
            for (name, ends) in
                ["ends_of_output", "ends_of_first_input", "ends_of_second_input"].into_iter().zip(&own.ends)
            {
                fields.push((name, list(ends.iter().map(usize::to_string).collect())));
            }
        }
        fields
    }
}

fn design(design: &Design) -> Vec<(&'static str, Item)> {
    vec![
        ("schedule", Item::Fields(schedule(&design.schedule))),
        ("hardware", text(&design.hardware.text)),
        ("workload", text(&design.workload.text)),
    ]
}

fn schedule(schedule: &Schedule) -> Vec<(&'static str, Item)> {
    let Schedule {
        tiles_x,
        tiles_y,
        modes,
        fuse,
        cuts,
        most_layers,
        most_tiles,
        objective,
        memory,
        weights,
        strategy,
        lpf_limit,
        rules,
    } = schedule;
    let mut fields = vec![
        ("tile_widths", words(tiles_x)),
        ("tile_heights", words(tiles_y)),
        ("modes", list(modes.iter().map(|mode| mode.name().to_owned()).collect())),
        ("stacks", named(&FuseChoice::ALL, fuse)),
    ];
    if !cuts.is_empty() {
        fields.push(("cuts", words(cuts)));
    }
    for (name, text) in [("most_layers", most_layers), ("most_tiles", most_tiles)] {
        if !text.is_empty() {
            fields.push((name, words(text)));
        }
    }
    fields.push(("objective", named(&ObjectiveChoice::ALL, objective)));
    if !memory.is_empty() {
        fields.push(("memory", words(memory)));
    }
    fields.push(("weights", list(weights.to_vec())));
    fields.push(("search", named(&STRATEGIES, strategy)));
    fields.push(("lpf_limit", Item::Line(lpf_limit.to_string())));
    let (set, others) = nearest_rules(rules);
    fields.push(("rules", Item::Line(set.to_owned())));
    if !others.is_empty() {
        fields.push(("switched", list(others)));
    }
    fields
}

/// The nearest set, and the switches that are otherwise.
fn nearest_rules(rules: &Rules) -> (&'static str, Vec<String>) {
    let others = |set: &Rules| -> Vec<String> {
        let pairs = rules.switches().into_iter().zip(set.switches());
        pairs.filter(|(mine, its)| mine.2 != its.2).map(|(mine, _)| mine.0.to_owned()).collect()
    };
    let nearest = RULES.iter().map(|(set, name)| (*name, others(set))).min_by_key(|(_, others)| others.len());
    nearest.unwrap_or_default()
}

fn hierarchies(form: &HierarchyForm) -> Vec<(&'static str, Item)> {
    let HierarchyForm {
        pool,
        layer,
        budget,
        max_levels,
        min_ratio,
        all_widths,
        objective,
        pool_preset: _,
        shows_pool: _,
    } = form;
    let mut fields = vec![("pool", text(pool))];
    fields.extend(layer.as_ref().map(|layer| ("layer", words(layer))));
    if !budget.is_empty() {
        fields.push(("area", words(budget)));
    }
    fields.push(("max_levels", Item::Line(max_levels.to_string())));
    fields.push(("min_ratio", Item::Line(min_ratio.to_string())));
    fields.push(("all_widths", Item::Line(all_widths.to_string())));
    fields.extend(OBJECTIVES.get(*objective).map(|(_, name)| ("objective", Item::Line((*name).to_owned()))));
    fields
}

fn cores(form: &CoresForm) -> Vec<(&'static str, Item)> {
    let CoresForm {
        preset: _,
        own: _,
        shows_system: _,
        granularity,
        rows,
        tiles,
        stacks,
        ends,
        aim,
        scheduler,
        order,
        prefetches,
        allocation,
    } = form;
    let mut fields = vec![
        ("system", text(form.system())),
        ("tiles", named(&TileChoice::ALL, granularity)),
        ("rows", words(rows)),
        ("stacks", named(&StackChoice::ALL, stacks)),
        ("aim", named(&AIMS, aim)),
        ("scheduler", named(&SCHEDULERS, scheduler)),
        ("order", named(&ORDERS, order)),
        ("weights_first", Item::Line(prefetches.to_string())),
    ];
    for (name, written) in [("tiles_by_hand", tiles), ("stacks_end_after", ends), ("allocation", allocation)] {
        if !written.is_empty() {
            fields.push((name, words(written)));
        }
    }
    fields
}

fn point(DepthFirstStrategy { tile, mode, fuse }: &DepthFirstStrategy) -> Item {
    let side = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
    let (stacks, cuts) = match fuse {
        FuseDepth::Automatic => (FuseChoice::Automatic, None),
        FuseDepth::SingleLayer => (FuseChoice::SingleLayer, None),
        FuseDepth::LayerByLayer => (FuseChoice::LayerByLayer, None),
        FuseDepth::Cuts(layers) => (FuseChoice::ByHand, Some(layers)),
    };
    let mut fields = vec![
        ("tile", list(vec![side(tile.0), side(tile.1)])),
        ("mode", Item::Line(mode.name().to_owned())),
        ("stacks", named(&FuseChoice::ALL, &stacks)),
    ];
    fields.extend(cuts.map(|layers| ("cuts", list(layers.clone()))));
    Item::Fields(fields)
}

fn named<T: PartialEq>(names: &[(T, &'static str)], value: &T) -> Item {
    Item::Line(names.iter().find(|(other, _)| other == value).map_or("", |(_, name)| name).to_owned())
}

fn words(text: &str) -> Item {
    Item::Line(scalar(text))
}

fn list(items: Vec<String>) -> Item {
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    Item::Line(format!("[{}]", items.join(", ")))
}

/// A document, line by line where YAML keeps it so, else in quotes.
fn text(text: &str) -> Item {
    let is_kept =
        |c: char| c == '\n' || c == '\t' || !(c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    let begins = text.starts_with(|c: char| !c.is_whitespace());
    if begins && text.ends_with('\n') && text.chars().all(is_kept) {
        Item::Block(text.to_owned())
    } else {
        Item::Line(quoted(text))
    }
}

fn write(out: &mut String, depth: usize, fields: &[(&'static str, Item)]) {
    let indent = "  ".repeat(depth);
    for (name, item) in fields {
        out.extend([indent.as_str(), name, ":"]);
        match item {
            Item::Line(value) => out.extend([" ", value, "\n"]),
            Item::Fields(fields) => {
                out.push('\n');
                write(out, depth + 1, fields);
            }
            Item::Block(text) => {
                // All line ends at the end belong to it.
                out.push_str(if text.ends_with("\n\n") { " |+\n" } else { " |\n" });
                for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                    if !line.is_empty() {
                        out.extend([indent.as_str(), "  ", line]);
                    }
                    out.push('\n');
                }
            }
        }
    }
}
