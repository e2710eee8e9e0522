//! The form of the view of many cores.

use super::choice::{StackChoice, TileChoice};
use super::fields::{Form, fields};
use fusescape_engine::multicore::{
    CoreId, CoresRequest, CoresSettings, OrderRule, ScheduleObjective, Scheduler, StackRule, TileGranularity,
};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_spec::{Diagnostics, system_presets};
use std::num::{IntErrorKind, ParseIntError};

/// The initial system of the page.
const FIRST_SYSTEM: &str = "quad-beside";

/// The initial text of tiles by hand.
const FIRST_TILES: &str = "OY 8";

fields! {
    /// The fields of the form, as written.
    #[derive(Debug, Clone, PartialEq)]
    CoresForm set by CoresField {
        /// Kind of tiles.
        granularity(chosen Granularity): TileChoice = TileChoice::Rows => Choice, 38, ["tiles"];
        /// Text of the number of rows.
        rows(typed Rows): String = "1".to_owned() => Text, 39, ["rows"];
        /// Text of the tiles by hand.
        tiles(typed Tiles): String = String::new() => Text, 40, ["tiles_by_hand"];
        /// Kind of stacks.
        stacks(chosen Stacks): StackChoice = StackChoice::Automatic => Choice, 41, ["stacks"];
        /// Text of the layers after which stacks end.
        ends(typed Ends): String = String::new() => Text, 42, ["stacks_end_after"];
        /// The objective among schedules.
        objective(chosen Objective): ScheduleObjective = ScheduleObjective::Latency => Choice, 43, ["aim"];
        /// The set of rules of the scheduler.
        scheduler(chosen Scheduler): Scheduler = Scheduler::Corrected => Choice, 44, ["scheduler"];
        /// Whether weights are transferred before anything else.
        prefetches(chosen Prefetches): bool = false => Flag, 45, ["weights_first"];
        /// The cores of layers by hand: one line per layer, its name and the numbers of its cores; empty for the result
        /// of the search.
        allocation(chosen Allocation): String = String::new() => Text, 46, ["allocation"];
        /// Whether the text of the system is shown.
        shows_system(shown ShowsSystem): bool = false => Shown, 47, [];
        /// The rule for the next tile; `None` for the rule that gives the best schedule.
        order(chosen Order): Option<OrderRule> = None => Choice, 48, ["order"];
        /// The preset of the system; `None` for the text written by hand.
        preset(chosen Preset): Option<String> = Some("quad-beside".to_owned());
        /// Text of a system written by hand; empty if there is none.
        own(typed Own): String = String::new();
    }
}

impl Default for CoresForm {
    fn default() -> Self {
        Self { preset: Some(FIRST_SYSTEM.to_owned()), granularity: TileChoice::Best, ..Self::baseline() }
    }
}

impl CoresForm {
    /// The form for a system and settings.
    pub fn of(system: &str, settings: CoresSettings) -> Self {
        let mut form = Self { preset: Some(system.to_owned()), ..Self::default() };
        let CoresSettings { granularity, stacks, objective, scheduler, order, prefetches_weights, .. } = settings;
        (form.objective, form.scheduler, form.order, form.prefetches) =
            (objective, scheduler, order, prefetches_weights);
        form.state(granularity);
        match stacks {
            StackRule::Automatic => {}
            StackRule::One => form.stacks = StackChoice::One,
            StackRule::EachLayer => form.stacks = StackChoice::EachLayer,
            StackRule::After(names) => (form.stacks, form.ends) = (StackChoice::ByHand, names.join(", ")),
        }
        form
    }

    /// The form for a system with this text and settings.
    pub fn of_text(system: &str, settings: CoresSettings) -> Self {
        let known = system_presets().iter().find(|preset| preset.text == system);
        match known {
            Some(preset) => Self::of(preset.id, settings),
            None => Self { preset: None, own: system.to_owned(), ..Self::of("", settings) },
        }
    }

    /// Sets a fixed size of tiles.
    pub(super) fn state(&mut self, granularity: TileGranularity) {
        match granularity {
            TileGranularity::Rows(rows) => (self.granularity, self.rows) = (TileChoice::Rows, rows.to_string()),
            TileGranularity::LayerByLayer => self.granularity = TileChoice::LayerByLayer,
            TileGranularity::ByHand(text) => (self.granularity, self.tiles) = (TileChoice::ByHand, text),
        }
    }

    /// Whether the tile size is searched; the one of a request is then meaningless.
    pub fn searches_tiles(&self) -> bool {
        self.granularity == TileChoice::Best
    }

    /// Sets a field, and fields that depend on it.
    pub(super) fn change(&mut self, field: CoresField) {
        match &field {
            CoresField::Preset(Some(_)) => self.allocation.clear(),
            CoresField::Own(_) => self.preset = None,
            // An initial text to edit.
            CoresField::Granularity(TileChoice::ByHand) if self.tiles.is_empty() => {
                FIRST_TILES.clone_into(&mut self.tiles)
            }
            _ => {}
        }
        self.set(field);
    }

    /// The effective choices, each with its name.
    pub fn described(&self) -> [(&'static str, String); 7] {
        let named = |name: Option<&&'static str>| name.map_or(String::new(), |name| (*name).to_owned());
        let tiles = match self.granularity {
            TileChoice::Best => "the best size found".to_owned(),
            TileChoice::Rows => format!("{} rows", self.rows.trim()),
            TileChoice::LayerByLayer => "whole layers".to_owned(),
            TileChoice::ByHand => self.tiles.trim().to_owned(),
        };
        let stacks = match self.stacks {
            StackChoice::ByHand => format!("end after {}", self.ends.trim()),
            other => named(StackChoice::ALL.iter().find(|known| known.0 == other).map(|known| &known.1)),
        };
        let allocation = match self.allocation.as_str() {
            "" => "what the search finds".to_owned(),
            lines => lines.replace('\n', "; "),
        };
        [
            ("tiles", tiles),
            ("layers_that_take_turns", stacks),
            ("minimise", self.objective.name().to_owned()),
            ("scheduler", self.scheduler.name().to_owned()),
            ("next_tile", self.order.map_or("best", OrderRule::name).to_owned()),
            ("weights_first", self.prefetches.to_string()),
            ("allocation", allocation),
        ]
    }

    /// Text of the system in force.
    pub fn system(&self) -> &str {
        let preset = self.preset.as_ref().and_then(|id| system_presets().iter().find(|preset| preset.id == id));
        preset.map_or(&self.own, |preset| preset.text)
    }

    /// The request, with the two documents of the design.
    ///
    /// # Errors
    /// Errors in fields; the documents are checked by the workers.
    pub fn request(
        &self,
        hardware: &str,
        workload: &str,
        (strategy, lpf_limit): (Strategy, usize),
        rules: Rules,
    ) -> Result<CoresRequest, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let granularity = match self.granularity {
            // The search replaces this value.
            TileChoice::Best | TileChoice::LayerByLayer => TileGranularity::LayerByLayer,
            TileChoice::ByHand => TileGranularity::ByHand(self.tiles.clone()),
            TileChoice::Rows => TileGranularity::Rows(match self.rows.trim().parse::<u64>() {
                Ok(rows) if rows > 0 => rows,
                wrong => {
                    let rows = self.rows.trim();
                    let reason = match wrong.as_ref().map_err(ParseIntError::kind) {
                        Err(IntErrorKind::Empty) => "The rows of a tile are missing".to_owned(),
                        Err(IntErrorKind::PosOverflow) => format!("`{rows}` rows are too many"),
                        _ => format!("`{rows}` is not a number of rows"),
                    };
                    diagnostics.add("settings.rows", reason, "Write a whole number from 1 on");
                    1
                }
            }),
        };
        let ends = self.ends.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty());
        let stacks = match self.stacks {
            StackChoice::Automatic => StackRule::Automatic,
            StackChoice::One => StackRule::One,
            StackChoice::EachLayer => StackRule::EachLayer,
            StackChoice::ByHand => StackRule::After(ends.map(str::to_owned).collect()),
        };
        diagnostics.or(CoresRequest {
            hardware: hardware.to_owned(),
            workload: workload.to_owned(),
            system: self.system().to_owned(),
            settings: CoresSettings {
                granularity,
                stacks,
                objective: self.objective,
                scheduler: self.scheduler,
                order: self.order,
                prefetches_weights: self.prefetches,
                strategy,
                lpf_limit,
                rules,
            },
        })
    }
}

/// Parses the cores of layers written by hand: names of layers, and numbers of cores; other lines are ignored.
pub fn read_allocation(text: &str) -> Vec<(String, Vec<CoreId>)> {
    let line = |line: &str| {
        let (layer, cores) = line.rsplit_once(':')?;
        let core = |core: &str| core.parse::<usize>().ok().map(CoreId::from);
        let cores: Option<Vec<CoreId>> = cores.split_whitespace().map(core).collect();
        Some((layer.trim().to_owned(), cores?))
    };
    text.lines().filter_map(line).collect()
}

/// Writes the cores of layers as a text for [`read_allocation`]: one line per layer.
pub fn write_allocation<'a>(layers: impl IntoIterator<Item = (&'a str, &'a [CoreId])>) -> String {
    let line = |(layer, cores): (&str, &[CoreId])| {
        let cores: Vec<String> = cores.iter().map(CoreId::to_string).collect();
        format!("{layer}: {}", cores.join(" "))
    };
    layers.into_iter().map(line).collect::<Vec<_>>().join("\n")
}
