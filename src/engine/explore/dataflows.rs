//! Variants of a design with another array size and dataflow, so that methods of fusion can be compared by dataflow and by array size
//! (Optimus, Section 7.6, Table 3).
//!
//! Another unrolling is another hardware document, so such a design is studied as any other. Memories above the array stay.

use super::request::Request;
use crate::spec::{
    ArraySpec, Diagnostics, HardwareSpec, InMemorySpec, MemorySpec, UnrollSpec, read_hardware, write_hardware,
};
use crate::workload::{Dim, LayerKind, Network};
use serde::{Deserialize, Serialize};

/// Which loops lie along the rows and the columns of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrayDataflow {
    /// Input and output channels: every PE keeps a weight, as in a TPU.
    WeightStationary,
    /// Rows and columns of the output: every PE keeps an output, as in ShiDianNao.
    OutputStationary,
    /// Rows of the kernel and of the output, which share rows of the input on diagonals, as in Eyeriss.
    RowStationary,
    /// Columns of the output and output channels, as in Optimus (Table 2).
    ColumnsAndChannels,
}

/// Numbers of PEs of an array, by powers of two of the design's.
pub const ARRAY_SIZES: [i32; 3] = [0, -2, 2];

/// Limit on the PEs of an array.
const MOST_PES: u64 = 1 << 32;
const ROWS: &str = "rows";
const COLUMNS: &str = "columns";

impl ArrayDataflow {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 4] =
        [Self::WeightStationary, Self::OutputStationary, Self::RowStationary, Self::ColumnsAndChannels];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::WeightStationary => "weight-stationary, C | K",
            Self::OutputStationary => "output-stationary, OY | OX",
            Self::RowStationary => "row-stationary, FY | OY",
            Self::ColumnsAndChannels => "as in Optimus, OX | K",
        }
    }

    /// The loops that each layer type unrolls along rows and columns of an array of `rows` rows, for kernels of `kernel` rows. Convolutions
    /// first.
    fn unrolls(self, rows: u64, kernel: u64) -> Vec<(String, Vec<UnrollSpec>)> {
        let part = |along: &str, dim: &str, limit: Option<u64>| UnrollSpec {
            array_dimension: along.to_owned(),
            loop_dimension: dim.to_owned(),
            limit,
        };
        let both = |row: &str, column: &str| vec![part(ROWS, row, None), part(COLUMNS, column, None)];
        let columns = |dim: &str| vec![part(COLUMNS, dim, None)];
        // Beside the rows of the kernel there is room for those of other channels, as Eyeriss repeats its sets of PEs.
        let kernel = kernel.clamp(1, rows);
        let window = |channels: &str| {
            let others = part(ROWS, channels, Some((rows / kernel).max(1)));
            vec![part(ROWS, "FY", Some(kernel)), others, part(COLUMNS, "OY", None)]
        };
        let [conv, pointwise, fully_connected, channelwise, add] = match self {
            Self::WeightStationary => [both("C", "K"), both("C", "K"), both("C", "K"), columns("G"), columns("G")],
            // A fully connected layer has one pixel: its outputs are channels.
            Self::OutputStationary => {
                [both("OY", "OX"), both("OY", "OX"), both("K", "K"), both("OY", "OX"), both("OY", "OX")]
            }
            Self::RowStationary => [window("K"), both("C", "OY"), both("C", "K"), window("G"), both("G", "OY")],
            Self::ColumnsAndChannels => {
                [both("OX", "K"), both("OX", "K"), columns("K"), both("OX", "G"), both("OX", "G")]
            }
        };
        let kinds = ["conv", "pointwise", "fully-connected", "depthwise", "pooling", "add"].map(str::to_owned);
        kinds.into_iter().zip([conv, pointwise, fully_connected, channelwise.clone(), channelwise, add]).collect()
    }
}

/// The design with a dataflow, on an array with `2^doublings` times the PEs, as square as their number allows; and the array's rows and
/// columns. Registers that several PEs share are shared by those that use the same data; registers of single PEs stay those of single PEs.
///
/// # Errors
/// Documents that make no sense.
pub fn dataflow_request(
    request: &Request,
    dataflow: ArrayDataflow,
    doublings: i32,
) -> Result<(Request, (u64, u64)), Diagnostics> {
    let network = Network::from_text(&request.workload).map_err(|wrong| wrong.under("workload"))?;
    let spec = read_hardware(&request.hardware).whole().map_err(|wrong| wrong.under("hardware"))?;
    let pes = spec.array.dimensions.iter().fold(1_u64, |pes, (_, size)| pes.saturating_mul(*size)).min(MOST_PES);
    let less = pes >> doublings.min(0).unsigned_abs().min(63);
    let sides = sides(less.saturating_mul(1 << doublings.clamp(0, 16)).max(1));
    let hardware = write_hardware(&unrolled(spec, dataflow, sides, usual_kernel(&network)));
    Ok((Request { hardware, ..request.clone() }, sides))
}

/// Rows of the kernel with the most multiply-accumulates of convolutions.
fn usual_kernel(network: &Network) -> u64 {
    let shapes = || network.computing().map(|id| network.layer(id).shape).filter(|shape| shape.kind == LayerKind::Conv);
    let macs = |rows: u64| shapes().filter(|shape| shape.size(Dim::FY) == rows).map(|shape| shape.macs()).sum::<u64>();
    shapes().map(|shape| shape.size(Dim::FY)).max_by_key(|&rows| (macs(rows), rows)).unwrap_or(1)
}

fn unrolled(spec: HardwareSpec, dataflow: ArrayDataflow, (rows, columns): (u64, u64), kernel: u64) -> HardwareSpec {
    let unroll = dataflow.unrolls(rows, kernel);
    let convolutions = unroll.first().map(|(_, loops)| loops.as_slice()).unwrap_or_default();
    let memories = spec.memories.iter().map(|memory| rewired(memory, &spec.array, convolutions)).collect();
    let dimensions = vec![(ROWS.to_owned(), rows), (COLUMNS.to_owned(), columns)];
    // An array that is systolic along every dimension stays so; in others the systolic side is unknown.
    let is_systolic = spec.array.dimensions.iter().all(|(name, _)| spec.array.systolic.contains(name));
    let systolic = if is_systolic { [ROWS, COLUMNS].map(str::to_owned).to_vec() } else { Vec::new() };
    let in_memory =
        spec.array.in_memory.map(|array| InMemorySpec { columns: COLUMNS.to_owned(), rows: ROWS.to_owned(), ..array });
    HardwareSpec {
        array: ArraySpec { dimensions, systolic, in_memory, ..spec.array },
        // Unrollings that layers state for the design's own array have no meaning here.
        dataflow: String::new(),
        unroll,
        memories,
        ..spec
    }
}

/// Sides of an array of `pes` PEs, as equal as possible, the longer one last.
fn sides(pes: u64) -> (u64, u64) {
    let rows = (1..=pes.isqrt()).rev().find(|side| pes.is_multiple_of(*side)).unwrap_or(1);
    (rows, pes / rows)
}

/// A memory on an array that unrolls these loops.
fn rewired(memory: &MemorySpec, array: &ArraySpec, loops: &[UnrollSpec]) -> MemorySpec {
    let is_shared = |(name, _): &(String, u64)| memory.shared_over.contains(name);
    let all = array.dimensions.iter().all(is_shared);
    let some = array.dimensions.iter().any(is_shared);
    let is_same = |side: &str| {
        let dims = || loops.iter().filter(|part| part.array_dimension == side).map(|part| part.loop_dimension.as_str());
        memory.operands.iter().all(|operand| dims().all(|dim| is_irrelevant(operand, dim)))
    };
    let shared = [ROWS, COLUMNS].into_iter().filter(|side| all || (some && is_same(side)));
    MemorySpec { shared_over: shared.map(str::to_owned).collect(), ..memory.clone() }
}

/// Whether an operand of a convolution is the same for all of a loop.
fn is_irrelevant(operand: &str, dim: &str) -> bool {
    match operand {
        "W" => matches!(dim, "B" | "OX" | "OY"),
        "I" => dim == "K",
        _ => matches!(dim, "C" | "FX" | "FY"),
    }
}
