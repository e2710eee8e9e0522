//! Numbers of a schedule on many cores (Stream, Section 4): where its energy and its time go, tile by tile and transfer by transfer.

use super::Subject;
use super::formula::{Explained, How, Unit};
use super::numbers::{CYCLES, ENERGY_UNIT};
use super::sources::{COALA, SINGLE_LAYER};
use crate::chart::{Quantity, reason_name};
use crate::hardware::Operand;
use crate::multicore::{
    Begin, CoreId, CoreTime, Gap, HeldTensors, LinkId, NestId, SystemAccount, TileId, TopMemoryId, TransferCost,
    TransferId, TransferReason, TransferRun,
};
use std::collections::BTreeMap;

/// A number of a schedule on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoresNumber {
    /// Latency of the schedule.
    Latency,
    /// Energy of everything.
    Energy,
    /// Energy times latency.
    EnergyDelay,
    /// Share of the cores' time in which their arrays compute.
    ComputingShare,
    /// What is on the chip at most at once.
    Peak,
    /// Energy of all cores with their memories.
    OnChip,
    /// Energy of a core with its memories.
    CoreEnergy(CoreId),
    /// Energy of DRAM for what tiles stream.
    Streamed,
    /// Energy of what travels.
    Moved(Carrier),
    /// Energy of what travels for one reason.
    MovedFor(Carrier, TransferReason),
    /// Energy of what travels of an operand of a layer.
    MovedOf(Carrier, TransferReason, NestId, Operand),
    /// Time of a core.
    Time(CoreId, CorePart),
    /// Time of a core that tiles of a layer take.
    TimeOf(CoreId, CorePart, NestId),
    /// Cycles in which a link carries something.
    LinkBusy(LinkId),
    /// Share of the time in which it does.
    LinkShare(LinkId),
    /// What a link carries for one reason.
    LinkCarries(LinkId, TransferReason),
    /// What a memory holds at most.
    MemoryPeak(TopMemoryId),
    /// Share of its capacity.
    MemoryShare(TopMemoryId),
    /// A number of a tile.
    Tile(TileId, TileFigure),
    /// A number of a transfer.
    Transfer(TransferId, TransferFigure),
}

/// What takes energy for data that travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Carrier {
    Links,
    Memories,
}

/// Where the time of a core goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorePart {
    /// The array works.
    Computing,
    /// The array waits for the core's own memories.
    Stalling,
    /// The next tile waits for transfers or room.
    Transferring,
    /// There is nothing to be done.
    Idle,
    /// All of it.
    All,
}

/// What there is to ask about a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileFigure {
    /// When its core is done with the tile before.
    Free,
    /// When those that it waits for are done as well.
    Ready,
    /// When it begins.
    Begin,
    /// When it is done.
    End,
    /// How long it takes.
    Takes,
    /// How much is brought for it.
    Brought,
}

/// What there is to ask about a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferFigure {
    /// When it begins.
    Begin,
    /// When it is there.
    End,
    /// How long it takes.
    Takes,
    /// How much it is.
    Size,
    /// Energy of links or memories.
    Energy(Carrier),
}

impl CorePart {
    /// In the order of the figure.
    pub const ALL: [Self; 5] = [Self::Computing, Self::Stalling, Self::Transferring, Self::Idle, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Stalling => "stalls",
            Self::Transferring => "waiting for transfers",
            Self::Idle => "idle",
            Self::All => "time",
        }
    }

    fn of(self, core: &CoreTime) -> f64 {
        match self {
            Self::Computing => core.computing,
            Self::Stalling => core.stalling,
            Self::Transferring => core.transferring,
            Self::Idle => core.idle,
            Self::All => core.computing + core.stalling + core.transferring + core.idle,
        }
    }
}

impl Carrier {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Links, Self::Memories];

    fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Memories => "memories of transfers",
        }
    }

    fn of(self, run: &TransferRun) -> f64 {
        match (self, &run.cost) {
            (Self::Links, TransferCost::Tensor { link_pj, .. }) => *link_pj,
            (Self::Memories, TransferCost::Tensor { memory_pj, .. }) => *memory_pj,
            (_, TransferCost::Stream(_)) => 0.0,
        }
    }
}

const PLAIN: Unit = Unit::Count("");
const BYTES: Unit = Unit::Of(Quantity::Bytes);
const REASONS: [TransferReason; 4] =
    [TransferReason::Fetch, TransferReason::Exchange, TransferReason::Eviction, TransferReason::Result];

fn bytes(bits: u64) -> f64 {
    bits as f64 / 8.0
}

/// Explains a number of a schedule; `None` where it has no such number.
pub fn explain_cores(account: &SystemAccount, number: CoresNumber) -> Option<Explained> {
    Schedule(account).explain(number).map(Explained::or_none)
}

/// Energy times latency of a choice of cores, and how many times that of the first; energies in pJ, latencies in cycles.
pub fn explain_choice(
    (name, summary): (&str, (f64, f64)),
    first: Option<(&str, (f64, f64))>,
) -> [Option<Explained>; 2] {
    let product = |name: &str, (energy, latency): (f64, f64)| {
        let terms = vec![Explained::given("energy", energy, ENERGY_UNIT), Explained::given("latency", latency, CYCLES)];
        Explained::computed(name.to_owned(), Unit::Of(Quantity::EnergyDelay), How::Product, terms)
    };
    let times = first.map(|(first, of_first)| {
        let terms = vec![product(name, summary), product(first, of_first)];
        Explained::computed("times the first", PLAIN, How::Quotient, terms)
    });
    [Some(product("energy-delay product", summary)), times]
}

/// What the numbers are taken from.
struct Schedule<'a>(&'a SystemAccount);

impl Schedule<'_> {
    /// The number, not unfolded.
    fn shown(&self, number: CoresNumber) -> Option<Explained> {
        let account = self.0;
        let (name, value, unit): (String, f64, Unit) = match number {
            CoresNumber::Latency => ("latency".into(), account.latency_cycles, CYCLES),
            CoresNumber::Energy => ("energy".into(), account.energy.total_pj(), ENERGY_UNIT),
            CoresNumber::EnergyDelay => {
                let product = account.energy.total_pj() * account.latency_cycles;
                ("energy-delay product".into(), product, Unit::Of(Quantity::EnergyDelay))
            }
            CoresNumber::ComputingShare => {
                let computing: f64 = account.cores.iter().map(|core| core.computing).sum();
                let all = account.latency_cycles * account.cores.len() as f64;
                ("computing".into(), computing / all.max(1.0), Unit::Share)
            }
            CoresNumber::Peak => ("on the chip at most at once".into(), bytes(account.peak_bits()), BYTES),
            CoresNumber::OnChip => ("cores with their memories".into(), account.energy.onchip_pj, ENERGY_UNIT),
            CoresNumber::CoreEnergy(core) => {
                let tiles = account.tiles.iter().filter(|run| run.core == core);
                let energy = tiles.map(|run| account.costs[run.cost].onchip_pj).sum();
                (account.cores.get(core)?.name.clone(), energy, ENERGY_UNIT)
            }
            CoresNumber::Streamed => {
                let energy = account.tiles.iter().map(|run| account.costs[run.cost].offchip_pj).sum();
                ("DRAM for what tiles stream".into(), energy, ENERGY_UNIT)
            }
            CoresNumber::Moved(carrier) => {
                let energy = REASONS.iter().map(|reason| self.moved(carrier, *reason)).sum();
                (carrier.name().into(), energy, ENERGY_UNIT)
            }
            CoresNumber::MovedFor(carrier, reason) => {
                (format!("{}, {}", carrier.name(), reason_name(reason)), self.moved(carrier, reason), ENERGY_UNIT)
            }
            CoresNumber::MovedOf(carrier, reason, layer, operand) => {
                let energy = self.of_operand(reason, layer, operand).map(|(_, run)| carrier.of(run)).sum();
                (format!("{operand} of {}", account.layers.get(layer)?), energy, ENERGY_UNIT)
            }
            CoresNumber::Time(core, part) => (part.name().into(), part.of(account.cores.get(core)?), CYCLES),
            CoresNumber::TimeOf(core, part, layer) => {
                let cycles = self.tiles_of(core, layer).map(|tile| self.part_of_tile(part, tile)).sum();
                (account.layers.get(layer)?.clone(), cycles, CYCLES)
            }
            CoresNumber::LinkBusy(link) => ("busy".into(), account.links.get(link)?.busy, CYCLES),
            CoresNumber::LinkShare(link) => {
                ("of the time".into(), account.links.get(link)?.busy / account.latency_cycles, Unit::Share)
            }
            CoresNumber::LinkCarries(link, reason) => {
                let carried: u64 = self.carried(link, reason).map(|(_, run)| run.bits).sum();
                (format!("{} over {}", reason_name(reason), account.links.get(link)?.name), bytes(carried), BYTES)
            }
            CoresNumber::MemoryPeak(memory) => {
                ("most in use".into(), bytes(account.memories.get(memory)?.peak_bits), BYTES)
            }
            CoresNumber::MemoryShare(memory) => {
                let memory = account.memories.get(memory)?;
                ("of its capacity".into(), memory.peak_bits as f64 / memory.capacity_bits as f64, Unit::Share)
            }
            CoresNumber::Tile(tile, figure) => {
                let run = account.tiles.get(tile)?;
                let (what, value, unit) = match figure {
                    TileFigure::Free => ("core free", self.gap(tile)?.free, CYCLES),
                    TileFigure::Ready => ("others done", self.gap(tile)?.ready, CYCLES),
                    TileFigure::Begin => ("begins", run.start, CYCLES),
                    TileFigure::End => ("ends", run.end, CYCLES),
                    TileFigure::Takes => ("takes", run.end - run.start, CYCLES),
                    TileFigure::Brought => {
                        let brought = account.brought_for(tile).iter();
                        let bits: u64 = brought.filter_map(|id| Some(account.transfers.get(*id)?.bits)).sum();
                        ("brought", bytes(bits), BYTES)
                    }
                };
                (format!("{}: {what}", self.tile_name(tile)), value, unit)
            }
            CoresNumber::Transfer(id, figure) => {
                let run = account.transfers.get(id)?;
                let of = format!("{} of {}, {} → {}", run.operand, self.tile_name(run.tile), run.from, run.to);
                let (what, value, unit) = match figure {
                    TransferFigure::Begin => ("begins", run.start, CYCLES),
                    TransferFigure::End => ("is there", run.end, CYCLES),
                    TransferFigure::Takes => ("takes", run.end - run.start, CYCLES),
                    TransferFigure::Size => ("size", bytes(run.bits), BYTES),
                    TransferFigure::Energy(carrier) => (carrier.name(), carrier.of(run), ENERGY_UNIT),
                };
                (format!("{of}: {what}"), value, unit)
            }
        };
        Some(Explained::given(name, value, unit))
    }

    /// A number, to be unfolded when asked.
    fn folded(&self, number: CoresNumber) -> Option<Explained> {
        Some(Explained { subject: Some(Subject::Cores(number)), ..self.shown(number)? })
    }

    fn all(&self, numbers: impl IntoIterator<Item = CoresNumber>) -> Vec<Explained> {
        numbers.into_iter().filter_map(|number| self.folded(number)).collect()
    }

    /// Those that are not zero.
    fn some(&self, numbers: impl IntoIterator<Item = CoresNumber>) -> Vec<Explained> {
        self.all(numbers).into_iter().filter(|term| term.value != 0.0).collect()
    }

    fn explain(&self, number: CoresNumber) -> Option<Explained> {
        let account = self.0;
        let shown = self.shown(number)?;
        Some(match number {
            CoresNumber::Latency => self.latency(shown),
            CoresNumber::Energy => {
                let moved = Carrier::ALL.map(CoresNumber::Moved);
                shown.or("", How::Sum, self.some([CoresNumber::OnChip].into_iter().chain(moved))).after(COALA)
            }
            CoresNumber::EnergyDelay => {
                shown.or("", How::Product, self.all([CoresNumber::Energy, CoresNumber::Latency]))
            }
            CoresNumber::ComputingShare => {
                let cores = account.cores.keys();
                let times = cores.map(|core| self.of_core(core, CorePart::Computing));
                let computing = Explained::computed("computing", CYCLES, How::Sum, times.flatten().collect());
                let count = Explained::given("cores", account.cores.len() as f64, PLAIN);
                let latency = self.folded(CoresNumber::Latency)?;
                let time = Explained::computed("the cores’ time", CYCLES, How::Product, vec![latency, count]);
                shown.or("", How::Quotient, vec![computing, time])
            }
            CoresNumber::Peak => self.peak(shown),
            CoresNumber::OnChip => {
                shown.or("by core", How::Sum, self.some(account.cores.keys().map(CoresNumber::CoreEnergy)))
            }
            CoresNumber::CoreEnergy(core) => self.core_energy(shown, core),
            CoresNumber::Streamed => {
                let each = |tile: TileId| account.costs[account.tiles[tile].cost].offchip_pj;
                shown.or("", How::Sum, self.by_cost(|_| true, "DRAM energy of a tile", each)).after(SINGLE_LAYER)
            }
            CoresNumber::Moved(carrier) => {
                let reasons = REASONS.into_iter().map(|reason| CoresNumber::MovedFor(carrier, reason));
                shown.or("by reason", How::Sum, self.some(reasons)).after(COALA)
            }
            CoresNumber::MovedFor(carrier, reason) => self.moved_for(shown, carrier, reason),
            CoresNumber::MovedOf(carrier, reason, layer, operand) => {
                let transfers = self.of_operand(reason, layer, operand);
                let numbers = transfers.map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::Energy(carrier)));
                shown.or("by transfer", How::Sum, self.some(numbers)).after(COALA)
            }
            CoresNumber::Time(core, part) => self.time(shown, core, part),
            CoresNumber::TimeOf(core, part, layer) => self.time_of(shown, part, self.tiles_of(core, layer)),
            CoresNumber::LinkBusy(link) => {
                let span = |(index, span): (usize, crate::multicore::Span)| {
                    let terms = [("until", span.end), ("from", span.start)];
                    let terms = terms.map(|(name, cycle)| Explained::given(name, cycle.0, CYCLES));
                    Explained::computed(format!("time {}", index + 1), CYCLES, How::Difference, terms.into())
                };
                let spans = account.busy_spans(link).into_iter().enumerate().map(span).collect();
                shown
                    .or("", How::Sum, spans)
                    .noted("From the first to the last cycle of transfers that follow or overlap each other.")
            }
            CoresNumber::LinkShare(link) => {
                shown.or("", How::Quotient, self.all([CoresNumber::LinkBusy(link), CoresNumber::Latency]))
            }
            CoresNumber::LinkCarries(link, reason) => {
                let sizes = self.carried(link, reason).map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::Size));
                shown.or("by transfer", How::Sum, self.all(sizes)).after(COALA)
            }
            CoresNumber::MemoryPeak(memory) => {
                let memory = account.memories.get(memory)?;
                let first = memory.usage.iter().find(|step| step.1 == memory.peak_bits).map_or(0, |step| step.0);
                let shown = shown.noted(format!("From cycle {first} on, for the first time."));
                self.held(shown, memory.at_peak.as_deref())
            }
            CoresNumber::MemoryShare(memory) => {
                let capacity = Explained::given("capacity", bytes(account.memories.get(memory)?.capacity_bits), BYTES);
                shown.or("", How::Quotient, vec![self.folded(CoresNumber::MemoryPeak(memory))?, capacity])
            }
            CoresNumber::Tile(tile, figure) => self.tile(shown, tile, figure)?,
            CoresNumber::Transfer(id, figure) => self.transfer(shown, id, figure)?,
        })
    }

    fn latency(&self, shown: Explained) -> Explained {
        let account = self.0;
        let last = |core: CoreId| {
            let tiles = account.tiles.iter_enumerated().filter(move |(_, run)| run.core == core);
            tiles.max_by(|a, b| a.1.end.total_cmp(&b.1.end)).map(|(tile, _)| CoresNumber::Tile(tile, TileFigure::End))
        };
        let tiles = account.cores.keys().filter_map(last);
        let transfers = account.transfers.iter_enumerated();
        let transfers = transfers.filter(|(_, run)| matches!(run.cost, TransferCost::Tensor { .. }));
        let transfer = transfers.max_by(|a, b| a.1.end.total_cmp(&b.1.end));
        let transfer = transfer.map(|(id, _)| CoresNumber::Transfer(id, TransferFigure::End));
        shown
            .or("", How::Largest, self.all(tiles.chain(transfer)))
            .noted("The last tile of each core, and the last transfer.")
            .after(COALA)
    }

    fn peak(&self, shown: Explained) -> Explained {
        let account = self.0;
        let (when, _) = account.peak();
        let held = |memory: &crate::multicore::MemoryUse| {
            let next = memory.usage.partition_point(|step| step.0 <= when);
            let bits = next.checked_sub(1).map_or(0, |last| memory.usage[last].1);
            self.held(Explained::given(memory.name.clone(), bytes(bits), BYTES), memory.at_peak_of_all.as_deref())
        };
        let memories = account.memories.iter().map(held).filter(|term| term.value != 0.0);
        shown.or("by memory", How::Sum, memories.collect()).noted(format!("From cycle {when} on, for the first time."))
    }

    /// What a memory holds, tensor by tensor.
    fn held(&self, shown: Explained, tensors: Option<&[HeldTensors]>) -> Explained {
        let Some(tensors) = tensors else {
            return shown
                .noted("As the rules have it, places are free before tensors have left them, which do not add up.");
        };
        let term = |tensors: &HeldTensors| {
            let layer = self.0.layers.get(tensors.layer).map_or("?", String::as_str);
            let size = Explained::given("size", bytes(tensors.bits), BYTES);
            let count = Explained::given("tensors", tensors.count as f64, PLAIN);
            Explained::computed(format!("{} of {layer}", tensors.operand), BYTES, How::Product, vec![count, size])
        };
        shown.or("by tensor", How::Sum, tensors.iter().map(term).collect())
    }

    fn core_energy(&self, shown: Explained, core: CoreId) -> Explained {
        let account = self.0;
        let each = |tile: TileId| account.costs[account.tiles[tile].cost].onchip_pj;
        let mut by_layer = Vec::new();
        for (layer, name) in account.layers.iter_enumerated() {
            let is_here = |tile: TileId| account.tiles[tile].core == core && account.tiles[tile].layer == layer;
            let terms = self.by_cost(is_here, "energy of a tile", each);
            if !terms.is_empty() {
                by_layer.push(Explained::computed(name.clone(), ENERGY_UNIT, How::Sum, terms).after(SINGLE_LAYER));
            }
        }
        shown.or("by layer", How::Sum, by_layer).noted("Computing, with all memories of the core.").after(COALA)
    }

    /// Tiles that cost the same as products: how many there are, times `each`; those that cost nothing are left out.
    fn by_cost(
        &self,
        is_wanted: impl Fn(TileId) -> bool,
        name: &'static str,
        each: impl Fn(TileId) -> f64,
    ) -> Vec<Explained> {
        let account = self.0;
        let mut counts = BTreeMap::new();
        for (tile, run) in account.tiles.iter_enumerated().filter(|(tile, _)| is_wanted(*tile)) {
            counts.entry(run.cost).or_insert((tile, 0_u64)).1 += 1;
        }
        let term = |(tile, count): (TileId, u64)| {
            let each = Explained::given(name, each(tile), ENERGY_UNIT).noted(format!(
                "By the best mapping of {} on {}.",
                self.tile_name(tile),
                account.cores.get(account.tiles[tile].core).map_or("its core", |core| core.name.as_str()),
            ));
            let count = Explained::given("tiles alike", count as f64, PLAIN);
            let name = format!("{} and those alike", self.tile_name(tile));
            Explained::computed(name, ENERGY_UNIT, How::Product, vec![count, each])
        };
        counts.into_values().map(term).filter(|term| term.value != 0.0).collect()
    }

    fn moved(&self, carrier: Carrier, reason: TransferReason) -> f64 {
        let energy = &self.0.energy;
        match carrier {
            Carrier::Links => energy.link_pj[reason as usize],
            Carrier::Memories => energy.memory_pj[reason as usize],
        }
    }

    fn moved_for(&self, shown: Explained, carrier: Carrier, reason: TransferReason) -> Explained {
        let mut kinds = BTreeMap::new();
        for run in self.0.transfers.iter().filter(|run| run.reason == reason) {
            kinds.insert((run.layer, run.operand as usize), run.operand);
        }
        let kinds =
            kinds.into_iter().map(|((layer, _), operand)| CoresNumber::MovedOf(carrier, reason, layer, operand));
        let streamed =
            (carrier == Carrier::Memories && reason == TransferReason::Fetch).then_some(CoresNumber::Streamed);
        shown.or("by layer and operand", How::Sum, self.some(kinds.chain(streamed))).after(COALA)
    }

    fn of_operand(
        &self,
        reason: TransferReason,
        layer: NestId,
        operand: Operand,
    ) -> impl Iterator<Item = (TransferId, &TransferRun)> {
        let is_it = move |run: &TransferRun| run.reason == reason && run.layer == layer && run.operand == operand;
        self.0.transfers.iter_enumerated().filter(move |(_, run)| is_it(run))
    }

    fn carried(&self, link: LinkId, reason: TransferReason) -> impl Iterator<Item = (TransferId, &TransferRun)> {
        let transfers = self.0.transfers.iter_enumerated();
        transfers.filter(move |(_, run)| run.reason == reason && run.links.contains(&link))
    }

    fn of_core(&self, core: CoreId, part: CorePart) -> Option<Explained> {
        let name = self.0.cores.get(core)?.name.clone();
        Some(Explained { name: name.into(), ..self.folded(CoresNumber::Time(core, part))? })
    }

    fn tiles_of(&self, core: CoreId, layer: NestId) -> impl Iterator<Item = TileId> {
        let tiles = self.0.tiles.iter_enumerated();
        tiles.filter(move |(_, run)| run.core == core && run.layer == layer).map(|(tile, _)| tile)
    }

    /// What of a tile's time is computing, and what is stalling.
    fn part_of_tile(&self, part: CorePart, tile: TileId) -> f64 {
        let run = &self.0.tiles[tile];
        match part {
            CorePart::Computing => self.0.computing(tile),
            CorePart::Stalling => run.end - run.start - self.0.computing(tile),
            _ => 0.0,
        }
    }

    fn time(&self, shown: Explained, core: CoreId, part: CorePart) -> Explained {
        let account = self.0;
        // The numbers of a gap are at hand: to find each anew would sort all tiles of the core for every tile.
        let of_gap = |gap: &Gap, figure: TileFigure| {
            let (name, cycle) = match figure {
                TileFigure::Free => ("core free", gap.free),
                TileFigure::Ready => ("others done", gap.ready),
                _ => ("begins", gap.start),
            };
            Explained::folded(name, cycle, CYCLES, Subject::Cores(CoresNumber::Tile(gap.tile, figure)))
        };
        let wait = |gap: &Gap, [until, from]: [TileFigure; 2]| {
            let terms = vec![of_gap(gap, until), of_gap(gap, from)];
            Explained::computed(format!("before {}", self.tile_name(gap.tile)), CYCLES, How::Difference, terms)
        };
        match part {
            CorePart::All => {
                let parts = CorePart::ALL.into_iter().filter(|part| *part != CorePart::All);
                shown.or("", How::Sum, self.some(parts.map(|part| CoresNumber::Time(core, part))))
            }
            CorePart::Computing | CorePart::Stalling => {
                let layers = account.layers.keys().map(|layer| CoresNumber::TimeOf(core, part, layer));
                shown.or("by layer", How::Sum, self.some(layers))
            }
            CorePart::Transferring => {
                let gaps = account.gaps(core);
                let waits = gaps.iter().filter(|gap| gap.start > gap.ready);
                let terms = waits.map(|gap| wait(gap, [TileFigure::Begin, TileFigure::Ready])).collect();
                shown
                    .or("by tile", How::Sum, terms)
                    .noted("The next tile could begin, but for transfers and room in memories.")
            }
            CorePart::Idle => {
                let gaps = account.gaps(core);
                let waits = gaps.iter().filter(|gap| gap.ready > gap.free);
                let mut terms: Vec<Explained> =
                    waits.map(|gap| wait(gap, [TileFigure::Ready, TileFigure::Free])).collect();
                let last = gaps.last().and_then(|gap| self.folded(CoresNumber::Tile(gap.tile, TileFigure::End)));
                let latency = self.folded(CoresNumber::Latency);
                terms.push(Explained::computed(
                    if last.is_some() { "after the last tile" } else { "without a tile" },
                    CYCLES,
                    How::Difference,
                    latency.into_iter().chain(last).collect(),
                ));
                shown.or("by tile", How::Sum, terms).noted("The next tile waits for others, or there is none.")
            }
        }
        .after(COALA)
    }

    /// Of tiles of one layer on one core.
    fn time_of(&self, shown: Explained, part: CorePart, tiles: impl Iterator<Item = TileId>) -> Explained {
        let account = self.0;
        let mut alike: BTreeMap<[u64; 2], (TileId, u64)> = BTreeMap::new();
        for tile in tiles {
            let run = &account.tiles[tile];
            let key = [account.costs[run.cost].computing, run.end - run.start].map(f64::to_bits);
            alike.entry(key).or_insert((tile, 0)).1 += 1;
        }
        let term = |(tile, count): (TileId, u64)| {
            let run = &account.tiles[tile];
            let takes = Explained::given("takes", run.end - run.start, CYCLES);
            let takes = self.folded(CoresNumber::Tile(tile, TileFigure::Takes)).unwrap_or(takes);
            let mapped = Explained::given("cycles of the array", account.costs[run.cost].computing, CYCLES)
                .noted("The product of the loops in time of the tile's best mapping.")
                .after(SINGLE_LAYER);
            let works = Explained::computed("computing", CYCLES, How::Smallest, vec![mapped, takes.clone()]);
            let each = match part {
                CorePart::Stalling => Explained::computed("each", CYCLES, How::Difference, vec![takes, works]),
                _ => works,
            };
            let count = Explained::given("tiles alike", count as f64, PLAIN);
            let name = format!("{} and those alike", self.tile_name(tile));
            Explained::computed(name, CYCLES, How::Product, vec![count, each])
        };
        let terms = alike.into_values().map(term).filter(|term| term.value != 0.0).collect();
        shown.or("", How::Sum, terms).after(SINGLE_LAYER)
    }

    fn gap(&self, tile: TileId) -> Option<Gap> {
        let core = self.0.tiles.get(tile)?.core;
        self.0.gaps(core).into_iter().find(|gap| gap.tile == tile)
    }

    fn tile(&self, shown: Explained, tile: TileId, figure: TileFigure) -> Option<Explained> {
        let account = self.0;
        let run = account.tiles.get(tile)?;
        let of = |figure: TileFigure| self.folded(CoresNumber::Tile(tile, figure));
        let others = || account.waits_for(tile).iter().map(|&before| CoresNumber::Tile(before, TileFigure::End));
        Some(
            match figure {
                TileFigure::Free => {
                    let gaps = account.gaps(run.core);
                    let place = gaps.iter().position(|gap| gap.tile == tile)?;
                    match place.checked_sub(1) {
                        None => shown.noted("It is the first tile of its core."),
                        Some(before) => {
                            let before = CoresNumber::Tile(gaps[before].tile, TileFigure::End);
                            shown
                                .or("", How::Sum, self.all([before]))
                                .noted("The tile before it on the same core is done.")
                        }
                    }
                }
                TileFigure::Ready => shown
                    .or("", How::Largest, of(TileFigure::Free).into_iter().chain(self.all(others())).collect())
                    .noted("The core is free, and all tiles are done that the tile reads from."),
                TileFigure::Begin => match run.begin {
                    Begin::Ready => shown
                        .or("", How::Largest, of(TileFigure::Free).into_iter().chain(self.all(others())).collect())
                        .noted("As soon as its core is free and what it reads is computed, which is there by then."),
                    Begin::Brought => {
                        let last = account.awaited_by(tile).map(|id| CoresNumber::Transfer(id, TransferFigure::End));
                        shown
                            .or("", How::Sum, self.all(last))
                            .noted("As soon as all that it reads is there: this comes last.")
                    }
                    Begin::Room => shown.noted("As soon as there is room in the memory for what it computes."),
                    Begin::Links => shown.noted("As soon as the links to DRAM are free for what it streams."),
                    Begin::Late => shown.noted("As late as nobody has to wait for it."),
                },
                TileFigure::End => {
                    shown.or("", How::Sum, [TileFigure::Begin, TileFigure::Takes].into_iter().filter_map(of).collect())
                }
                TileFigure::Takes => shown.or("", How::Product, self.duration(tile)?),
                TileFigure::Brought => {
                    let brought = account.brought_for(tile).iter();
                    let sizes = brought.map(|&id| CoresNumber::Transfer(id, TransferFigure::Size));
                    let sizes = self.all(sizes);
                    if sizes.is_empty() {
                        shown.noted("All that it reads is there anyway.")
                    } else {
                        shown.or("", How::Sum, sizes)
                    }
                }
            }
            .after(COALA),
        )
    }

    /// The factors of the time that a tile takes.
    fn duration(&self, tile: TileId) -> Option<Vec<Explained>> {
        let account = self.0;
        let run = account.tiles.get(tile)?;
        let cycles = Explained::given("cycles by its mapping", account.costs[run.cost].cycles, CYCLES)
            .noted(format!("The fastest mapping of {} on its core that the search finds.", self.tile_name(tile)))
            .after(SINGLE_LAYER);
        let slower = account.slower.binary_search_by_key(&tile, |of| of.0).ok().map(|place| account.slower[place].1);
        let Some(slower) = slower else { return Some(vec![cycles]) };
        let streams = account.transfers.iter().filter(|run| run.tile == tile);
        let streams = streams.filter_map(|run| match run.cost {
            TransferCost::Stream(rate) => Some((run, rate)),
            TransferCost::Tensor { .. } => None,
        });
        let mut loads: BTreeMap<LinkId, Vec<Explained>> = BTreeMap::new();
        for (run, rate) in streams {
            let rate = Explained::given(format!("{} → {}", run.from, run.to), rate, Unit::Count(" bit/cycle"));
            run.links.iter().for_each(|&link| loads.entry(link).or_default().push(rate.clone()));
        }
        let load = |(link, rates): (LinkId, Vec<Explained>)| {
            let link = account.links.get(link)?;
            let needs = Explained::computed("needed", Unit::Count(" bit/cycle"), How::Sum, rates);
            let width = Explained::given("bandwidth", link.bandwidth, Unit::Count(" bit/cycle"));
            Some(Explained::computed(link.name.clone(), PLAIN, How::Quotient, vec![needs, width]))
        };
        let loads = loads.into_iter().filter_map(load).collect();
        let slower = Explained::given("times longer", slower, PLAIN)
            .or("", How::Largest, loads)
            .noted("What the tile streams needs more than the link carries.");
        Some(vec![cycles, slower])
    }

    fn transfer(&self, shown: Explained, id: TransferId, figure: TransferFigure) -> Option<Explained> {
        let account = self.0;
        let run = account.transfers.get(id)?;
        let of = |figure: TransferFigure| self.folded(CoresNumber::Transfer(id, figure));
        let bits = Explained::given("bits", run.bits as f64, PLAIN);
        Some(
            match figure {
                TransferFigure::Begin => shown.noted(match run.begin {
                    Begin::Ready => "As soon as it is where it comes from.",
                    Begin::Room => "As soon as there is room in the memory that it goes to.",
                    Begin::Links => "As soon as all links on its way are free for as long as it takes.",
                    Begin::Brought => "As soon as all that belongs to it is there.",
                    Begin::Late => "As late as nobody has to wait for it.",
                }),
                TransferFigure::End => shown.or(
                    "",
                    How::Sum,
                    [TransferFigure::Begin, TransferFigure::Takes].into_iter().filter_map(of).collect(),
                ),
                TransferFigure::Takes => match run.cost {
                    TransferCost::Stream(_) => shown.or("", How::Product, self.duration(run.tile)?),
                    TransferCost::Tensor { .. } => {
                        let links = run.links.iter().filter_map(|link| account.links.get(*link));
                        let over = |link: &crate::multicore::LinkTime| {
                            let width = Explained::given("bits a cycle", link.bandwidth, PLAIN);
                            Explained::computed(link.name.clone(), CYCLES, How::QuotientUp, vec![bits.clone(), width])
                        };
                        let terms: Vec<Explained> = links.map(over).collect();
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
                            .noted("What the mapping of the tile moves to or from DRAM, on average.")
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

    fn link_energy(&self, shown: Explained, run: &TransferRun, bits: Explained, takes: Explained) -> Explained {
        let account = self.0;
        let TransferCost::Tensor { shared, .. } = &run.cost else {
            return shown.noted("The energy of DRAM counts with the tile; links take none for what is streamed.");
        };
        let pays = |link: &&LinkId| account.charges_cycles || !shared.contains(link);
        let over = |link: &LinkId| {
            let link = account.links.get(*link)?;
            let each = Explained::given("energy of a cycle", link.pj_per_cycle, ENERGY_UNIT);
            let cycles = if account.charges_cycles {
                takes.clone()
            } else {
                let width = Explained::given("bits a cycle", link.bandwidth, PLAIN);
                Explained::computed("cycles’ worth of bits", PLAIN, How::Quotient, vec![bits.clone(), width])
            };
            Some(Explained::computed(link.name.clone(), ENERGY_UNIT, How::Product, vec![cycles, each]))
        };
        let terms: Vec<Explained> = run.links.iter().filter(pays).filter_map(over).collect();
        let note = if shared.is_empty() || account.charges_cycles {
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

    fn memory_energy(&self, shown: Explained, run: &TransferRun, bits: Explained) -> Option<Explained> {
        let account = self.0;
        let TransferCost::Tensor { source, target, .. } = run.cost else {
            return Some(shown.noted("The energy of DRAM counts with the tile."));
        };
        let (read, write) = (account.accesses.get(source)?, account.accesses.get(target)?);
        let write_bits = if account.writes_words_read { read.read_bits } else { write.write_bits };
        let ends = [("read", read, read.read_bits, read.read_pj), ("write", write, write_bits, write.write_pj)];
        let end = |(way, memory, width, pj): (&str, &crate::multicore::MemoryAccess, u64, f64)| {
            let width = Explained::given("bits an access", width as f64, PLAIN);
            let count = Explained::computed("accesses", PLAIN, How::QuotientUp, vec![bits.clone(), width]);
            let each = Explained::given("energy of an access", pj, ENERGY_UNIT);
            Explained::computed(format!("{way} {}", memory.memory), ENERGY_UNIT, How::Product, vec![count, each])
        };
        Some(shown.or("by memory", How::Sum, ends.map(end).into()))
    }

    fn tile_name(&self, tile: TileId) -> String {
        let Some(run) = self.0.tiles.get(tile) else { return String::new() };
        let layer = self.0.layers.get(run.layer).map_or("?", String::as_str);
        format!("{layer} tile {}", run.number.index() + 1)
    }
}
