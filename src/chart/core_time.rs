//! Where the time of every core and the energy of a system go; what links carry and memories hold.

use super::breakdown::{Breakdown, Cause, Part, StackedBar};
use super::core_timeline::{REASONS, reason_name};
use super::scale::{Quantity, three_digits};
use super::{Column, Table, TableCell};
use crate::cost::LatencyCause;
use crate::ids::{TiVec, ti_vec};
use crate::multicore::{CoreTime, LinkId, SystemAccount, TransferReason};

/// Where the time of a core goes, and how many cycles.
const CORE_TIME: [Part<CoreTime>; 4] = [
    (Cause::Latency(LatencyCause::Computing), |core| core.computing),
    (Cause::Latency(LatencyCause::Stall), |core| core.stalling),
    (Cause::Transfer, |core| core.transferring),
    (Cause::Idle, |core| core.idle),
];

/// Where the time of each core goes, cycles; every bar is as long as the schedule.
pub fn core_time(account: &SystemAccount) -> Breakdown {
    let bar = |core: &CoreTime| StackedBar {
        label: core.name.clone(),
        values: CORE_TIME.iter().map(|(_, cycles)| cycles(core)).collect(),
    };
    Breakdown {
        quantity: Quantity::Latency,
        title: "Time of each core".to_owned(),
        bar: "core".to_owned(),
        causes: CORE_TIME.iter().map(|(cause, _)| *cause).collect(),
        bars: account.cores.iter().map(bar).collect(),
    }
}

/// Where the energy goes: the cores with their memories, the links, and the memories at both ends of transfers.
pub fn system_energy(account: &SystemAccount) -> Breakdown {
    let energy = &account.energy;
    let moved = moved_reasons(account);
    let bar = |label: &str, onchip: f64, by_reason: &[f64; 4]| StackedBar {
        label: label.to_owned(),
        values: std::iter::once(onchip).chain(moved.iter().map(|reason| by_reason[*reason as usize])).collect(),
    };
    Breakdown {
        quantity: Quantity::Energy,
        title: "Energy".to_owned(),
        bar: "part".to_owned(),
        causes: std::iter::once(Cause::OnChip).chain(moved.iter().map(|reason| Cause::Moved(*reason))).collect(),
        bars: vec![
            bar("cores", energy.onchip_pj, &[0.0; 4]),
            bar("links", 0.0, &energy.link_pj),
            bar("memories of transfers", 0.0, &energy.memory_pj),
        ],
    }
}

/// Why something travels that takes energy, in the order of the figure.
pub fn moved_reasons(account: &SystemAccount) -> Vec<TransferReason> {
    let energy = &account.energy;
    let takes = |reason: &TransferReason| energy.link_pj[*reason as usize] + energy.memory_pj[*reason as usize] > 0.0;
    REASONS.into_iter().filter(takes).collect()
}

/// What every link carries, by reason, and how long.
pub fn link_table(account: &SystemAccount) -> Table {
    let mut carried: TiVec<LinkId, [u64; 4]> = ti_vec![[0; 4]; account.links.len()];
    for transfer in &account.transfers {
        for &link in &transfer.links {
            if let Some(carried) = carried.get_mut(link) {
                carried[transfer.reason as usize] += transfer.bits;
            }
        }
    }
    let row = |(link, carried): (&crate::multicore::LinkTime, [u64; 4])| {
        let words = [link.name.as_str().into(), TableCell::number(three_digits(link.bandwidth), link.bandwidth)];
        let busy = [TableCell::of(Quantity::Latency, link.busy), share_cell(link.busy, account.latency_cycles)];
        words.into_iter().chain(busy).chain(carried.map(TableCell::size)).collect()
    };
    let reasons = REASONS.map(|reason| Column::measured(reason_name(reason), Quantity::Bytes.base()));
    let columns = [
        Column::words("link"),
        Column::plain("bandwidth", "bit/cycle"),
        Column::measured("busy", Quantity::Latency.base()),
        Column::plain("of the time", "%"),
    ];
    Table {
        caption: "Links".to_owned(),
        columns: columns.into_iter().chain(reasons).collect(),
        rows: account.links.iter().zip(carried).map(row).collect(),
    }
}

/// How full every memory is at most.
pub fn memory_table(account: &SystemAccount) -> Table {
    let row = |memory: &crate::multicore::MemoryUse| {
        vec![
            memory.name.as_str().into(),
            TableCell::size(memory.capacity_bits),
            TableCell::size(memory.peak_bits),
            share_cell(memory.peak_bits as f64, memory.capacity_bits as f64),
        ]
    };
    Table {
        caption: "Memories".to_owned(),
        columns: vec![
            Column::words("memory"),
            Column::measured("capacity", Quantity::Bytes.base()),
            Column::measured("most in use", Quantity::Bytes.base()),
            Column::plain("of its capacity", "%"),
        ],
        rows: account.memories.iter().map(row).collect(),
    }
}

fn share_cell(part: f64, whole: f64) -> TableCell {
    let share = 100.0 * part / whole;
    TableCell::number(three_digits(share), share)
}
