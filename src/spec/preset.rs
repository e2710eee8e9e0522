//! The documents that come with the program.

use super::Diagnostics;
use super::diagnostic::closest;

/// A document that a person can pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Name in links and on the command line; the name of its file in `presets/`.
    pub id: &'static str,
    /// Name on the page; the `name` in the document.
    pub title: &'static str,
    /// The document.
    pub text: &'static str,
}

/// The names of a preset, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetName {
    /// Name in links and on the command line.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
}

// Statics, as every package that reads a constant would have a copy of the texts.
macro_rules! presets {
    ($presets:ident, $names:ident, $folder:literal: $($id:literal => $title:literal,)+) => {
        static $presets: &[Preset] = presets! { $folder: $($id => $title,)+ };
        static $names: &[PresetName] = &[$(PresetName { id: $id, title: $title },)+];
    };
    ($folder:literal: $($id:literal => $title:literal,)+) => {
        &[$(Preset {
            id: $id,
            title: $title,
            text: include_str!(concat!("../../presets/", $folder, "/", $id, ".yaml")),
        },)+]
    };
}

presets! {
    HARDWARE, HARDWARE_NAMES, "hardware":
    "meta-proto-like-df" => "Meta-prototype-like DF",
    "meta-proto-like" => "Meta-prototype-like",
    "tpu-like-df" => "TPU-like DF",
    "tpu-like" => "TPU-like",
    "edge-tpu-like-df" => "Edge-TPU-like DF",
    "edge-tpu-like" => "Edge-TPU-like",
    "ascend-like-df" => "Ascend-like DF",
    "ascend-like" => "Ascend-like",
    "tesla-npu-like-df" => "Tesla-NPU-like DF",
    "tesla-npu-like" => "Tesla-NPU-like",
    "eyeriss-like" => "Eyeriss-like",
    "zigzag-8x8" => "ZigZag 8 x 8",
    "fusemax-like" => "FuseMax-like",
    "zigzag-aimc" => "ZigZag AIMC",
    "zigzag-dimc" => "ZigZag DIMC",
}

presets! {
    WORKLOADS, WORKLOAD_NAMES, "workload":
    "fsrcnn" => "FSRCNN",
    "dmcnn-vd" => "DMCNN-VD",
    "mccnn" => "MC-CNN fast",
    "mobilenet-v1" => "MobileNetV1",
    "mobilenet-v2" => "MobileNetV2",
    "resnet18" => "ResNet18",
    "resnet50" => "ResNet50",
    "attention-head" => "Attention head of Stream",
    "bert-base-block" => "BERT-base block",
    "gpt2-block" => "GPT-2 block, prompt",
    "gpt2-block-decode" => "GPT-2 block, next token",
    "alexnet-eyeriss" => "AlexNet conv1-5 (Eyeriss)",
    "mobilenet-v2-study" => "MobileNetV2 L13, L15, L39, L46",
    "vgg16-e" => "VGG16-E",
    "resnet18-main-path" => "ResNet18, main path",
    "resnet50-jia" => "ResNet50 segment (Jia et al.)",
    "resnet18-diana" => "ResNet18 segment (DIANA)",
    "fsrcnn-defines" => "FSRCNN (DeFiNES)",
    "dmcnn-vd-defines" => "DMCNN-VD (DeFiNES)",
    "mccnn-defines" => "MC-CNN (DeFiNES)",
    "mobilenet-v1-defines" => "MobileNetV1 (DeFiNES)",
    "resnet18-defines" => "ResNet18 (DeFiNES)",
    "fsrcnn-540" => "FSRCNN, 540 x 540",
    "fsrcnn-60" => "FSRCNN, 60 x 60",
    "three-convs" => "Three convolutions",
}

static POOLS: &[Preset] = presets! {
    "pool":
    "zigzag-65nm" => "ZigZag case study 2, 65 nm",
};

static SYSTEMS: &[Preset] = presets! {
    "system":
    "quad-beside" => "Four of the accelerator",
    "tpu-quad" => "Four TPU-like cores, pooling and SIMD",
    "eyeriss-quad" => "Four Eyeriss-like cores",
    "simba-quad" => "Four Simba-like chiplets",
    "depfin" => "DepFiN",
    "jia" => "Jia et al., five in a chain",
    "diana" => "DIANA",
    "stream-1ws" => "1 core, 1 WS (Table 3)",
    "stream-1os" => "1 core, 1 OS (Table 3)",
    "stream-2ws" => "2 cores, 2 WS (Table 3)",
    "stream-1ws-1os" => "2 cores, 1 WS + 1 OS (Table 3)",
    "stream-2os" => "2 cores, 2 OS (Table 3)",
    "stream-4ws" => "4 cores, 4 WS (Table 3)",
    "stream-3ws-1os" => "4 cores, 3 WS + 1 OS (Table 3)",
    "stream-2ws-2os" => "4 cores, 2 WS + 2 OS (Table 3)",
    "stream-1ws-3os" => "4 cores, 1 WS + 3 OS (Table 3)",
    "stream-4os" => "4 cores, 4 OS (Table 3)",
    "stream-8ws" => "8 cores, 8 WS (Table 3)",
    "stream-7ws-1os" => "8 cores, 7 WS + 1 OS (Table 3)",
    "stream-6ws-2os" => "8 cores, 6 WS + 2 OS (Table 3)",
    "stream-5ws-3os" => "8 cores, 5 WS + 3 OS (Table 3)",
    "stream-4ws-4os" => "8 cores, 4 WS + 4 OS (Table 3)",
    "stream-3ws-5os" => "8 cores, 3 WS + 5 OS (Table 3)",
    "stream-2ws-6os" => "8 cores, 2 WS + 6 OS (Table 3)",
    "stream-1ws-7os" => "8 cores, 1 WS + 7 OS (Table 3)",
    "stream-8os" => "8 cores, 8 OS (Table 3)",
    "stream-4ws-half" => "4 cores, 4 WS, half the activations",
    "ws-pair" => "Two small weight-stationary cores",
    "ws-ring" => "Four small weight-stationary cores",
};

static GALLERY: &[Preset] = presets! {
    "gallery":
    "defines-fig-12" => "The depth-first landscape of FSRCNN",
    "defines-fig-12-lbl" => "Layer by layer, the corner of the landscape",
    "defines-fig-9" => "Tile types of one schedule",
    "defines-table-1" => "Five networks, two kinds",
    "defines-fig-13" => "What recomputing costs, and caching",
    "defines-case-study-2" => "Different networks, different schedules",
    "defines-case-study-3" => "Hardware made for depth-first scheduling",
    "defines-fig-18" => "What a cost model must not leave out",
    "zigzag-fig-6" => "What loops say before any technology",
    "zigzag-fig-12-before" => "The roof of a memory, before an assignment",
    "zigzag-fig-12-after" => "The roof of a memory, after an assignment",
    "zigzag-fig-3" => "The best mapping of the paper, and ours",
    "zigzag-fig-17" => "Even and uneven mappings",
    "zigzag-table-5" => "Three ways to search",
    "zigzag-table-7" => "One hierarchy for all layers, or one for each",
    "zigzag-fig-19" => "Hundreds of memory hierarchies for one layer",
    "zigzag-fig-20" => "When spatial unrolling matters",
    "optimus-fig-14" => "What a restricted space misses",
    "optimus-fig-16" => "Buffers, arrays and batches",
    "optimus-table-4" => "What fusion saves on eight networks",
    "optimus-table-5" => "How many groups a network has",
    "hwff-fig-12" => "What it takes to fuse more layers",
    "hwff-fig-13" => "Storing overlap once",
    "hwff-fig-16" => "More registers, or more PEs",
    "hwff-table-5" => "Fused in time or in space",
    "hwff-table-6-vgg16-e" => "How VGG16-E shares an array",
    "hwff-table-6-resnet18" => "How ResNet18 shares an array",
    "hwff-table-7-vgg16-e" => "Computation to communication in VGG16-E",
    "hwff-table-7-resnet18" => "Computation to communication in ResNet18",
    "stream-table-2-depfin" => "DepFiN, measured and modelled",
    "stream-table-2-jia" => "Jia et al., measured and modelled",
    "stream-table-2-diana" => "DIANA, measured and modelled",
    "stream-fig-11" => "The steady state of a stack",
    "stream-fig-13" => "Tiles that several cores share",
    "stream-fig-14" => "When fusing layers pays on four cores",
    "stream-fig-15" => "How many cores a network wants",
    "fusemax-attention" => "From FLAT to FuseMax",
};

static TRANSFORMERS: &[Preset] = presets! {
    "transformer":
    "llama-3-8b" => "Llama-3-8B",
    "gpt2-small" => "GPT-2 small",
    "gpt3-6.7b" => "GPT-3 6.7B",
    "mamba-130m" => "Mamba 130M",
    "mamba-2.8b" => "Mamba 2.8B",
    "mistral-7b" => "Mistral 7B",
    "mixtral-8x7b" => "Mixtral 8x7B",
    "deepseek-v2-lite" => "DeepSeek-V2-Lite",
    "bert-base" => "BERT-base",
    "vit-b16" => "ViT-B/16",
};

static LESSONS: &[Preset] = presets! {
    "lesson":
    "why-fuse" => "Why fuse layers?",
    "tiles-and-overlap" => "Tile size and overlap",
    "memory-hierarchy" => "How the memory hierarchy decides",
    "mapping-by-hand" => "A mapping by hand",
    "even-uneven" => "Even and uneven mappings",
    "spatial-unrolling" => "Sixteen PEs, five arrays",
    "registers" => "Growing a register file",
    "ports-and-stalls" => "Ports and stalls",
    "roofline" => "The roofline",
    "many-cores" => "Many cores",
    "attention-fused" => "Attention, fused",
    "decode-and-cache" => "A token at a time",
    "fusion-by-hand" => "Fusion by hand",
    "your-own" => "An exercise to begin with",
};

/// The accelerator and the network that the page opens with.
static FIRST: [Preset; 2] = [called(HARDWARE, "meta-proto-like-df"), called(WORKLOADS, "fsrcnn-defines")];

/// The preset of this name; the first where there is none.
const fn called(presets: &'static [Preset], id: &str) -> Preset {
    let mut index = 0;
    while index < presets.len() {
        let (known, mut at) = (presets[index].id.as_bytes(), 0);
        while at < id.len() && known.len() == id.len() && known[at] == id.as_bytes()[at] {
            at += 1;
        }
        if at == id.len() {
            return presets[index];
        }
        index += 1;
    }
    presets[0]
}

/// The accelerator and the network that the page opens with. Code that needs no other preset does not load the texts of
/// the others.
pub fn first_presets() -> &'static [Preset; 2] {
    &FIRST
}

/// The names of the hardware documents.
pub fn hardware_names() -> &'static [PresetName] {
    HARDWARE_NAMES
}

/// The names of the workload documents.
pub fn workload_names() -> &'static [PresetName] {
    WORKLOAD_NAMES
}

/// The guided lessons.
pub fn lesson_presets() -> &'static [Preset] {
    LESSONS
}

/// The entries of the gallery.
pub fn gallery_presets() -> &'static [Preset] {
    GALLERY
}

/// The hardware documents.
pub fn hardware_presets() -> &'static [Preset] {
    HARDWARE
}

/// The workload documents.
pub fn workload_presets() -> &'static [Preset] {
    WORKLOADS
}

/// The pools of memories.
pub fn pool_presets() -> &'static [Preset] {
    POOLS
}

/// The systems of cores.
pub fn system_presets() -> &'static [Preset] {
    SYSTEMS
}

/// The shapes of transformers.
pub fn transformer_presets() -> &'static [Preset] {
    TRANSFORMERS
}

/// The preset called `id`.
///
/// # Errors
/// If there is none; the remedy names the closest one.
pub fn find_preset(presets: &'static [Preset], id: &str) -> Result<&'static Preset, Diagnostics> {
    if let Some(preset) = presets.iter().find(|preset| preset.id == id) {
        return Ok(preset);
    }
    let ids: Vec<&str> = presets.iter().map(|preset| preset.id).collect();
    let remedy = closest(id, ids.iter().copied())
        .map_or_else(|| format!("Use one of {}", ids.join(", ")), |meant| format!("Did you mean `{meant}`?"));
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("", format!("There is no preset `{id}`"), remedy);
    Err(diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_opens_with_presets_of_the_lists() {
        for (first, presets, id) in
            [(FIRST[0], HARDWARE, "meta-proto-like-df"), (FIRST[1], WORKLOADS, "fsrcnn-defines")]
        {
            assert_eq!((first.id, Ok(&first)), (id, find_preset(presets, id)));
        }
    }
}
