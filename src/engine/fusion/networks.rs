//! The networks that the paper fuses (Optimus, Section 7.1), with simple operators merged.

use super::builder::{GraphBuilder, SquareWindow};
use super::graph::OperatorGraph;
use super::ids::{MapId, NETWORK_INPUT};
use super::nasnet::nasnet_a_large;
use serde::{Deserialize, Serialize};

/// A network of the paper's evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum PaperNetwork {
    AlexNet,
    Vgg16,
    GoogLeNet,
    SqueezeNet1_0,
    SqueezeNet1_1,
    MobileNetV1,
    ResNet18,
    ResNet50,
    ResNet152,
    /// For images of 32 x 32; its shortcuts are convolutions like those of the other ResNets.
    ResNet1202,
    NasNetALarge,
}

impl PaperNetwork {
    /// Every network of the paper, in the order of declaration.
    pub const ALL: [Self; 11] = [
        Self::AlexNet,
        Self::Vgg16,
        Self::GoogLeNet,
        Self::SqueezeNet1_0,
        Self::SqueezeNet1_1,
        Self::MobileNetV1,
        Self::ResNet18,
        Self::ResNet50,
        Self::ResNet152,
        Self::ResNet1202,
        Self::NasNetALarge,
    ];

    /// Name of the network, as the paper prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AlexNet => "AlexNet",
            Self::Vgg16 => "VGG16",
            Self::GoogLeNet => "GoogLeNet",
            Self::SqueezeNet1_0 => "SqueezeNet1.0",
            Self::SqueezeNet1_1 => "SqueezeNet1.1",
            Self::MobileNetV1 => "MobileNetV1",
            Self::ResNet18 => "ResNet18",
            Self::ResNet50 => "ResNet50",
            Self::ResNet152 => "ResNet152",
            Self::ResNet1202 => "ResNet1202",
            Self::NasNetALarge => "NASNet-A Large",
        }
    }

    /// Its operators.
    pub fn graph(self) -> OperatorGraph {
        match self {
            Self::AlexNet => alexnet(),
            Self::Vgg16 => vgg16(),
            Self::GoogLeNet => googlenet(),
            Self::SqueezeNet1_0 => squeezenet(self.name(), (96, 7), [4, 8]),
            Self::SqueezeNet1_1 => squeezenet(self.name(), (64, 3), [3, 5]),
            Self::MobileNetV1 => mobilenet_v1(),
            Self::ResNet18 => resnet(self.name(), &[2, 2, 2, 2], false),
            Self::ResNet50 => resnet(self.name(), &[3, 4, 6, 3], true),
            Self::ResNet152 => resnet(self.name(), &[3, 8, 36, 3], true),
            Self::ResNet1202 => resnet1202(),
            Self::NasNetALarge => nasnet_a_large(),
        }
    }
}

fn alexnet() -> OperatorGraph {
    let mut net = GraphBuilder::new("AlexNet", 227);
    let pool = SquareWindow::valid(3).stride(2);
    let mut x = net.conv("conv1", NETWORK_INPUT, 96, SquareWindow::valid(11).stride(4));
    x = net.pool("pool1", x, pool);
    x = net.grouped_conv("conv2", x, 256, SquareWindow::same(5), 2);
    x = net.pool("pool2", x, pool);
    x = net.conv("conv3", x, 384, SquareWindow::same(3));
    x = net.grouped_conv("conv4", x, 384, SquareWindow::same(3), 2);
    x = net.grouped_conv("conv5", x, 256, SquareWindow::same(3), 2);
    x = net.pool("pool5", x, pool);
    for (name, channels) in [("fc6", 4096), ("fc7", 4096), ("fc8", 1000)] {
        x = net.fully_connected(name, x, channels);
    }
    net.finish()
}

fn vgg16() -> OperatorGraph {
    let mut net = GraphBuilder::new("VGG16", 224);
    let mut x = NETWORK_INPUT;
    for (stage, (channels, convs)) in (1..).zip([(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]) {
        for conv in 1..=convs {
            x = net.conv(&format!("conv{stage}_{conv}"), x, channels, SquareWindow::same(3));
        }
        x = net.pool(&format!("pool{stage}"), x, SquareWindow::valid(2).stride(2));
    }
    for (name, channels) in [("fc6", 4096), ("fc7", 4096), ("fc8", 1000)] {
        x = net.fully_connected(name, x, channels);
    }
    net.finish()
}

fn googlenet() -> OperatorGraph {
    /// Channels of: 1 x 1; 3 x 3, reduced and full; 5 x 5, reduced and full; projection behind the pooling.
    const MODULES: [(&str, [u64; 6]); 9] = [
        ("3a", [64, 96, 128, 16, 32, 32]),
        ("3b", [128, 128, 192, 32, 96, 64]),
        ("4a", [192, 96, 208, 16, 48, 64]),
        ("4b", [160, 112, 224, 24, 64, 64]),
        ("4c", [128, 128, 256, 24, 64, 64]),
        ("4d", [112, 144, 288, 32, 64, 64]),
        ("4e", [256, 160, 320, 32, 128, 128]),
        ("5a", [256, 160, 320, 32, 128, 128]),
        ("5b", [384, 192, 384, 48, 128, 128]),
    ];
    let mut net = GraphBuilder::new("GoogLeNet", 224);
    let pool = SquareWindow::pool(3).stride(2);
    let mut x = net.conv("conv1", NETWORK_INPUT, 64, SquareWindow::same(7).stride(2));
    x = net.pool("pool1", x, pool);
    x = net.conv("conv2_reduce", x, 64, SquareWindow::same(1));
    x = net.conv("conv2", x, 192, SquareWindow::same(3));
    x = net.pool("pool2", x, pool);
    for (module, [one, three_reduced, three, five_reduced, five, projection]) in MODULES {
        let name = |part: &str| format!("inception_{module}_{part}");
        let a = net.conv(&name("1x1"), x, one, SquareWindow::same(1));
        let b = net.conv(&name("3x3_reduce"), x, three_reduced, SquareWindow::same(1));
        let b = net.conv(&name("3x3"), b, three, SquareWindow::same(3));
        let c = net.conv(&name("5x5_reduce"), x, five_reduced, SquareWindow::same(1));
        let c = net.conv(&name("5x5"), c, five, SquareWindow::same(5));
        let d = net.pool(&name("pool"), x, SquareWindow::same(3));
        let d = net.conv(&name("projection"), d, projection, SquareWindow::same(1));
        x = net.concat(&name("concat"), &[a, b, c, d]);
        match module {
            "3b" => x = net.pool("pool3", x, pool),
            "4e" => x = net.pool("pool4", x, pool),
            _ => {}
        }
    }
    x = net.average(x);
    net.fully_connected("fc", x, 1000);
    net.finish()
}

/// `first`: channels and kernel of the first convolution; `pooled`: the fire modules that pooling follows.
fn squeezenet(name: &'static str, first: (u64, u64), pooled: [u64; 2]) -> OperatorGraph {
    let mut net = GraphBuilder::new(name, 224);
    let pool = SquareWindow::pool(3).stride(2);
    let mut x = net.conv("conv1", NETWORK_INPUT, first.0, SquareWindow::valid(first.1).stride(2));
    x = net.pool("pool1", x, pool);
    for (fire, squeezed) in (2..).zip([16, 16, 32, 32, 48, 48, 64, 64]) {
        let part = |part: &str| format!("fire{fire}_{part}");
        let squeeze = net.conv(&part("squeeze"), x, squeezed, SquareWindow::same(1));
        let one = net.conv(&part("expand1x1"), squeeze, 4 * squeezed, SquareWindow::same(1));
        let three = net.conv(&part("expand3x3"), squeeze, 4 * squeezed, SquareWindow::same(3));
        x = net.concat(&part("concat"), &[one, three]);
        if pooled.contains(&fire) {
            x = net.pool(&format!("pool{fire}"), x, pool);
        }
    }
    x = net.conv("conv10", x, 1000, SquareWindow::same(1));
    net.average(x);
    net.finish()
}

fn mobilenet_v1() -> OperatorGraph {
    const BLOCKS: [(u64, u64); 13] = [
        (64, 1),
        (128, 2),
        (128, 1),
        (256, 2),
        (256, 1),
        (512, 2),
        (512, 1),
        (512, 1),
        (512, 1),
        (512, 1),
        (512, 1),
        (1024, 2),
        (1024, 1),
    ];
    let mut net = GraphBuilder::new("MobileNetV1", 224);
    let mut x = net.conv("conv1", NETWORK_INPUT, 32, SquareWindow::same(3).stride(2));
    for (block, (channels, stride)) in (1..).zip(BLOCKS) {
        x = net.depthwise(&format!("depthwise{block}"), x, SquareWindow::same(3).stride(stride));
        x = net.conv(&format!("pointwise{block}"), x, channels, SquareWindow::same(1));
    }
    x = net.average(x);
    net.fully_connected("fc", x, 1000);
    net.finish()
}

/// `blocks`: their number in each stage. A bottleneck is 1 x 1, 3 x 3, 1 x 1 to four times the channels, its stride in
/// the first of them (He et al., 2016); a basic block is two of 3 x 3.
fn resnet(name: &'static str, blocks: &[u64], bottleneck: bool) -> OperatorGraph {
    let mut net = GraphBuilder::new(name, 224);
    let mut x = net.conv("conv1", NETWORK_INPUT, 64, SquareWindow::same(7).stride(2));
    x = net.pool("pool1", x, SquareWindow::same(3).stride(2));
    for (stage, (&blocks, channels)) in (2..).zip(blocks.iter().zip([64, 128, 256, 512])) {
        x = residual_stage(&mut net, x, stage, blocks, channels, bottleneck);
    }
    x = net.average(x);
    net.fully_connected("fc", x, 1000);
    net.finish()
}

fn resnet1202() -> OperatorGraph {
    let mut net = GraphBuilder::new("ResNet1202", 32);
    let mut x = net.conv("conv1", NETWORK_INPUT, 16, SquareWindow::same(3));
    for (stage, channels) in (2..).zip([16, 32, 64]) {
        x = residual_stage(&mut net, x, stage, 200, channels, false);
    }
    x = net.average(x);
    net.fully_connected("fc", x, 10);
    net.finish()
}

/// One stage; all but stage 2 halve columns and rows in their first block.
fn residual_stage(
    net: &mut GraphBuilder,
    mut x: MapId,
    stage: u64,
    blocks: u64,
    channels: u64,
    bottleneck: bool,
) -> MapId {
    let expanded = if bottleneck { 4 * channels } else { channels };
    for block in 1..=blocks {
        let part = |part: &str| format!("res{stage}_{block}_{part}");
        let stride = if stage > 2 && block == 1 { 2 } else { 1 };
        let branch = if bottleneck {
            let a = net.conv(&part("a"), x, channels, SquareWindow::same(1).stride(stride));
            let b = net.conv(&part("b"), a, channels, SquareWindow::same(3));
            net.conv(&part("c"), b, expanded, SquareWindow::same(1))
        } else {
            let a = net.conv(&part("a"), x, channels, SquareWindow::same(3).stride(stride));
            net.conv(&part("b"), a, channels, SquareWindow::same(3))
        };
        let shortcut = if net.map(x) == net.map(branch) {
            x
        } else {
            net.conv(&part("projection"), x, expanded, SquareWindow::same(1).stride(stride))
        };
        x = net.sum(&part("add"), [branch, shortcut]);
    }
    x
}
