//! Times, sizes and energies of transfers.

use super::{CoresNumber, PLAIN, ScheduleTerms, TileFigure, TransferFigure};
use crate::formula::{Explained, How};
use crate::numbers::{CYCLES, ENERGY_UNIT};
use crate::sources::{COALA, SINGLE_LAYER};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{
    Carrier, LinkId, LinkTime, MemoryAccess, StartConstraint, TopMemoryId, TransferCost, TransferId, TransferReason,
    TransferRun, TransferWaits,
};

impl ScheduleTerms<'_> {
    pub(super) fn carried(
        &self,
        link: LinkId,
        reason: TransferReason,
    ) -> impl Iterator<Item = (TransferId, &TransferRun)> {
        let transfers = self.0.transfers.iter_enumerated();
        transfers.filter(move |(_, run)| run.reason == reason && run.links.contains(&link))
    }

    pub(super) fn transfer(&self, shown: Explained, id: TransferId, figure: TransferFigure) -> Option<Explained> {
        let account = self.0;
        let run = account.transfers.get(id)?;
        let of = |figure: TransferFigure| self.folded(CoresNumber::Transfer(id, figure));
        let bits = Explained::given("bits", run.bits as f64, PLAIN);
        Some(
            match figure {
                TransferFigure::Begin => shown.or("", How::Largest, self.waits(id, run)).noted(match run.begin {
                    StartConstraint::Ready => "As soon as it is where it comes from.",
                    StartConstraint::Room => "As soon as there is room in the memory that it goes to.",
                    StartConstraint::Links => "As soon as all links on its way are free for as long as it takes.",
                    StartConstraint::Brought => "As soon as all that belongs to it is there.",
                    StartConstraint::Late => "As late as possible without delaying its reader.",
                }),
                TransferFigure::End => shown.or(
                    "",
                    How::Sum,
                    [TransferFigure::Begin, TransferFigure::Takes].into_iter().filter_map(of).collect(),
                ),
                TransferFigure::Takes => match run.cost {
                    TransferCost::Stream(_) => shown.or("", How::Product, self.duration(run.tile)?),
                    TransferCost::Tensor { source, target, .. } => {
                        let links = run.links.iter().filter_map(|link| account.links.get(*link));
                        let over = |link: &LinkTime| {
                            let width = Explained::given("bits a cycle", link.bandwidth, PLAIN);
                            Explained::computed(link.name.clone(), CYCLES, How::QuotientUp, vec![bits.clone(), width])
                        };
                        let ends = self.ports(source, target).into_iter().map(|(name, width)| {
                            let width = Explained::given("bits a cycle", width as f64, PLAIN);
                            Explained::computed(name, CYCLES, How::QuotientUp, vec![bits.clone(), width])
                        });
                        let terms: Vec<Explained> = links.map(over).chain(ends).collect();
                        if terms.is_empty() {
                            shown.noted("No link lies between.")
                        } else {
                            shown.or("", How::Largest, terms)
                        }
                    }
                },
                TransferFigure::Size => match run.cost {
                    TransferCost::Stream(rate) => {
                        let rate = Explained::given("bits a cycle", rate, PLAIN)
                            .noted(if account.streams_at_peak {
                                "What the mapping of the tile moves to or from DRAM in its busiest cycles."
                            } else {
                                "What the mapping of the tile moves to or from DRAM, on average."
                            })
                            .after(SINGLE_LAYER);
                        let cycles = account.costs[account.tiles.get(run.tile)?.cost].cycles;
                        let cycles = Explained::given("cycles by its mapping", cycles, CYCLES).after(SINGLE_LAYER);
                        let bits = Explained::computed("bits", PLAIN, How::WholeProduct, vec![rate, cycles]);
                        shown.or("", How::Quotient, vec![bits, Explained::given("bits a byte", 8.0, PLAIN)])
                    }
                    TransferCost::Tensor { .. } => {
                        shown.noted("All elements of the tensor, as the network's precision has them.")
                    }
                },
                TransferFigure::Energy(Carrier::Links) => {
                    self.link_energy(shown, run, bits, of(TransferFigure::Takes)?)
                }
                TransferFigure::Energy(Carrier::Memories) => self.memory_energy(shown, run, bits)?,
            }
            .after(COALA),
        )
    }

    /// The memories on the chip that read and write a transfer, with their bits per cycle; none if the rules ignore
    /// them.
    fn ports(&self, source: TopMemoryId, target: TopMemoryId) -> Vec<(String, u64)> {
        let accesses = &self.0.accesses;
        let dram = accesses.last_key();
        let is_counted = |memory: TopMemoryId| !self.0.ignores_ports && Some(memory) != dram;
        let read = accesses.get(source).filter(|_| is_counted(source));
        let write = accesses.get(target).filter(|_| is_counted(target));
        let read = read.map(|memory| (format!("read {}", memory.memory), memory.read_bits));
        let write = write.map(|memory| (format!("write {}", memory.memory), memory.write_bits));
        read.into_iter().chain(write).collect()
    }

    /// The end times of everything that a transfer waits for.
    fn waits(&self, id: TransferId, run: &TransferRun) -> Vec<Explained> {
        let account = self.0;
        let given =
            |name: &'static str, cycle: f64, note: &'static str| Explained::given(name, cycle, CYCLES).noted(note);
        let TransferWaits { there, late, room, links } = run.waits;
        let first = match (late, &run.cost) {
            (Some(late), _) => given(
                "late enough",
                late,
                "The latest cycle that does not delay its reader, if the links and the memory allow.",
            ),
            (None, TransferCost::Stream(_)) => given(
                "its tile could begin",
                there,
                "The tile’s core is free, and what it reads at once is there and has room.",
            ),
            (None, TransferCost::Tensor { .. }) => {
                let arrival = account.came_by(id).map(|before| CoresNumber::Transfer(before, TransferFigure::End));
                let computed =
                    (run.operand == Operand::O && there > 0.0).then_some(CoresNumber::Tile(run.tile, TileFigure::End));
                let before = self.all(arrival.or(computed));
                let note = if before.is_empty() {
                    "DRAM has it from the beginning."
                } else {
                    "It is computed, or another transfer brought it there."
                };
                given("it is where it comes from", there, note).or("", How::Sum, before)
            }
        };
        let to = "From this cycle on it fits into the memory that it goes to, once others have left it.";
        let way = "From this cycle on all links on its way have the bandwidth for as long as it takes.";
        let (room_for_it, links_free) = (given("room for it", room, to), given("links free", links, way));
        if first.value > room {
            // For a tensor that never fits without evictions, the public tool searches for room from the memory's last
            // change on (`SchedulingRules::makes_room_too_early`).
            let early = format!(
                "The memory has no room for it without evictions. These are placed from the memory’s last change on, \
                 though it is where it comes from only at cycle {}.",
                first.value
            );
            return vec![room_for_it.noted(early), links_free];
        }
        vec![first, room_for_it, links_free]
    }

    pub(super) fn link_energy(
        &self,
        shown: Explained,
        run: &TransferRun,
        bits: Explained,
        takes: Explained,
    ) -> Explained {
        let account = self.0;
        let TransferCost::Tensor { shared, .. } = &run.cost else {
            return shown.noted("The energy of DRAM counts with the tile; links take none for what is streamed.");
        };
        let pays = |link: &&LinkId| account.charges_each_receiver || !shared.contains(link);
        let over = |link: &LinkId| {
            let link = account.links.get(*link)?;
            let each = Explained::given("energy of a cycle", link.pj_per_cycle, ENERGY_UNIT);
            let cycles = if account.charges_each_receiver {
                takes.clone()
            } else {
                let width = Explained::given("bits a cycle", link.bandwidth, PLAIN);
                Explained::computed("cycles’ worth of bits", PLAIN, How::Quotient, vec![bits.clone(), width])
            };
            Some(Explained::computed(link.name.clone(), ENERGY_UNIT, How::Product, vec![cycles, each]))
        };
        let terms: Vec<Explained> = run.links.iter().filter(pays).filter_map(over).collect();
        let note = if shared.is_empty() || account.charges_each_receiver {
            ""
        } else {
            "A link that carries the same at the same time for another receiver takes no energy for this one."
        };
        let shown = shown.noted(note);
        match terms.is_empty() {
            true if note.is_empty() => shown.noted("No link lies between."),
            true => shown,
            false => shown.or("by link", How::Sum, terms),
        }
    }

    pub(super) fn memory_energy(&self, shown: Explained, run: &TransferRun, bits: Explained) -> Option<Explained> {
        let account = self.0;
        let TransferCost::Tensor { source, target, ref shared, .. } = run.cost else {
            return Some(shown.noted("The energy of DRAM counts with the tile."));
        };
        let is_read = account.charges_each_receiver || run.links.first().is_none_or(|link| !shared.contains(link));
        let note = if is_read { "" } else { "The source is read once for all that receive the same at the same time." };
        let (read, write) = (account.accesses.get(source)?, account.accesses.get(target)?);
        let write_bits = if account.writes_words_read { read.read_bits } else { write.write_bits };
        let ends = [("read", read, read.read_bits, read.read_pj), ("write", write, write_bits, write.write_pj)];
        let end = |(way, memory, width, pj): (&str, &MemoryAccess, u64, f64)| {
            let width = Explained::given("bits an access", width as f64, PLAIN);
            let count = Explained::computed("accesses", PLAIN, How::QuotientUp, vec![bits.clone(), width]);
            let each = Explained::given("energy of an access", pj, ENERGY_UNIT);
            Explained::computed(format!("{way} {}", memory.memory), ENERGY_UNIT, How::Product, vec![count, each])
        };
        let ends = ends.into_iter().skip(usize::from(!is_read));
        Some(shown.noted(note).or("by memory", How::Sum, ends.map(end).collect()))
    }
}
