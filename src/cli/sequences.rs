//! `fusescape fuse --sequences`: HW-Flow-Fusion's tables, the same as on the page.

use super::arguments::Format;
use super::{Failure, json_text, print};
use fusescape_chart::{
    Chart, SequenceQuantity, Table, partition_scatter, resource_curves, reuse_bars, sequence_shares, sequence_table,
    storage_bars, traffic_bars,
};
use fusescape_command::Report;
use fusescape_command::sequences::{SequenceTable, SequenceTables};
use fusescape_engine::explore::{
    Resource, ResourceStep, Sequence, SequenceCosts, SequenceFinding, SequenceQuestion, Sharing, Sweep,
    chosen_sequences, find_sequences,
};
use std::fmt::Write;

/// Columns and rows of the tile whose reuse buffers are printed.
const TILE: u64 = 8;

/// Prints the tables; as comma-separated values only the first.
pub fn run(sweep: &Sweep, sharing: Sharing, format: Format) -> Result<(), Failure> {
    let tables = tables(sweep, sharing)?;
    print(&match format {
        Format::Table => {
            let mut out = format!("{} on {}\n", sweep.network.name, sweep.core.name);
            for table in &tables {
                write!(out, "\n{}\n\n{}", table.caption, table.to_markdown())?;
            }
            out
        }
        Format::Json => {
            let tables = tables.iter().map(as_rows).collect::<Result<_, _>>()?;
            let found = SequenceTables { hardware: &sweep.core.name, workload: &sweep.network.name, tables };
            json_text(&found.json()?)?
        }
        Format::Csv => tables.first().map(Table::to_csv).unwrap_or_default(),
    })
}

fn as_rows(table: &Table) -> Result<SequenceTable<'_>, serde_json::Error> {
    Ok(SequenceTable { table: &table.caption, rows: serde_json::from_str(&table.to_json())? })
}

fn tables(sweep: &Sweep, sharing: Sharing) -> Result<Vec<Table>, Failure> {
    let find = |question: SequenceQuestion| find_sequences(sweep, question);
    let SequenceFinding::Chains(chains) = find(SequenceQuestion::Chains)? else { return Ok(Vec::new()) };
    let cost = |&sequence: &Sequence| match find(SequenceQuestion::Costs(sequence)) {
        Ok(SequenceFinding::Costs(costs)) => Some(*costs),
        _ => None,
    };
    let costs: Vec<SequenceCosts> = chains.legal.iter().filter_map(cost).collect();
    let chosen = chosen_sequences(&chains, &costs, sharing);
    let mut tables = vec![sequence_table(&chains, &costs, &chosen)];
    if let Some(sequence) = chains.most_saving(&costs, &chosen) {
        if let SequenceFinding::Needs(needs) = find(SequenceQuestion::Needs(sequence))? {
            tables.push(storage_bars(&needs, chains.accelerator.buffer).table());
            tables.push(traffic_bars(&needs).table());
            tables.push(reuse_bars(&needs, TILE).table());
        }
        tables.extend(cost(&sequence).map(|costs| sequence_shares(&chains, &costs)));
        if let SequenceFinding::Partitions(Some(partitions)) = find(SequenceQuestion::Partitions(sequence))? {
            tables.push(partition_scatter(&partitions).table());
        }
    }
    for resource in Resource::ALL {
        let step = |step: i32| match find(SequenceQuestion::Resources(None, resource, step)) {
            Ok(SequenceFinding::Resources(step)) => Some(*step),
            _ => None,
        };
        let steps: Vec<ResourceStep> = resource.steps().filter_map(step).collect();
        tables.extend(SequenceQuantity::ALL.map(|quantity| resource_curves(resource, quantity, &steps).table()));
    }
    Ok(tables)
}
