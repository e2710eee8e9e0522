//! Accelergy's energy reference tables: the energy per action of a component.

use crate::places::{amount, find, text, without_range};
use fusescape_spec::reader::{LocatedNode, Reader};

/// Limit on the components of a table, and on the actions of one.
const MAX_TABLES: usize = 1024;
const MAX_ACTIONS: usize = 64;

/// The energy of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct TableEnergy {
    /// The component, without its path and its number of instances: `RegisterFile`.
    pub component: String,
    /// `read`, `write`, `update`, `leak`, `compute`.
    pub action: String,
    /// Energy of one action, pJ; for a memory, of an access of its full width.
    pub energy_pj: f64,
}

/// Reads `tables` of an ERT, or `table_summary` of its summary.
pub fn read(place: &LocatedNode, all: &mut Vec<TableEnergy>, reader: &mut Reader) {
    let entries = place.entries(reader);
    let Some(tables) = find(&entries, "tables").or_else(|| find(&entries, "table_summary")) else { return };
    for table in tables.list(reader, MAX_TABLES) {
        let fields = table.entries(reader);
        let Some(name) = text(&fields, "name", reader) else { continue };
        let component = component_of(&name);
        let Some(actions) = find(&fields, "actions") else { continue };
        for action in actions.list(reader, MAX_ACTIONS) {
            let fields = action.entries(reader);
            let (Some(action), Some(energy)) = (text(&fields, "name", reader), find(&fields, "energy")) else {
                continue;
            };
            if let Some(energy_pj) = amount(energy, reader) {
                all.push(TableEnergy { component: component.to_owned(), action, energy_pj });
            }
        }
    }
}

/// The component of a path: `RegisterFile` of `System.PE[1..4].RegisterFile[1..16]`.
fn component_of(path: &str) -> &str {
    // Dots within a range separate nothing.
    let name = path.rfind('[').map_or(path, |range| &path[..range]);
    without_range(name.rsplit_once('.').map_or(name, |(_, last)| last)).0
}
