"""What is in a report of this kind: made of docs/schema/attention-1.json by `make schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired


@final
class Report(TypedDict):
    """What `fusescape attention --format json` prints: one step of a transformer on a core, or, with `--cores`, divided among several
    cores, or, with `--published`, the dataflows of the FuseMax artifact."""

    schema: Literal["fusescape/attention/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    hardware: NotRequired[str]
    """Name of the core."""
    model: NotRequired[Transformer]
    """The transformer."""
    step: NotRequired[Step]
    """What is computed."""
    bits: NotRequired[ElementBits]
    """Bits of elements."""
    schedules: NotRequired[list[Kind]]
    """Attention of one layer: the best schedule of every kind with keys and values in DRAM; none where the model has no attention."""
    recomputed: NotRequired[Attention | None]
    """The best schedule of all kinds that compute keys and values again; null where none fits, or there are no inputs to compute them
    of."""
    best: NotRequired[str | None]
    """The kind of the best schedule of attention by itself; null: the model has no attention. Where `block` is not null, that is run."""
    best_recomputes: NotRequired[bool]
    """Whether the best computes keys and values again; then it is `recomputed`, and the best together with what comes before it."""
    as_good: NotRequired[list[str]]
    """The other kinds whose best schedules score the same."""
    priced: NotRequired[int]
    """Schedules that were priced; the others of the kinds and tiles that are tried are proved not to be better."""
    before: NotRequired[list[Run]]
    """Parts before attention, of one layer; all parts where there is no attention."""
    blocks_priced: NotRequired[int]
    """Blocks of attention with parts around it that were priced; the others that are tried are proved not to be better."""
    block: NotRequired[Block | None]
    """Attention in a block with parts around it, of one layer, in the place of all of them; null: that is no better."""
    keys_in: NotRequired[KeyStore]
    """Where keys and values are: in DRAM; on the chip, those of one layer; on the chip, the cache of all layers."""
    keys_on_chip_bits: NotRequired[int]
    """Bits that they take there."""
    all_layers_with_keys_in: NotRequired[list[CostWithKeysIn]]
    """What all layers cost with keys and values in each place that they may have; null: they, or a part, do not fit."""
    after: NotRequired[list[Run]]
    """Parts after attention, or after its block, of one layer."""
    not_counted: NotRequired[dict[str, int]]
    """Operations of one layer that are not counted, as the core has no vector unit, by what needs them; empty where it has one."""
    all_layers: NotRequired[Cost]
    """Sums over all layers of the step."""
    compulsory_bytes_of_a_layer: NotRequired[Compulsory]
    """Bytes that one layer moves at least."""
    generation: NotRequired[Generation | None]
    """Generation; null without `--generate`."""
    cores: NotRequired[Cores]
    """The cores, all equal."""
    one_core: NotRequired[Divided]
    """The step on one of the cores."""
    divided: NotRequired[list[Divided]]
    """The step on all cores, divided in every way, the best first."""
    not_divided: NotRequired[list[Refused]]
    """What cannot be divided so."""
    published: NotRequired[list[Published]]
    """The dataflows of the FuseMax artifact on its machines."""


Activation: TypeAlias = 'Literal["None", "Gelu", "Silu", "Relu"]'
"""The activation of every hidden channel of the feed-forward part."""


@final
class Attention(TypedDict):
    """A schedule of attention, and what it costs: one layer."""

    schedule: Schedule
    """Tiles, fusion and what stays on chip."""
    energy_pj: float
    """Energy of one layer's attention, pJ."""
    energy_pj_by_cause: Energy
    """Energy by cause, pJ."""
    latency_cycles: int
    """Whole cycles of the accelerator's clock."""
    bound_by: str
    """What takes longest."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    dram: AttentionDram
    """Bits to and from DRAM by tensor."""
    on_chip_bits: list[int]
    """Bits needed on the chip: for queries, scores and results, with inputs; for keys and values, with the weights that compute them."""
    macs: int
    """Multiply-accumulates that are computed, those of keys and values that are computed again included."""
    weight_macs: int
    """Multiply-accumulates of keys and values that are computed again."""


@final
class AttentionDram(TypedDict):
    """Bits to and from DRAM by tensor."""

    queries: Moved
    """Bits of queries."""
    keys: Moved
    """Bits of keys."""
    values: Moved
    """Bits of values."""
    scores: Moved
    """Bits of scores."""
    running_results: Moved
    """Bits of running results."""
    output: Moved
    """Bits of output."""
    inputs: Moved
    """Bits of inputs."""
    weights: Moved
    """Bits of weights."""


@final
class Block(TypedDict):
    """Attention of one layer in a block with parts around it, tile of tokens by tile of tokens: what lies between stays on the chip."""

    queries: list[str]
    """Parts that compute the queries of a tile; empty: queries come from DRAM."""
    parts: list[str]
    """Parts that follow attention in it; empty: its results go to DRAM."""
    tile_tokens: int
    """Number of tokens that one tile covers."""
    tiles: int
    """Tiles of tokens."""
    weights_before_stay: bool
    """Whether weights that compute queries, keys and values in it stay on the chip; else they come for every tile."""
    weights_stay: bool
    """Whether the weights of the parts that follow stay on the chip; else they come for every tile."""
    schedule: Schedule
    """The schedule of attention; its queries are those of a sequence in a tile."""
    energy_pj: float
    """Energy, pJ."""
    energy_pj_by_cause: Energy
    """Energy by cause, pJ."""
    latency_cycles: int
    """Whole cycles of the accelerator's clock."""
    bound_by: str
    """What takes longest."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    weight_bits: int
    """Bits of weights among those read from DRAM."""
    on_chip_bits: list[int]
    """Bits needed on the chip: of queries, scores, results and rows of tokens, and of keys, values and weights."""
    macs: int
    """Multiply-accumulates."""


Cascade: TypeAlias = 'Literal["ThreePass", "TwoPass", "OnePass"]'
"""The passes of the softmax over the keys."""


@final
class Compulsory(TypedDict):
    """Bytes that cross the border of the chip for one layer at least, with all of it fused."""

    weights: float
    """Weights that are used."""
    input: float
    """The layer's input."""
    output: float
    """The layer's output."""
    cache_read: float
    """Cached keys and values that are read, or states of earlier tokens."""
    cache_written: float
    """New keys and values that are written to the cache, or states."""


@final
class Cores(TypedDict):
    """Equal cores."""

    count: int
    """Number of cores."""
    link_bits: int
    """Bits that each core sends, and receives, per cycle."""
    link_pj: float
    """Energy of sending a bit to another core, pJ."""


@final
class Cost(TypedDict):
    """What a step costs, of all layers and sequences."""

    energy_pj: float
    """Energy, pJ."""
    energy_pj_by_cause: Energy
    """Energy by cause, pJ."""
    latency_cycles: int
    """Whole cycles of the accelerator's clock."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    weight_bits: int
    """Bits of weights among those read from DRAM."""
    macs: int
    """Multiply-accumulates."""


@final
class CostWithKeysIn(TypedDict):
    """What all layers cost with keys and values in one place."""

    keys_in: KeyStore
    """The place of keys and values: DRAM, layer (on the chip, those of one layer) or cache (on the chip, those of all layers)."""
    all_layers: Cost | None
    """The step, all layers."""


@final
class Divided(TypedDict):
    """What a step of all layers costs, divided among cores."""

    split: Split
    """The number of parts of each dimension: `sequences`, `heads`, `queries`, `keys` and `layers`."""
    energy_pj: float
    """Energy, links included, pJ."""
    energy_pj_by_cause: Energy
    """Energy by cause, pJ."""
    link_energy_pj: float
    """Energy of the transfers between cores, pJ."""
    latency_cycles: int
    """Latency of a step by itself, cycles."""
    interval_cycles: int
    """Time between the ends of two steps where each group of layers works on its own, cycles."""
    link_cycles: int
    """Part of the latency in which cores send and add up, cycles."""
    link_bits: int
    """Bits that cores send each other."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    macs: int
    """Multiply-accumulates."""
    cache_bytes_of_a_core: float
    """Bytes of keys and values of all layers that belong to a core: the largest part."""
    keys_in: KeyStore
    """The place of keys and values: DRAM, layer (on the chip, those of one layer) or cache (on the chip, those of all layers)."""


@final
class ElementBits(TypedDict):
    """Bits of one element, by the data that it belongs to."""

    activations: int
    """Bits of queries, and of other maps."""
    keys: int
    """Bits of keys and values."""
    sums: int
    """Bits of scores, and of all sums."""
    weights: int
    """Bits of weights of linear layers."""


@final
class Energy(TypedDict):
    """Energy by cause, pJ."""

    dram: float
    """Energy of DRAM, pJ."""
    on_chip_memories: float
    """Energy of on-chip memories, pJ."""
    registers: float
    """Energy of registers, pJ."""
    macs: float
    """Energy of MACs, pJ."""
    lanes: float
    """Energy of lanes, pJ."""


@final
class FusionRows(TypedDict):
    """All: whole rows of scores stay on the chip, while the softmax is computed in three or two passes (FLAT)."""

    Rows: Cascade


Fusion: TypeAlias = 'Literal["None", "QueriesStay", "KeysStay"] | FusionRows'
"""The steps of attention that are fused."""


@final
class Generation(TypedDict):
    """A prompt is read, then tokens follow one after the other, each with a longer cache."""

    batch: int
    """Sequences at a time."""
    prompt: int
    """Tokens of the prompt of each sequence."""
    chunk: int | None
    """Tokens of the prompt that are read at a time; null: all."""
    prefill: Cost
    """Reading the prompt."""
    tokens: list[Token]
    """The first, the middle and the last token."""
    weight_bytes: float
    """Weights of all layers, bytes."""
    cache_bytes: float
    """The cache of all layers at the end, bytes."""
    cache_on_chip: bool
    """Whether it is on the chip from the first token to the last; else it is in DRAM."""
    chip_bytes: float
    """The memory of keys and values on the chip, bytes."""
    dram_bytes: float
    """Bytes read from DRAM and written to it."""
    peak_macs_per_cycle: int
    """Multiply-accumulates of the full array in a cycle."""
    dram_bytes_per_cycle: float
    """What DRAM gives in a cycle, bytes."""


KeyStore: TypeAlias = 'Literal["Dram", "Layer", "Cache"]'
"""Where keys and values are kept."""


KeysHeld: TypeAlias = 'Literal["Streamed", "Resident", "Recomputed", "InputsStay", "Kept"]'
"""Where keys and values are while tiles of queries change."""


@final
class Kind(TypedDict):
    """A kind of schedule of attention."""

    fusion: str
    """The kind of schedule."""
    best: Attention | None
    """The best schedule of the kind; null where none fits."""


@final
class Latent(TypedDict):
    """Multi-head latent attention (DeepSeek-V2, Section 2.1): for each token, a latent is cached, out of which every head computes its
    key and its value, and a part of the key that is rotated and that all heads share. Queries are not compressed here."""

    rank: int
    """Channels of the latent."""
    rotary: int
    """Channels of a query or key that are rotated, beside those of a head."""
    absorbed: bool
    """Whether heads compute with the latents themselves: the weights that would compute keys and values of them are multiplied to
    queries and results instead. Else keys and values of all tokens, cached ones included, are computed in every step."""


@final
class Moved(TypedDict):
    """Bits of a tensor."""

    read_bits: int
    """Bits read from DRAM."""
    written_bits: int
    """Bits written to DRAM."""


Norm: TypeAlias = 'Literal["None", "Layer", "RootMeanSquare"]'
"""The normalisation of the channels of a token."""


@final
class Published(TypedDict):
    """A dataflow of the FuseMax artifact: attention of one layer, on its own machine."""

    dataflow: str
    """Name in the artifact."""
    latency_s: float
    """Time of the whole attention of one layer, s."""
    energy_pj: float
    """Energy, pJ."""
    dram_bytes: float
    """Bytes read from DRAM plus bytes written to it: both maps once, weights once for each time that they are streamed."""
    dram_bytes_by_tensor: dict[str, float]
    """The same by tensor, as the papers write it."""
    cycles: dict[str, float]
    """Cycles of every step, as the papers write its result."""
    utilisation_2d: float
    """Share of the time in which the 2D array is busy."""
    utilisation_1d: float
    """Share of the time in which the 1D array is busy."""
    tiles: tuple[int, int] | None
    """Groups of queries that stay in the buffer, and how often keys pass; rows at a time and how often for FLAT; null where queries are
    not tiled."""
    spilled: float
    """Share of what FLAT wants to keep in the buffer that has no room."""


@final
class Refused(TypedDict):
    """A way to divide a step that cannot be."""

    split: Split
    """Into how many parts each dimension would be divided."""
    why: str
    """The reason."""


@final
class Run(TypedDict):
    """Parts of a layer that run together, tile of tokens by tile of tokens."""

    parts: list[str]
    """Parts that run together: products with weights, and what lanes compute between them."""
    tile_tokens: int
    """Number of tokens that one tile covers."""
    weights_stay: bool
    """Whether all weights stay on the chip; else they come for every tile."""
    states_stay: bool | None
    """Whether the states of a sequence stay on the chip; else they come and go with every tile; null: there are none."""
    energy_pj: float
    """Energy, pJ."""
    energy_pj_by_cause: Energy
    """Energy by cause, pJ."""
    latency_cycles: int
    """Whole cycles of the accelerator's clock."""
    bound_by: str
    """What takes longest."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    weight_bits: int
    """Bits of weights among those read from DRAM."""
    macs: int
    """Multiply-accumulates."""


@final
class Schedule(TypedDict):
    """A schedule of attention on a core: fusion, the sizes of tiles, and the place of keys and values."""

    fusion: Fusion
    """The steps that are fused."""
    queries: int
    """Queries in a tile."""
    heads: int
    """Query heads of a group in a tile; a divisor of the group."""
    keys: int
    """Keys in a tile."""
    held: KeysHeld
    """The place of keys and values."""


@final
class Split(TypedDict):
    """The number of parts of each dimension."""

    sequences: int
    """Sequences of the batch."""
    heads: int
    """Heads and hidden channels."""
    queries: int
    """New tokens."""
    keys: int
    """Keys and values."""
    layers: int
    """Layers: groups of cores that compute one after the other."""


@final
class StateSpace(TypedDict):
    """The sizes of a state-space block."""

    channels: int
    """Channels within the block, each with states of its own."""
    states: int
    """N: states of a channel."""
    rank: int
    """Channels out of which the steps of all channels are computed."""
    kernel: int
    """Tokens that the convolution sees, the token itself included."""


@final
class Step(TypedDict):
    """One step: tokens that are computed together in each of several sequences, after others whose keys and values are cached."""

    batch: int
    """Sequences."""
    tokens: int
    """New tokens of each."""
    cached: int
    """Cached tokens of each."""
    sees_itself: bool
    """Whether the new tokens of a decoder see themselves and each other; AccelForge leaves these scores out where there is a cache."""


@final
class Token(TypedDict):
    """A token that is generated."""

    cached: int
    """Tokens in the cache."""
    cost: Cost
    """What the token costs, of all sequences."""


@final
class Transformer(TypedDict):
    """A stack of equal layers of attention and a feed-forward part, or of state-space blocks, which have neither."""

    name: str
    """As the document states it."""
    layers: int
    """Layers, all alike."""
    width: int
    """D: channels of a token between layers."""
    heads: int
    """Query heads."""
    key_heads: int
    """Heads of keys and values: fewer where groups of query heads share them, one where all do."""
    depth: int
    """Elements of a query, key or value of a head."""
    hidden: int
    """Channels within the feed-forward part."""
    gated: bool
    """Whether a third matrix gates the hidden channels."""
    experts: tuple[int, int]
    """Feed-forward parts (experts), and the number of them that each token uses; (1, 1) where there is one for all."""
    shared: int
    """Experts that every token uses, in addition to these."""
    latent: Latent | None
    """Whether keys and values are computed out of a latent: multi-head latent attention."""
    causal: bool
    """Whether a token sees only those before it, and keys and values are cached: a decoder."""
    window: int | None
    """Number of tokens that a token of a decoder sees, itself included: a sliding window; `None`: all before it."""
    norm: Norm
    """Normalisation of the tokens."""
    post_norm: bool
    """Whether the norm follows the residual sum, as in the first transformers; else it comes before attention and the feed-forward part."""
    activation: Activation
    """Activation of the hidden channels."""
    rotary: bool
    """Whether queries and keys are rotated by their position."""
    state_space: StateSpace | None
    """The state-space block in place of attention and the feed-forward part; the model then has no heads, and their sizes are 0."""
