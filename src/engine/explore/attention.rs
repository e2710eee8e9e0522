//! Studies of a transformer on a core: one step, with the best schedule of attention of every kind; generation with a cache.

use super::sweep::check_objective;
use crate::attention::published::{self, Array, COMPULSORY, Dataflow, Replay, Rules, best_flat, replay};
use crate::attention::{
    Account, AttentionSteps, BlockProblem, BlockSchedule, Compulsory, Cores, ElementBits, Fusion, Generation, KeyStore,
    LayerSchedule, Machine, Problem, Schedule, Sequences, Shape, Split, SplitCost, Step, Store, TransformerWork,
    account, figures, follow, follow_block, generate, parts_around, schedule_layer, score, split_step,
};
use crate::hardware::Core;
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::ties;
use crate::transformer::Transformer;
use serde::{Deserialize, Serialize};

/// A transformer on a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionRequest {
    /// Hardware document.
    pub hardware: String,
    /// Transformer document.
    pub model: String,
    /// The step to be computed.
    pub step: Step,
    /// Bits of elements.
    pub bits: ElementBits,
    /// The objective that is minimised.
    pub objective: Objective,
}

/// A step of a transformer, answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionAnswer {
    /// The transformer of the request.
    pub model: Transformer,
    /// Name of the core in the hardware document.
    pub core: String,
    /// Clock frequency, MHz; `None` where none is stated.
    pub clock_mhz: Option<f64>,
    /// Capacity of the DRAM.
    pub dram_bytes: f64,
    /// Lower bound on the bytes that one layer moves, with keys and values where the schedule keeps them.
    pub compulsory: Compulsory,
    /// The best schedule of one layer.
    pub layer: LayerSchedule,
}

/// Scores of schedules over tiles of queries and tiles of keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionTiles {
    /// The steps that run together.
    pub fusion: Fusion,
    /// Sizes of tiles of queries, the rows.
    pub queries: Vec<u64>,
    /// Sizes of tiles of keys, the columns.
    pub keys: Vec<u64>,
    /// Row by row: the score of the best schedule with these tiles; `None` where none fits.
    pub scores: Vec<Option<f64>>,
}

/// Which schedule is followed step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TracedSchedule {
    /// The given schedule.
    Exactly(Schedule),
    /// The best of a kind with tiles of so many queries and so many keys.
    BestWith(Fusion, u64, u64),
    /// A block: attention with the parts around it.
    Block(BlockSchedule),
}

/// The steps of a schedule of attention, with the names of the memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionTrace {
    /// Its steps.
    pub steps: AttentionSteps,
    /// Name of DRAM in the hardware document.
    pub dram: String,
    /// The memories on the chip, with their bits: for queries, scores and results; for keys and values where that is another.
    pub on_chip: Vec<(String, u64)>,
    /// Bits of these memories that keys and values occupy, which stay there once they are computed.
    pub kept_bits: u64,
    /// Whether the core has a vector unit.
    pub has_lanes: bool,
}

/// A dataflow of the FuseMax artifact, priced by its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedDataflow {
    /// Name of the dataflow in the artifact.
    pub name: String,
    /// Seconds.
    pub latency_s: f64,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Bytes read from DRAM plus bytes written to it.
    pub dram_bytes: f64,
    /// The part of the time of the 2D array and of the 1D array that is used.
    pub used: [f64; 2],
}

impl From<&(Dataflow, Replay)> for PublishedDataflow {
    fn from((dataflow, replay): &(Dataflow, Replay)) -> Self {
        Self {
            name: dataflow.name().to_owned(),
            latency_s: replay.latency_s,
            energy_pj: replay.energy_pj(),
            dram_bytes: replay.dram_bytes(),
            used: [Array::TwoD, Array::OneD].map(|array| replay.utilisation(array)),
        }
    }
}

/// A validated request.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionProblem {
    /// The core as attention sees it.
    pub machine: Machine,
    /// The transformer, validated.
    pub model: Transformer,
    request: AttentionRequest,
}

/// Limit on the tokens of a step, on sequences, and on the tokens that follow.
const MOST: u64 = 1 << 24;

impl AttentionProblem {
    /// Validates a request.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it; paths begin with `hardware.`, `model.` or `step.`.
    pub fn new(request: &AttentionRequest) -> Result<Self, Diagnostics> {
        let machine = Core::from_text(&request.hardware)
            .map_err(|wrong| wrong.under("hardware"))
            .and_then(|core| Machine::of(&core));
        let model = Transformer::from_text(&request.model).map_err(|wrong| wrong.under("model"));
        let mut step = check_step(&request.step);
        check_objective("settings.objective", &request.objective, None, &mut step);
        match (machine, model, step.or(())) {
            (Ok(machine), Ok(model), Ok(())) => {
                model.check_step(&request.step)?;
                Ok(Self { machine, model, request: request.clone() })
            }
            (machine, model, step) => {
                let all = [machine.err(), model.err(), step.err()];
                Err(Diagnostics(all.into_iter().flatten().flat_map(|wrong| wrong.0).collect()))
            }
        }
    }

    /// Schedules one layer of the step.
    ///
    /// # Errors
    ///
    /// As [`schedule_layer`].
    pub fn layer(&self) -> Result<LayerSchedule, Diagnostics> {
        let AttentionRequest { step, bits, objective, .. } = &self.request;
        schedule_layer(&self.model, step, *bits, &self.machine, objective)
    }

    /// The best schedule of one layer of the step, with a lower bound beside it.
    ///
    /// # Errors
    ///
    /// As [`schedule_layer`].
    pub fn answer(&self) -> Result<AttentionAnswer, Diagnostics> {
        let machine = &self.machine;
        let layer = self.layer()?;
        Ok(AttentionAnswer {
            model: self.model.clone(),
            core: machine.name.clone(),
            clock_mhz: machine.clock_mhz,
            dram_bytes: machine.dram.size_bits as f64 / 8.0,
            compulsory: self.compulsory(&layer),
            layer,
        })
    }

    /// Lower bound on the bytes that one layer moves, with keys and values where this schedule keeps them.
    pub fn compulsory(&self, layer: &LayerSchedule) -> Compulsory {
        let compulsory = self.model.compulsory(&self.request.step, self.request.bits);
        if layer.keys_in.0 == KeyStore::Cache { compulsory.without_cache() } else { compulsory }
    }

    /// Attention with its keys and values in this store, and the core with the room that they leave.
    fn with_keys_in(&self, store: KeyStore) -> Result<(Problem, Machine), Diagnostics> {
        let AttentionRequest { step, bits, .. } = &self.request;
        let problem = self.model.attention(step, *bits).ok_or_else(no_attention)?;
        problem.check()?;
        let room = store.room(&self.model, step, *bits, 0);
        let left = room.and_then(|room| self.machine.with_less_room(room)).ok_or_else(|| {
            let mut diagnostics = Diagnostics::default();
            let reason = format!("Keys and values have no room {}", store.name());
            diagnostics.add("keys_in", reason, "Leave them in DRAM");
            diagnostics
        })?;
        Ok((store.attention(&problem), left))
    }

    /// Scores of a kind of schedule over tiles of queries and keys of round sizes, with keys and values in this store.
    ///
    /// # Errors
    ///
    /// A wrong shape of attention, a model without attention, or no room for keys and values.
    pub fn tiles(&self, fusion: Fusion, keys_in: KeyStore) -> Result<AttentionTiles, Diagnostics> {
        let objective = &self.request.objective;
        let (problem, machine) = self.with_keys_in(keys_in)?;
        let (queries, keys) = (round_sizes(problem.shape.queries), round_sizes(problem.shape.keys));
        let best = |queries: u64, keys: u64| {
            let best = self.best_with(&problem, &machine, (fusion, queries, keys))?;
            Some(score(objective, &machine, &best))
        };
        let scores = queries.iter().flat_map(|&queries| keys.iter().map(move |&keys| (queries, keys)));
        let scores = scores.map(|(queries, keys)| best(queries, keys)).collect();
        Ok(AttentionTiles { fusion, queries, keys, scores })
    }

    /// The step, divided among cores that are all like this one.
    ///
    /// # Errors
    ///
    /// As [`split_step`].
    pub fn on_cores(&self, cores: &Cores, split: &Split) -> Result<SplitCost, Diagnostics> {
        let AttentionRequest { step, bits, objective, .. } = &self.request;
        split_step(&self.model, step, *bits, (&self.machine, cores), split, objective)
    }

    /// The best schedule of a kind with such tiles and stored keys and values; `None` where none fits.
    fn best_with(
        &self,
        problem: &Problem,
        machine: &Machine,
        (fusion, queries, keys): (Fusion, u64, u64),
    ) -> Option<Account> {
        let (group, objective) = (problem.group(), &self.request.objective);
        let heads = (1..=group).filter(|heads| group.is_multiple_of(*heads));
        let of_heads =
            |heads| problem.stored().iter().map(move |&held| Schedule { fusion, queries, heads, keys, held });
        let schedules = heads.flat_map(of_heads).filter(|schedule| fusion.takes(schedule.held));
        let priced = schedules.filter_map(|schedule| account(problem, machine, &schedule));
        ties::best(priced, |account| (figures(objective, machine, account), ()))
    }

    /// The steps of a schedule of the step's attention, alone or in a block, with keys and values in this store.
    ///
    /// # Errors
    ///
    /// There is no attention, no such tile, no room for keys and values; or the errors of [`follow`] or
    /// [`follow_block`].
    pub fn trace(&self, of: &TracedSchedule, keys_in: KeyStore) -> Result<AttentionTrace, Diagnostics> {
        let step = &self.request.step;
        let (problem, left) = self.with_keys_in(keys_in)?;
        let shape = &problem.shape;
        let best_with = |fusion, queries: u64, keys: u64| {
            // For a size of 0, or one larger than all, the nearest size is taken.
            let (queries, keys) = (queries.clamp(1, shape.queries), keys.clamp(1, shape.keys));
            let best = self.best_with(&problem, &left, (fusion, queries, keys)).map(|account| account.schedule);
            best.unwrap_or(Schedule { fusion, queries, heads: 1, keys, held: problem.stored()[0] })
        };
        let steps = match *of {
            TracedSchedule::Exactly(schedule) => follow(&problem, &left, &schedule)?,
            TracedSchedule::BestWith(fusion, queries, keys) => {
                follow(&problem, &left, &best_with(fusion, queries, keys))?
            }
            TracedSchedule::Block(schedule) => {
                let [queries, chain] = &parts_around(&self.model, &left);
                let problem = BlockProblem { queries, attention: &problem, chain, step, machine: &left };
                follow_block(&problem, &schedule)?
            }
        };
        let machine = &self.machine;
        let named = |store: &Store| (store.name.clone(), store.size_bits);
        Ok(AttentionTrace {
            steps,
            dram: machine.dram.name.clone(),
            on_chip: std::iter::once(&machine.activations).chain(&machine.weights).map(named).collect(),
            kept_bits: machine.weight_store().size_bits - left.weight_store().size_bits,
            has_lanes: machine.lanes.is_some(),
        })
    }

    /// So many tokens after a prompt of the step's tokens, which is read whole or in chunks of so many tokens.
    ///
    /// # Errors
    ///
    /// As [`Sequences::chunks`]; an encoder generates nothing, and a decoder not without end.
    pub fn sequences(&self, generated: u64, chunk: Option<u64>) -> Result<Sequences, Diagnostics> {
        if !self.model.causal {
            let mut diagnostics = Diagnostics::default();
            diagnostics.add("model.decoder", "An encoder generates no tokens", "Take a decoder, or ask for one step");
            return Err(diagnostics);
        }
        let wrong = check_sizes(&[("generate", generated, 0)]);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let step = &self.request.step;
        let sequences = Sequences { batch: step.batch, prompt: step.cached + step.tokens, chunk, generated };
        sequences.chunks().map(|_| sequences)
    }

    /// The generation of these tokens.
    ///
    /// # Errors
    ///
    /// As [`generate`].
    pub fn generation(&self, sequences: &Sequences) -> Result<Generation, Diagnostics> {
        let AttentionRequest { bits, objective, .. } = &self.request;
        generate(&self.model, sequences, *bits, &self.machine, objective)
    }

    /// The dataflows of the FuseMax artifact for the step's attention, each on its own machine; FLAT in its best configuration.
    ///
    /// # Errors
    ///
    /// As [`replay`].
    pub fn published_dataflows(&self, rules: &Rules) -> Result<Vec<PublishedDataflow>, Diagnostics> {
        Ok(self.published(rules)?.iter().map(PublishedDataflow::from).collect())
    }

    /// The same dataflows with their whole accounts.
    ///
    /// # Errors
    ///
    /// As [`replay`].
    pub fn published(&self, rules: &Rules) -> Result<Vec<(Dataflow, Replay)>, Diagnostics> {
        if self.model.state_space.is_some() {
            return Err(no_attention());
        }
        let Step { batch, tokens, .. } = self.request.step;
        let shape = Shape::of_sequence(batch, self.model.heads, self.model.depth, tokens);
        let (found, _) = best_flat(&shape, &published::Machine::FLAT_CLOUD, rules)?;
        let all = [
            Dataflow::Unfused(COMPULSORY),
            Dataflow::Flat(found),
            Dataflow::Cascade,
            Dataflow::Architecture,
            Dataflow::Binding,
        ];
        all.into_iter().map(|dataflow| Ok((dataflow, replay(&dataflow, &shape, &dataflow.cloud(), rules)?))).collect()
    }
}

fn no_attention() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("model.state_space", "A state-space block has no attention", "Take a model with heads");
    diagnostics
}

/// Powers of two and the whole, the largest sixteen.
fn round_sizes(all: u64) -> Vec<u64> {
    let powers = (0..u64::BITS - 1).map(|power| 1 << power).take_while(|size| *size < all);
    let sizes: Vec<u64> = powers.chain([all]).collect();
    sizes[sizes.len().saturating_sub(16)..].to_vec()
}

fn check_step(step: &Step) -> Diagnostics {
    check_sizes(&[("step.batch", step.batch, 1), ("step.tokens", step.tokens, 1), ("step.cached", step.cached, 0)])
}

/// Checks sizes, each given by its name, its value, and the least value.
fn check_sizes(sizes: &[(&str, u64, u64)]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for &(name, size, least) in sizes {
        if size < least || size > MOST {
            diagnostics.add(name, format!("The size is {size}"), format!("Write {least} to {MOST}"));
        }
    }
    diagnostics
}
