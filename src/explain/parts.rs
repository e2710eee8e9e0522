//! Common parts of points and single layers: loops, accesses, ports, copies.

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::numbers::{CYCLES, Counted, ENERGY_UNIT, LayerTileIndex, PointNumber, memory_name};
use super::sources::{COPIES, ENERGY, LATENCY};
use fusescape_chart::Quantity;
use fusescape_engine::cost::{Access, AccessCause, EnergyCause, EnergySplit, LinkBalance, PortBalance};
use fusescape_engine::depth_first::{
    CopyAccount, CopyActionAccount, HopAccount, HopEnd, LayerTileAccount, PointAccount,
};
use fusescape_engine::hardware::MemoryId;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::workload::{Dim, LayerShape};

pub(super) const LOADING: &str = "Before the first result, inputs come down memory by memory, each hop as long as its \
                                  slower side takes. Both inputs load at once, \
                                  and wait for each other where they share a port.";
pub(super) const OFFLOADING: &str = "After the last result, outputs leave a systolic array one PE a cycle. They go up memory \
                                     by memory, each hop as long as its slower side takes.";
const PLAIN: NumberUnit = NumberUnit::Count("");

/// A product of all loops of a layer.
pub(super) fn loop_product(explained: Explained, shape: &LayerShape) -> Explained {
    if shape.kind.needs_vector_unit() {
        return explained.noted("It multiplies and accumulates nothing; a vector unit computes it.");
    }
    let loops = Dim::ALL.into_iter().filter(|&dim| shape.size(dim) > 1);
    let terms: Vec<Explained> = loops.map(|dim| Explained::given(dim.name(), shape.size(dim) as f64, PLAIN)).collect();
    match terms.is_empty() {
        true => explained.noted("Every loop has one iteration."),
        false => explained.or("", How::Product, terms),
    }
}

/// A product of loops in time.
pub(super) fn loops_in_time(explained: Explained, loops: &[TemporalLoop]) -> Explained {
    let mut terms: Vec<Explained> =
        loops.iter().map(|next| Explained::given(next.dim.name(), next.size as f64, PLAIN)).collect();
    let each = explained.value / loops.iter().map(|next| next.size as f64).product::<f64>();
    let note = if each > 1.0 {
        terms.push(Explained::given("cycles of an iteration", each, CYCLES));
        "The operations of an iteration come one after the other on the lanes of a vector unit, bits of its inputs in memory."
    } else {
        "One cycle for every iteration of the loops that the array does not unroll."
    };
    explained.or("", How::Product, terms).noted(note)
}

/// The reason why multiply-accumulates take no energy.
pub(super) const NO_MACS: &str = "The vector unit computes this layer: nothing is multiplied on the array.";

/// Energy of the vector unit in all iterations of a layer.
pub(super) fn vector_operations(explained: Explained, shape: &LayerShape, pj: f64) -> Explained {
    let iterations = shape.iterations() as f64;
    let names: Vec<String> =
        shape.operations.each().map(|(operation, count)| format!("{count} {}", operation.name())).collect();
    let each = Explained::given(format!("energy of {}", names.join(", ")), pj / iterations, ENERGY_UNIT);
    explained.or("", How::Product, vec![Explained::given("iterations of all loops", iterations, PLAIN), each])
}

/// Whether the vector unit computed this layer instead of the array.
pub(super) fn is_on_lanes(shape: &LayerShape, energy: &EnergySplit) -> bool {
    shape.kind.needs_vector_unit() || energy[EnergyCause::Vector] > 0.0
}

const SEVERAL: &str = "The cycles of one iteration, times the iterations over the lanes or the PEs.";

/// Cycles with all lanes busy, or all PEs.
pub(super) fn ideal_cycles(explained: Explained, macs: Explained, pes: Explained, on_lanes: bool) -> Explained {
    let quotient = macs.value / pes.value;
    match explained.value {
        _ if on_lanes => explained.noted(SEVERAL),
        value if value == quotient => explained.or("", How::Quotient, vec![macs, pes]),
        // Rounded up, as in the tools.
        value if value == quotient.ceil() => explained.or("", How::QuotientUp, vec![macs, pes]),
        // With computing in memory, an iteration may take several cycles.
        _ => explained.noted(SEVERAL),
    }
}

fn access_name(access: &Access, memory: &str) -> String {
    format!("{} of {memory} {}", access.operand, access.movement.name().replace('_', " "))
}

fn cause_of(access: &Access) -> AccessCause {
    AccessCause::of_operand(access.stored_as)
}

fn counted(access: &Access, what: Counted) -> f64 {
    match what {
        Counted::Words => access.words,
        Counted::Elements => access.all_elements(),
        Counted::Energy => access.energy_pj(),
    }
}

/// An amount of one access.
pub(super) fn explain_access(access: &Access, what: Counted, memory: &str) -> Explained {
    let transfers = Explained::given("transfers", access.transfers as f64, PLAIN)
        .noted("So often do the loops above this level change the data: an irrelevant loop just above lets it stay.");
    let instances = Explained::given("instances", access.instances, PLAIN)
        .noted("Instances of the memory that work side by side in the array.");
    let elements = Explained::given("elements at a time", access.elements, PLAIN)
        .noted("Elements that the relevant loops below this level touch, for all that one instance serves.");
    let name = access_name(access, memory);
    let explained = match what {
        Counted::Words => {
            let each = Explained::given("words at a time", access.words_each, PLAIN).noted(format!(
                "{} elements of {} bit, in whole steps of the port's granularity, and in whole bursts; \
                 between memories in pieces as wide as the narrower side allows.",
                NumberUnit::Count("").text(access.elements),
                access.precision_bits
            ));
            let how = if access.drops_fraction { How::WholeProduct } else { How::Product };
            Explained::given(name, access.words, what.unit()).or("", how, vec![transfers, instances, each])
        }
        Counted::Elements => {
            let explained = Explained::given(name, access.all_elements(), what.unit());
            match access.precision_bits {
                0 => explained.noted("They have no bits, so nothing moves."),
                _ => explained.or("", How::Product, vec![transfers, instances, elements]),
            }
        }
        Counted::Energy => {
            let words = explain_access(access, Counted::Words, memory);
            let words = Explained { name: "words".into(), ..words };
            let each = Explained::given("energy of a word", access.word_pj, ENERGY_UNIT);
            let explained = Explained::given(name, access.energy_pj(), what.unit());
            if access.precharge_pj == 0.0 {
                explained.or("", How::Product, vec![words, each])
            } else {
                let words = Explained::computed("words", ENERGY_UNIT, How::Product, vec![words, each]);
                let precharging = Explained::given("precharging bit lines", access.precharge_pj, ENERGY_UNIT);
                explained.or("", How::Sum, vec![words, precharging])
            }
        }
    };
    explained.after(ENERGY)
}

/// The accesses of a layer-tile for one cause; data copies are not part of the mapped layer.
pub(super) fn accesses_of(
    layer: &LayerTileAccount,
    place: LayerTileIndex,
    what: Counted,
    cause: AccessCause,
) -> Vec<Explained> {
    let Some(cost) = &layer.cost else { return Vec::new() };
    let all = cost.accesses.iter().enumerate().filter(|(_, access)| cause_of(access) == cause);
    let term = |(index, access): (usize, &Access)| {
        let subject = ExplainedNumber::Point(PointNumber::Access(place, index, what));
        let name =
            format!("{} level {} {}", access.operand, access.level + 1, access.movement.name().replace('_', " "));
        Explained::folded(name, counted(access, what), what.unit(), subject)
    };
    all.map(term).filter(|term| term.value != 0.0).collect()
}

/// The accesses of a layer-tile for one cause at one memory.
pub(super) fn accesses_at(
    layer: &LayerTileAccount,
    place: LayerTileIndex,
    what: Counted,
    memory: MemoryId,
    cause: AccessCause,
) -> Vec<Explained> {
    let Some(cost) = &layer.cost else { return Vec::new() };
    let here = |subject: Option<ExplainedNumber>| match subject {
        Some(ExplainedNumber::Point(PointNumber::Access(_, index, _))) => {
            cost.accesses.get(index).is_some_and(|access| access.memory == memory)
        }
        _ => false,
    };
    accesses_of(layer, place, what, cause).into_iter().filter(|term| here(term.subject)).collect()
}

fn ends(hop: &HopAccount) -> [(&HopEnd, &'static str); 2] {
    [(&hop.read, "read"), (&hop.write, "write")]
}

fn end_counts(action: &CopyActionAccount, end: &HopEnd, what: Counted) -> f64 {
    match what {
        Counted::Words => end.words,
        Counted::Elements => action.bits as f64 / action.element_bits as f64,
        Counted::Energy => end.words * end.word_pj,
    }
}

/// An amount of a layer-tile at a memory.
pub(super) fn at_memory(layer: &LayerTileAccount, what: Counted, memory: MemoryId, cause: Option<AccessCause>) -> f64 {
    let is_asked = |of: AccessCause| cause.is_none_or(|cause| cause == of);
    let accesses = layer.cost.iter().flat_map(|cost| &cost.accesses).filter(|access| access.memory == memory);
    let of_layer: f64 = accesses.filter(|access| is_asked(cause_of(access))).map(|access| counted(access, what)).sum();
    let besides = AccessCause::ALL.into_iter().filter(|of| is_asked(*of)).map(|of| match of {
        // They are among the accesses of the mapped layer.
        AccessCause::Activation | AccessCause::Weight => 0.0,
        AccessCause::Copy => copy_words(layer, what, memory).iter().map(|term| term.value).sum(),
    });
    of_layer + besides.sum::<f64>()
}

/// An amount of data copy actions at a memory.
pub(super) fn copy_words(layer: &LayerTileAccount, what: Counted, memory: MemoryId) -> Vec<Explained> {
    let mut terms = Vec::new();
    for action in &layer.copies.actions {
        for hop in &action.hops {
            for (end, way) in ends(hop).into_iter().filter(|(end, _)| end.memory == memory) {
                let name = format!("{} of {}, {way}", action.kind.name(), action.layer);
                terms.push(Explained::given(name, end_counts(action, end, what), what.unit()).after(COPIES));
            }
        }
    }
    terms
}

fn data_moved(action: &CopyActionAccount) -> Explained {
    Explained::given("data", action.bits as f64 / 8.0, NumberUnit::Of(Quantity::Bytes))
}

/// Energy of a data copy action: every memory on its way is read or written.
pub(super) fn copy_energy(account: &PointAccount, action: &CopyActionAccount) -> Option<Explained> {
    let term = |(end, way): (&HopEnd, &str)| {
        let words = Explained::given("words", end.words, PLAIN).noted(format!(
            "{} through a port of {} bit.",
            data_moved(action).value_text(),
            end.width_bits
        ));
        let each = Explained::given("energy of a word", end.word_pj, ENERGY_UNIT);
        let name = format!("{way} {}", memory_name(account, end.memory));
        Explained::computed(name, ENERGY_UNIT, How::Product, vec![words, each])
    };
    let terms: Vec<Explained> = action.hops.iter().flat_map(ends).map(term).collect();
    let name = format!("{} of {}", action.kind.name(), action.layer);
    let explained = Explained::given(name, action.energy_pj, ENERGY_UNIT).after(COPIES);
    Some(match terms.is_empty() {
        true => explained.noted("It stays where it is."),
        false => explained.or("by memory on its way", How::Sum, terms),
    })
}

/// Cycles of a single data copy action: hop by hop.
pub(super) fn copy_cycles(account: &PointAccount, action: &CopyActionAccount) -> Option<Explained> {
    let side = |(end, way): (&HopEnd, &str)| {
        let bits = Explained::given("bits", end.bits as f64, PLAIN);
        let width = Explained::given("bits a cycle", end.width_bits as f64, PLAIN);
        let name = format!("{way} {}", memory_name(account, end.memory));
        Explained::computed(name, CYCLES, How::QuotientUp, vec![bits, width])
    };
    let hop = |(index, hop): (usize, &HopAccount)| {
        let name = match (action.chain.get(index), action.chain.get(index + 1)) {
            (Some(from), Some(to)) => format!("{from} → {to}"),
            _ => "hop".to_owned(),
        };
        let sides = ends(hop).map(side).into();
        if hop.answer_cycles == 0 {
            return Explained::given(name, hop.cycles as f64, CYCLES).or("", How::Largest, sides);
        }
        let answer = Explained::given("latency of the memory that is read", hop.answer_cycles as f64, CYCLES)
            .noted("Beyond the one cycle of any access.");
        Explained::computed(
            name,
            CYCLES,
            How::Sum,
            vec![answer, Explained::computed("slower side", CYCLES, How::Largest, sides)],
        )
    };
    let name = format!("{} of {}", action.kind.name(), action.layer);
    let cycles: u64 = action.hops.iter().map(|hop| hop.cycles).sum();
    let terms = action.hops.iter().enumerate().map(hop).collect();
    Some(Explained::given(name, cycles as f64, CYCLES).or("by hop", How::Sum, terms).after(COPIES))
}

/// Time that a layer waits for the copies before it: until the last port is done.
pub(super) fn copies_wait(explained: Explained, copies: &CopyAccount, place: LayerTileIndex) -> Explained {
    let explained = explained.after(COPIES);
    let Some(port) = &copies.last_port else { return explained.noted("Nothing is copied.") };
    if let [only] = copies.actions.as_slice() {
        let cycles: u64 = only.hops.iter().map(|hop| hop.cycles).sum();
        let subject = ExplainedNumber::Point(PointNumber::CopyCycles(place, 0));
        let name = format!("{} of {}", only.kind.name(), only.layer);
        return explained.or("", How::Sum, vec![Explained::folded(name, cycles as f64, CYCLES, subject)]);
    }
    let start = Explained::given("first copy arrives", port.start as f64, CYCLES);
    let uses = port.uses.iter().map(|&cycles| Explained::given("one copy", cycles as f64, CYCLES));
    let served =
        Explained::computed("one after the other", CYCLES, How::Sum, std::iter::once(start).chain(uses).collect());
    let alone = Explained::given("end of the last copy", port.end as f64, CYCLES);
    explained
        .or("", How::Largest, vec![served, alone])
        .noted(format!("All copies start together. This port of {} is done last.", port.memory))
}

/// Stalls at the slowest port.
pub(super) fn stall(explained: Explained, port: Option<&PortBalance>) -> Explained {
    match port {
        None => explained.noted("No port makes the array wait."),
        Some(port) => explained.noted(format!("The slowest port decides: {} of {}.", port.port, port.memory)).or(
            "",
            How::Sum,
            port_terms(port),
        ),
    }
}

/// The causes of a port's stalls: links that are too slow by themselves, and sharing.
pub(super) fn port_terms(port: &PortBalance) -> Vec<Explained> {
    let late = port.links.iter().filter(|link| link.cycles > 0 || port.links.len() == 1);
    let mut terms: Vec<Explained> = late
        .map(|link| {
            let needs = Explained::given("takes", link.needed_cycles as f64, CYCLES);
            let may = Explained::given("may take", link.allowed_cycles as f64, CYCLES).noted(
                "The whole time between two transfers where the data is held twice; \
                 else what remains of it once the present data is no longer needed.",
            );
            let each = Explained::computed("late each time", CYCLES, How::Difference, vec![needs, may]);
            let times = Explained::given("transfers but the first", link.count as f64 - 1.0, PLAIN);
            let name = format!("{} {}", link.operand, link.movement.name().replace('_', " "));
            Explained::computed(name, CYCLES, How::Product, vec![each, times]).after(LATENCY)
        })
        .collect();
    if port.links.len() > 1 {
        terms.push(sharing(port));
    }
    terms
}

/// Time that links of one port wait for each other.
fn sharing(port: &PortBalance) -> Explained {
    let name = |link: &LinkBalance| format!("{} {}", link.operand, link.movement.name().replace('_', " "));
    let within = port.links.iter().map(|link| Explained::given(name(link), link.cycles_within() as f64, CYCLES));
    let within = Explained::computed("needed in time", CYCLES, How::Sum, within.collect())
        .noted("Of each link the cycles within those in which it may work; the first transfer counts as loading.");
    let open = Explained::given("time of at least one link", port.open_cycles as f64, CYCLES)
        .noted("Cycles of the whole layer in which at least one of them may work.");
    let beyond = Explained::computed("too much", CYCLES, How::Difference, vec![within, open]);
    let none = Explained::given("none", 0.0, CYCLES);
    Explained::given("taking turns", port.sharing_cycles as f64, CYCLES)
        .or("", How::Largest, vec![none, beyond])
        .noted("What the links of this port need beyond the time in which at least one of them may work.")
        .after(LATENCY)
}
