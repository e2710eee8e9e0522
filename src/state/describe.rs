//! A state as text, one property per line, for people and tests.

use super::{AttentionForm, Design, DesignTable, Half, State, Tab};
use fusescape_engine::depth_first::DepthFirstStrategy;
use fusescape_lesson::step_name;

impl State {
    /// All effective choices, line by line: `tiles: 1 4 16 x 1 4 18`. Documents are named; one written by hand by its
    /// name and length.
    pub fn describe(&self) -> String {
        let mut lines = describe_design(&self.design);
        if let Some(pinned) = &self.pinned {
            lines.extend(describe_design(&pinned.design).into_iter().map(|line| format!("pinned {line}")));
            lines.extend(pinned.point.as_ref().map(|point| format!("pinned point: {}", point_text(point))));
        }
        self.describe_hierarchies(&mut lines);
        self.describe_table(&mut lines);
        self.describe_attention(&mut lines);
        if !self.study.text.is_empty() {
            lines.push(format!("study: {} letters", self.study.text.chars().count()));
        }
        self.describe_view(&mut lines);
        lines.join("\n") + "\n"
    }

    fn describe_hierarchies(&self, lines: &mut Vec<String>) {
        let form = &self.hierarchy;
        let widths = if form.all_widths { "all" } else { "fitting" };
        let budget = if form.budget.is_empty() { "any" } else { &form.budget };
        lines.push(format!(
            "hierarchies: {}, layer {}, area {budget}, up to {} levels, ratio {}, {widths} widths, objective {}{}",
            named(form.pool_preset, &form.pool),
            form.layer.as_deref().unwrap_or("all"),
            form.max_levels,
            form.min_ratio,
            super::AnyChoice::name(&form.objective),
            if form.only_best { ", only the best" } else { "" },
        ));
    }

    fn describe_attention(&self, lines: &mut Vec<String>) {
        let form = &self.attention;
        if *form != AttentionForm::default() {
            let chunks =
                if form.chunk.is_empty() { String::new() } else { format!(", prompt in chunks of {}", form.chunk) };
            lines.push(format!(
                "attention: {}, {} tokens after {}{chunks}, {} sequences, {} generated, {} bits",
                named(form.preset(), form.text()),
                form.tokens,
                form.cached,
                form.batch,
                form.generated,
                form.bits,
            ));
        }
    }

    fn describe_table(&self, lines: &mut Vec<String>) {
        let DesignTable { hardware, networks, objective } = &self.table;
        if self.table != DesignTable::default() {
            let objective = super::AnyChoice::name(objective);
            lines.push(format!("table: {} on {}, by {objective}", networks.join(", "), hardware.join(", ")));
        }
    }

    fn describe_view(&self, lines: &mut Vec<String>) {
        let tab = Tab::ALL.iter().find(|(tab, _)| *tab == self.view.tab).map_or("", |(_, title)| title);
        lines.push(format!("view: {tab}, {}", self.view.metric.title()));
        if let Some(point) = &self.view.point {
            lines.push(format!("point: {}, stack {}", point_text(point), self.view.stack + 1));
        }
        lines.extend(self.mapping.layer.as_ref().map(|layer| format!("layer: {layer}")));
        if let Some(unroll) = self.unroll() {
            let loops = unroll
                .iter()
                .map(|one| format!("{} {} over dimension {}", one.dim, one.limit, one.array_dim.index() + 1));
            lines.push(format!("unrolled: {}", loops.collect::<Vec<_>>().join(", ")));
        }
        if let Some(mapping) = self.own_mapping() {
            let order = mapping.order.iter().map(|next| format!("{} {}", next.dim, next.size)).collect::<Vec<_>>();
            lines.push(format!("mapping: {}; levels end after {:?}", order.join(", "), mapping.ends));
        }
        lines.extend(self.entry.map(|entry| format!("gallery: {entry}")));
        if let Some(lesson) = &self.lesson {
            let student =
                if lesson.student.is_empty() { String::new() } else { format!(", student {}", lesson.student) };
            lines.push(format!("lesson: {}{student}", step_name(&lesson.source.key(), lesson.step)));
        }
    }
}

fn named(preset: Option<&str>, text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("name:"));
    match preset {
        Some(preset) => preset.to_owned(),
        None => format!("{} (by hand, {} bytes)", line.map_or("without a name", str::trim), text.len()),
    }
}

fn describe_design(design: &Design) -> Vec<String> {
    let mut lines: Vec<String> = [Half::Hardware, Half::Workload]
        .map(|half| {
            let document = design.document(half);
            format!("{}: {}", half.name(), named(document.preset, &document.text))
        })
        .into();
    lines.extend(design.schedule.lines());
    lines
}

/// `60 x 72, fully-cached, auto`
fn point_text(point: &DepthFirstStrategy) -> String {
    let side = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
    format!("{} x {}, {}, {}", side(point.tile.0), side(point.tile.1), point.mode.name(), point.fuse)
}
