//! The networks of the paper's experiments, as the paper uses them.

/// VGG16-E: configuration E of VGG, 16 convolutions and 5 poolings. A workload document.
pub const VGG16_E: &str = include_str!("networks/vgg16-e.yaml");

/// The main path of ResNet18: 17 convolutions and 2 poolings. A workload document.
pub const RESNET18: &str = include_str!("networks/resnet18.yaml");
