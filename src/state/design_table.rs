//! The table of designs: every chosen accelerator with every chosen network.

use super::choice::HierarchyObjective;
use super::fields::fields;
use super::half::Half;
use super::tiles::suggested_tiles;
use super::views::Tab;
use super::{ObjectiveChoice, State};
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{Request, Settings, StackLimits};
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostics, Preset};

/// The name of the document written by hand, or of the one of the pinned design, if it is not a preset.
const OWN: &str = "own";
const PINNED: &str = "pinned";

fields! {
    /// The documents of the table, by the names of presets, and what the schedule of each pair minimises.
    #[derive(Debug, Clone, PartialEq, Default)]
    DesignTable set by TableField {
        /// Accelerators; if empty, those of the current and the pinned design.
        hardware: Vec<String> = Vec::new() => Names, 49, ["hardware"];
        /// Networks; if empty, those of the current and the pinned design.
        networks: Vec<String> = Vec::new() => Names, 50, ["networks"];
        /// The objective, which is also shown.
        objective(chosen Objective): HierarchyObjective = HierarchyObjective::Energy => Choice, 51, ["objective"];
    }
}

/// A document that may be in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDocument {
    /// Name in links and files.
    pub id: String,
    /// Name on the page: that of the preset, or the one in its text.
    pub name: String,
    /// `None` for a document written by hand.
    pub preset: Option<&'static Preset>,
    /// Its text, or the reason why there is none.
    pub text: Result<String, &'static str>,
}

impl DesignTable {
    fn list_mut(&mut self, half: Half) -> &mut Vec<String> {
        match half {
            Half::Hardware => &mut self.hardware,
            Half::Workload => &mut self.networks,
        }
    }

    fn list(&self, half: Half) -> &[String] {
        match half {
            Half::Hardware => &self.hardware,
            Half::Workload => &self.networks,
        }
    }
}

impl State {
    /// Documents that can be added to the table: those written by hand first, then presets.
    pub fn table_offers(&self, half: Half) -> Vec<TableDocument> {
        let document = self.design.document(half);
        let own = document.own.as_ref().or(document.preset.is_none().then_some(&document.text));
        let pinned = self.pinned.as_ref().map(|pinned| pinned.design.document(half));
        let pinned = pinned.filter(|document| document.preset.is_none()).map(|document| &document.text);
        let by_hand = [(OWN, "own", own), (PINNED, "pinned", pinned.filter(|text| Some(*text) != own))];
        let by_hand = by_hand.into_iter().filter_map(|(id, whose, text)| {
            let name = text?.lines().find_map(|line| line.strip_prefix("name:")).map_or("without a name", str::trim);
            let name = format!("{name} ({whose})");
            Some(TableDocument { id: id.to_owned(), name, preset: None, text: Ok(text?.clone()) })
        });
        let presets = half.presets().iter().map(|preset| TableDocument {
            id: preset.id.to_owned(),
            name: preset.id.to_owned(),
            preset: Some(preset),
            text: Ok(preset.text.to_owned()),
        });
        by_hand.chain(presets).collect()
    }

    /// Documents in the table, in the order of [`Self::table_offers`].
    pub fn table_documents(&self, half: Half) -> Vec<TableDocument> {
        let (chosen, offers) = (self.table_ids(half), self.table_offers(half));
        let unknown = chosen.iter().filter(|id| !offers.iter().any(|offer| offer.id == **id));
        let unknown: Vec<TableDocument> = unknown.map(|id| missing(id)).collect();
        offers.into_iter().filter(|offer| chosen.contains(&offer.id)).chain(unknown).collect()
    }

    /// The chosen documents; if there are none, those of the current and the pinned design.
    fn table_ids(&self, half: Half) -> Vec<String> {
        let chosen = self.table.list(half);
        if !chosen.is_empty() {
            return chosen.to_vec();
        }
        let document = self.design.document(half);
        let mut ids = vec![document.preset.unwrap_or(OWN).to_owned()];
        if let Some(pinned) = self.pinned.as_ref().map(|pinned| pinned.design.document(half))
            && pinned.text != document.text
        {
            ids.push(pinned.preset.unwrap_or(PINNED).to_owned());
        }
        ids
    }

    /// The request for a pair: its best schedule under the current choices, with tile sizes that suit the network.
    ///
    /// # Errors
    /// Errors in the schedule, or the reason why there is no document.
    pub fn table_request(
        &self,
        hardware: &TableDocument,
        network: &TableDocument,
    ) -> Result<(Request, StackLimits), Diagnostics> {
        let mut wrong = Diagnostics::default();
        let mut text = |document: &TableDocument| match &document.text {
            Ok(text) => text.clone(),
            Err(why) => {
                wrong.add(&document.id, *why, "Leave it out, or open a design that has it");
                String::new()
            }
        };
        let (hardware, workload) = (text(hardware), text(network));
        wrong.or(())?;
        let settings = self.design.schedule.settings()?;
        let (tiles_x, tiles_y) =
            Network::from_text(&workload).map_or_else(|_| (vec![1], vec![1]), |known| suggested_tiles(&known));
        let (fuse, objective) = (vec![FuseDepth::Automatic], self.table.objective.objective());
        let settings = Settings { tiles_x, tiles_y, fuse, objective, ..settings };
        Ok((Request { hardware, workload, settings }, self.design.schedule.stack_limits()?))
    }

    /// Appends a document to the table, or removes it.
    pub(super) fn set_in_table(&mut self, half: Half, id: String, is_in: bool) {
        let mut ids = self.table_ids(half);
        ids.retain(|known| *known != id);
        ids.extend(is_in.then_some(id));
        *self.table.list_mut(half) = ids;
    }

    /// Takes the documents of a cell and the objective of the table as the current design. The table keeps its
    /// documents.
    pub(super) fn open_from_table(&mut self, hardware: TableDocument, network: TableDocument) {
        for (half, document) in [(Half::Hardware, hardware), (Half::Workload, network)] {
            *self.table.list_mut(half) = self.table_ids(half);
            match document {
                TableDocument { preset: Some(preset), .. } => self.design.pick(half, preset),
                TableDocument { id, .. } if id == OWN => self.design.pick_own(half),
                TableDocument { text: Ok(text), .. } => self.design.import(half, text),
                TableDocument { .. } => {}
            }
        }
        let objective = match self.table.objective {
            HierarchyObjective::Energy => ObjectiveChoice::Energy,
            HierarchyObjective::Latency => ObjectiveChoice::Latency,
            HierarchyObjective::EnergyDelayProduct => ObjectiveChoice::EnergyDelayProduct,
        };
        self.view.metric = super::metric_of(objective);
        self.design.schedule.objective = objective;
        (self.view.point, self.view.stack, self.view.tile_type) = (None, 0, None);
        self.view.tab = Tab::Landscape;
    }
}

fn missing(id: &str) -> TableDocument {
    let why = match id {
        OWN => "No document is written by hand here",
        PINNED => "No design with a document of its own is pinned",
        _ => "There is no preset of this name",
    };
    TableDocument { id: id.to_owned(), name: id.to_owned(), preset: None, text: Err(why) }
}
