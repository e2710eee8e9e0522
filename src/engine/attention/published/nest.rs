//! Loop nests of one step of attention, and their accesses: the counting rule of the FuseMax artifact.
//!
//! A step is an Einsum. Its temporal loops are at DRAM or at the on-chip buffer, outer ones first; its spatial loops
//! are on the PEs. A level holds a tensor, or the tensor bypasses it. A level is filled once for each iteration of the
//! loops above it, without the innermost ones that do not index the tensor. PEs that need the same data get it by
//! multicast; sums across the array are reduced on the way. Counts are in elements.

/// The ranks that loops iterate over. Two ranks represent the keys: a tensor may be indexed by the key tile alone, as a
/// maximum is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// B.
    Batch,
    /// H.
    Head,
    /// P: all of P2, P1 and P0.
    Query,
    /// M1: tiles of keys.
    KeyTile,
    /// M0: a key within a tile.
    Key,
    /// E.
    Depth,
    /// F.
    Value,
}

/// The ranks that index a tensor, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks(u8);

impl Ranks {
    /// A set of ranks.
    pub const fn of(ranks: &[Rank]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < ranks.len() {
            bits |= 1 << ranks[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    const fn contains(self, rank: Rank) -> bool {
        self.0 >> rank as u8 & 1 == 1
    }
}

/// Q, one of RNV, AV: B, H, P and depth or value.
pub const QUERIES: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query, Rank::Depth]);
/// K.
pub const KEYS: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::KeyTile, Rank::Key, Rank::Depth]);
/// V.
pub const VALUES: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::KeyTile, Rank::Key, Rank::Value]);
/// QK, SN, SLN, A.
pub const SCORES: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query, Rank::KeyTile, Rank::Key]);
/// One number of a query and a tile of keys: LM, RM, SLD, RD, PRM, SPD.
pub const OF_KEY_TILE: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query, Rank::KeyTile]);
/// One number of a query: G, SD.
pub const OF_QUERY: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query]);
/// AV, and SLNV as the artifact declares it.
pub const OUTPUT: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query, Rank::Value]);
/// SLNV, SPNV, RNV: an output of a tile of keys.
pub const OUTPUT_OF_KEY_TILE: Ranks = Ranks::of(&[Rank::Batch, Rank::Head, Rank::Query, Rank::KeyTile, Rank::Value]);

/// Where a tensor is held above the registers of the PEs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Nowhere: it comes from the step before, and goes to the next.
    Passed,
    /// In DRAM alone: it bypasses the buffer.
    Dram,
    /// In the on-chip buffer alone.
    Buffer,
    /// In DRAM and the buffer.
    Both,
    /// In the register file at the edge of the 2D array, which the 1D array reads.
    Edge,
}

/// A tensor of a step.
#[derive(Debug, Clone, Copy)]
pub struct Tensor {
    /// Its name in the papers.
    pub name: &'static str,
    /// The ranks that index it.
    pub ranks: Ranks,
    /// The memories that hold a tile of it.
    pub held: Held,
}

/// A loop: its rank, and its number of iterations.
pub type Loop = (Rank, u64);

/// The loops of a step, outer ones first.
#[derive(Debug, Clone)]
pub struct Nest {
    /// Loops over tiles in DRAM.
    pub dram: Vec<Loop>,
    /// Loops over tiles in the buffer.
    pub buffer: Vec<Loop>,
    /// Loops over the PEs.
    pub spatial: Vec<Loop>,
}

/// Elements of a tensor that cross the borders of memories in a step.
#[derive(Debug, Clone, Copy)]
pub struct Transfers {
    /// The tensor.
    pub name: &'static str,
    /// Elements that cross the border of the chip, both ways.
    pub dram: u64,
    /// Elements read from the buffer.
    pub buffer_reads: u64,
    /// Elements written to the buffer.
    pub buffer_writes: u64,
    /// Elements written to the buffer from DRAM; part of [`Self::buffer_writes`].
    pub buffer_fills: u64,
    /// Elements read from the register file at the edge.
    pub edge_reads: u64,
    /// Elements written to the register file at the edge.
    pub edge_writes: u64,
}

/// The accesses of a step.
#[derive(Debug, Clone)]
pub struct Accesses {
    /// Transfers of each tensor.
    pub transfers: Vec<Transfers>,
    /// Reads of the registers of one PE.
    pub register_reads: u64,
    /// Writes to the registers of one PE.
    pub register_writes: u64,
    /// PEs that the spatial loops use.
    pub pes: u64,
}

impl Nest {
    /// Counts the accesses of a step that computes `output` of `inputs` with this nest, one operation for each
    /// iteration.
    pub fn accesses(&self, inputs: &[Tensor], output: Tensor) -> Accesses {
        let above: Vec<Loop> = [&self.dram[..], &self.buffer[..]].concat();
        let computations = product(&above, |_| true);
        let instances = |tensor: Tensor| product(&self.spatial, |rank| tensor.ranks.contains(rank));
        let buffered = |tensor: Tensor| tile(&self.buffer, tensor) * instances(tensor) * stationary(&self.dram, tensor);
        let mut accesses = Accesses {
            transfers: Vec::new(),
            register_reads: 0,
            register_writes: 0,
            pes: product(&self.spatial, |_| true),
        };
        for &input in inputs {
            accesses.register_reads += computations;
            if input.held == Held::Passed {
                continue;
            }
            let fills = stationary(&above, input);
            accesses.register_writes += fills;
            let mut moved = Transfers::none(input.name);
            moved.read(input.held, fills * instances(input));
            if input.held == Held::Both {
                moved.buffer_writes += buffered(input);
                moved.buffer_fills += buffered(input);
                moved.dram += buffered(input);
            }
            accesses.transfers.push(moved);
        }
        let distinct = tile(&above, output);
        accesses.register_reads += computations - distinct;
        accesses.register_writes += computations;
        if output.held != Held::Passed {
            // An output that arrives again is added to the sum at the level, which is read; and a PE reads the sums
            // that it continues.
            let arrivals = stationary(&above, output);
            accesses.register_writes += arrivals - distinct;
            let mut moved = Transfers::none(output.name);
            moved.write(output.held, arrivals * instances(output));
            moved.read(output.held, (arrivals - distinct) * instances(output));
            if output.held == Held::Both {
                let again = buffered(output) - distinct * instances(output);
                moved.dram += buffered(output) + again;
                moved.buffer_writes += again;
                moved.buffer_fills += again;
            }
            accesses.transfers.push(moved);
        }
        accesses
    }
}

impl Transfers {
    const fn none(name: &'static str) -> Self {
        Self { name, dram: 0, buffer_reads: 0, buffer_writes: 0, buffer_fills: 0, edge_reads: 0, edge_writes: 0 }
    }

    /// The lowest level that holds a tensor is read.
    const fn read(&mut self, held: Held, elements: u64) {
        match held {
            Held::Passed => {}
            Held::Dram => self.dram += elements,
            Held::Buffer | Held::Both => self.buffer_reads += elements,
            Held::Edge => self.edge_reads += elements,
        }
    }

    const fn write(&mut self, held: Held, elements: u64) {
        match held {
            Held::Passed => {}
            Held::Dram => self.dram += elements,
            Held::Buffer | Held::Both => self.buffer_writes += elements,
            Held::Edge => self.edge_writes += elements,
        }
    }
}

fn product(loops: &[Loop], counts: impl Fn(Rank) -> bool) -> u64 {
    loops.iter().filter(|(rank, _)| counts(*rank)).map(|(_, count)| count).product()
}

/// Elements of the tensor in one round of all these loops: the product of those that index it.
fn tile(loops: &[Loop], tensor: Tensor) -> u64 {
    product(loops, |rank| tensor.ranks.contains(rank))
}

/// Number of times that the tensor's tile below these loops changes: the product of all of them, without the innermost
/// that do not index it.
fn stationary(loops: &[Loop], tensor: Tensor) -> u64 {
    let last = loops.iter().rposition(|(rank, _)| tensor.ranks.contains(*rank));
    product(&loops[..last.map_or(0, |last| last + 1)], |_| true)
}
