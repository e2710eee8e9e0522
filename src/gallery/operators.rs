//! Figures of operator fusion on the networks of its paper (Optimus, Tables 4 and 5, Sections 7.4 to 7.7).

use super::parameters::{MeasureParameters, choose};
use fusescape_engine::fusion::{
    Ideals, NETWORK_INPUT, OnlineFusion, OperatorGraph, OperatorKind, PaperNetwork, Scheme, Setting, Throughput,
    baselines, memory_cost, prior_cost,
};
use fusescape_engine::workload::Dim;
use std::collections::HashMap;

/// Limit on the order ideals, beyond those of any network of an entry.
const MOST_IDEALS: usize = 1000;

/// A figure of networks of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorFigure {
    /// Number of operators, simple ones merged.
    Operators,
    /// Number of possible groups: convex sets of operators.
    PossibleGroups,
    /// Number of groups considered by the on-line variant.
    OnlineGroups,
    /// Number of groups of the best scheme.
    Groups,
    /// Share of another method's DRAM traffic that the best scheme saves; the smallest over networks.
    LeastReduction,
    /// Share of another method's DRAM traffic that the best scheme saves; the largest over networks.
    MostReduction,
    /// DRAM traffic per image of the best scheme, ratio to that in another setting, summed over networks.
    TrafficRatio,
}

/// The operators to fuse, and the method to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorsSetup {
    networks: Vec<Operators>,
    /// The setting of the best scheme.
    setting: Setting,
    /// The setting to compare with.
    other: Setting,
    against: GroupingMethod,
}

/// The part of a network of the paper that is fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Operators(PaperNetwork, NetworkPart);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NetworkPart {
    Whole,
    /// Without fully connected layers.
    Convolutions,
    /// Pooling that keeps the size of its map is merged with its reader.
    PoolingMerged,
}

/// A method to group operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GroupingMethod {
    Best,
    WithoutFusion,
    /// In the space of DNNVM, with its own cost of a group.
    Dnnvm,
    /// In the space of Efficient-S, with its own cost of a group.
    EfficientS,
    /// In the space of DNNVM, with the memory cost of Optimus.
    Chains,
    /// In the space of Efficient-S, with the memory cost of Optimus.
    Levels,
    /// In the whole space, with the cost of a group in prior work.
    PriorCost,
}

/// Those of Table 4 first.
const NETWORKS: [(&str, Operators); 10] = [
    ("alexnet-convolutions", Operators(PaperNetwork::AlexNet, NetworkPart::Convolutions)),
    ("vgg16-convolutions", Operators(PaperNetwork::Vgg16, NetworkPart::Convolutions)),
    ("googlenet-merged", Operators(PaperNetwork::GoogLeNet, NetworkPart::PoolingMerged)),
    ("resnet18", Operators(PaperNetwork::ResNet18, NetworkPart::Whole)),
    ("resnet50", Operators(PaperNetwork::ResNet50, NetworkPart::Whole)),
    ("resnet152", Operators(PaperNetwork::ResNet152, NetworkPart::Whole)),
    ("mobilenet-v1", Operators(PaperNetwork::MobileNetV1, NetworkPart::Whole)),
    ("squeezenet-1.0", Operators(PaperNetwork::SqueezeNet1_0, NetworkPart::Whole)),
    ("squeezenet-1.1", Operators(PaperNetwork::SqueezeNet1_1, NetworkPart::Whole)),
    ("googlenet", Operators(PaperNetwork::GoogLeNet, NetworkPart::Whole)),
];

/// Number of networks in Table 4.
const TABLE_4: usize = 8;

const METHODS: [(&str, GroupingMethod); 6] = [
    ("no-fusion", GroupingMethod::WithoutFusion),
    ("dnnvm", GroupingMethod::Dnnvm),
    ("efficient-s", GroupingMethod::EfficientS),
    ("chains", GroupingMethod::Chains),
    ("levels", GroupingMethod::Levels),
    ("prior-cost", GroupingMethod::PriorCost),
];

impl OperatorsSetup {
    /// Reads `networks` (default: those of Table 4), `buffer` of the schemes (default: that of the paper), and the
    /// method that they are compared `against`.
    pub(super) fn read(of: &mut MeasureParameters<'_>, figure: OperatorFigure) -> Option<Self> {
        let path = of.path_of("networks");
        let words = of.words("networks");
        let mut network = |word: &String| match choose(word, &NETWORKS) {
            Ok(network) => Some(network),
            Err(remedy) => {
                of.diagnostics.add(&path, format!("There is no network `{word}`"), remedy);
                None
            }
        };
        let networks: Vec<Operators> = match words.as_slice() {
            [] => NETWORKS[..TABLE_4].iter().map(|&(_, network)| network).collect(),
            words => words.iter().filter_map(&mut network).collect(),
        };
        let mut setting = Setting::paper();
        let mut other = setting;
        if !matches!(figure, OperatorFigure::Operators | OperatorFigure::PossibleGroups) {
            let kibibytes = |word: &str| match word.strip_suffix(" KiB").map(str::parse::<u32>) {
                Some(Ok(kibibytes)) if kibibytes > 0 => Ok(u64::from(kibibytes)),
                _ => Err("Write for example `128 KiB`".to_owned()),
            };
            let buffer = of.optional("buffer", kibibytes);
            setting.buffer_bytes = buffer.map_or(setting.buffer_bytes, |kibibytes| kibibytes << 10);
        }
        if figure == OperatorFigure::TrafficRatio {
            other.buffer_bytes = setting.buffer_bytes;
            let mut pair = |name: &'static str| {
                let mut sizes = of.words(name).into_iter().map(|word| word.parse().unwrap_or(0));
                Some((sizes.next()?, sizes.next()?)).filter(|&(from, to): &(u64, u64)| from > 0 && to > 0)
            };
            if let Some((from, to)) = pair("batch") {
                (setting.batch, other.batch) = (from, to);
            }
            if let Some((from, to)) = pair("pes") {
                let throughput = |side| Throughput::new(side, [Dim::OX, Dim::K]);
                (setting.throughput, other.throughput) = (throughput(from), throughput(to));
            }
        }
        let against = match figure {
            OperatorFigure::LeastReduction | OperatorFigure::MostReduction => {
                of.need("against", |word| choose(word, &METHODS))?
            }
            _ => GroupingMethod::WithoutFusion,
        };
        (!networks.is_empty()).then_some(Self { networks, setting, other, against })
    }
}

/// Cached schemes, by their inputs.
#[derive(Default)]
pub struct Schemes {
    known: HashMap<(Operators, Setting, GroupingMethod), Scheme>,
}

impl Schemes {
    /// A figure: numbers of several networks are summed.
    pub fn figure(&mut self, figure: OperatorFigure, of: &OperatorsSetup) -> Result<f64, String> {
        let each = of.networks.iter().map(|network| match figure {
            OperatorFigure::Operators => Ok(network.graph()?.len() as f64),
            OperatorFigure::PossibleGroups => Ok(ideals(&network.graph()?)?.convex_sets().len() as f64),
            OperatorFigure::OnlineGroups => {
                let online = OnlineFusion::new(network.graph()?, of.setting, MOST_IDEALS);
                Ok(online.evaluated(of.setting.buffer_bytes) as f64)
            }
            OperatorFigure::Groups => Ok(self.scheme(*network, of.setting, GroupingMethod::Best)?.groups.len() as f64),
            OperatorFigure::TrafficRatio => {
                let mut an_image = |setting: Setting| {
                    Ok::<f64, String>(
                        self.scheme(*network, setting, GroupingMethod::Best)?.cost as f64 / setting.batch as f64,
                    )
                };
                Ok(an_image(of.setting)? / an_image(of.other)?)
            }
            OperatorFigure::LeastReduction | OperatorFigure::MostReduction => {
                let best = self.scheme(*network, of.setting, GroupingMethod::Best)?.cost;
                Ok(1.0 - best as f64 / self.scheme(*network, of.setting, of.against)?.cost as f64)
            }
        });
        let each: Vec<f64> = each.collect::<Result<_, String>>()?;
        Ok(match figure {
            OperatorFigure::LeastReduction => each.into_iter().fold(f64::INFINITY, f64::min),
            OperatorFigure::MostReduction => each.into_iter().fold(f64::NEG_INFINITY, f64::max),
            _ => each.into_iter().sum(),
        })
    }

    fn scheme(&mut self, network: Operators, setting: Setting, method: GroupingMethod) -> Result<Scheme, String> {
        let key = (network, setting, method);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let graph = network.graph()?;
        let (own, prior) = (memory_cost(&graph, &setting), prior_cost(&graph, &setting));
        let found = match method {
            GroupingMethod::Best => ideals(&graph)?.best_scheme(&own),
            GroupingMethod::WithoutFusion => baselines::without_fusion(&graph, &own),
            GroupingMethod::Dnnvm => baselines::within_chains(&graph, &prior),
            GroupingMethod::EfficientS => baselines::within_levels(&graph, &prior),
            GroupingMethod::Chains => baselines::within_chains(&graph, &own),
            GroupingMethod::Levels => baselines::within_levels(&graph, &own),
            GroupingMethod::PriorCost => ideals(&graph)?.best_scheme(&prior),
        };
        let found = found.ok_or("An operator does not fit into the buffer")?;
        Ok(self.known.entry(key).or_insert(found).clone())
    }
}

fn ideals(graph: &OperatorGraph) -> Result<Ideals, String> {
    Ideals::of(graph, MOST_IDEALS).ok_or_else(|| format!("{} is too wide to be searched", graph.name()))
}

impl Operators {
    fn graph(self) -> Result<OperatorGraph, String> {
        let whole = self.0.graph();
        let mut operators = whole.operators().to_vec();
        match self.1 {
            NetworkPart::Whole => return Ok(whole),
            // They come last.
            NetworkPart::Convolutions => operators.retain(|operator| operator.kind != OperatorKind::FullyConnected),
            NetworkPart::PoolingMerged => {
                for pooling in whole.ids() {
                    let Some(merged) = operators.get_mut(pooling) else { continue };
                    if merged.kind == OperatorKind::Pooling && merged.stride == (1, 1) {
                        merged.kind = OperatorKind::Simple;
                        let kernel = merged.kernel;
                        whole.consumers(pooling).iter().for_each(|&reader| operators[reader].kernel = kernel);
                    }
                }
            }
        }
        OperatorGraph::new(whole.name().to_owned(), whole.map(NETWORK_INPUT), operators.into())
            .map_err(|wrong| wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }
}
