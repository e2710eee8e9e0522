//! The time of every core and the energy of a system by cause; transfers by link, usage by memory.

use crate::bars::{Breakdown, StackedBar};
use crate::kit::{BarCause, Column, Quantity, Table, TableCell, reason_name, three_digits};
use fusescape_engine::cost::LatencyCause;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{
    Carrier, CoreTime, CoreTimeCause, CoresAccount, CoresEnergyCause, CoresPart, LinkId, TransferReason,
};

const REASONS: usize = TransferReason::ALL.len();

/// A cause of a core's time, for figures.
fn time_cause(cause: CoreTimeCause) -> BarCause {
    match cause {
        CoreTimeCause::Computing => BarCause::Latency(LatencyCause::Computing),
        CoreTimeCause::Stalling => BarCause::Latency(LatencyCause::Stall),
        CoreTimeCause::Transferring => BarCause::Transfer,
        CoreTimeCause::Idle => BarCause::Idle,
    }
}

/// A cause of a system's energy, for figures: transfers by reason, whichever link carries them.
fn energy_cause(cause: CoresEnergyCause) -> BarCause {
    match cause {
        CoresEnergyCause::OnChip => BarCause::OnChip,
        CoresEnergyCause::Moved(_, reason) => BarCause::Moved(reason),
    }
}

/// The time of each core by cause, cycles; every bar is as long as the schedule.
pub fn core_time(account: &CoresAccount) -> Breakdown {
    let bar = |core: &CoreTime| StackedBar {
        label: core.name.clone(),
        values: CoreTimeCause::ALL.map(|cause| core.cycles[cause]).into(),
    };
    Breakdown {
        quantity: Quantity::Latency,
        title: "Time of each core".to_owned(),
        bar: "core".to_owned(),
        causes: CoreTimeCause::ALL.map(time_cause).into(),
        bars: account.cores.iter().map(bar).collect(),
    }
}

/// The energy by cause: the cores with their memories, the links, and the memories at both ends of transfers.
pub fn system_energy(account: &CoresAccount) -> Breakdown {
    let moved = moved_reasons(account);
    let causes: Vec<BarCause> =
        std::iter::once(BarCause::OnChip).chain(moved.into_iter().map(BarCause::Moved)).collect();
    let takes = |part: CoresPart, shown: BarCause| {
        let of_it = part.causes().filter(|cause| energy_cause(*cause) == shown);
        of_it.fold(0.0, |sum, cause| sum + account.energy[cause])
    };
    let bar = |part: CoresPart| StackedBar {
        label: part.title().to_owned(),
        values: causes.iter().map(|cause| takes(part, *cause)).collect(),
    };
    Breakdown {
        quantity: Quantity::Energy,
        title: "Energy".to_owned(),
        bar: "part".to_owned(),
        bars: CoresPart::ALL.map(bar).into(),
        causes,
    }
}

/// The reasons of transfers that take energy, in the order of the figure.
pub fn moved_reasons(account: &CoresAccount) -> Vec<TransferReason> {
    let takes = |reason: &TransferReason| {
        let by_carrier = Carrier::ALL.map(|carrier| account.energy[CoresEnergyCause::Moved(carrier, *reason)]);
        by_carrier.into_iter().sum::<f64>() > 0.0
    };
    TransferReason::ALL.into_iter().filter(takes).collect()
}

/// The data that each link carries, by reason, and how long the link is busy.
pub fn link_table(account: &CoresAccount) -> Table {
    let mut carried: TiVec<LinkId, [u64; REASONS]> = ti_vec![[0; REASONS]; account.links.len()];
    for transfer in &account.transfers {
        for &link in &transfer.links {
            if let Some(carried) = carried.get_mut(link) {
                carried[transfer.reason as usize] += transfer.bits;
            }
        }
    }
    let row = |(link, carried): (&fusescape_engine::multicore::LinkTime, [u64; REASONS])| {
        let words = [link.name.as_str().into(), TableCell::number(three_digits(link.bandwidth), link.bandwidth)];
        let busy = [TableCell::of(Quantity::Latency, link.busy), share_cell(link.busy, account.latency_cycles)];
        words.into_iter().chain(busy).chain(carried.map(TableCell::size)).collect()
    };
    let reasons = TransferReason::ALL.map(|reason| Column::measured(reason_name(reason), Quantity::Bytes.base()));
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

/// The peak usage of every memory.
pub fn memory_table(account: &CoresAccount) -> Table {
    let row = |memory: &fusescape_engine::multicore::MemoryUsage| {
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
