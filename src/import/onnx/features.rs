//! Tensors while a graph is being converted.

use super::layout::Layout;
use super::shapes::Constant;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub enum TensorValue {
    /// Independent of the inputs.
    Constant(Constant),
    /// Computed by layers.
    Features(Features),
    /// Unknown; the reason has been reported.
    Lost,
}

/// A tensor that layers compute.
#[derive(Debug, Clone)]
pub struct Features {
    /// Shape.
    pub dims: Vec<u64>,
    /// Names of the layers whose outputs contain its elements.
    pub layers: Rc<[String]>,
    /// The axes of the feature map that its axes stand for.
    pub layout: Layout,
    /// Whether it is the whole output of one layer in this layout. Otherwise reading it needs a view.
    pub is_direct: bool,
    /// Whether it is a linear function of the layer's input, so that scaling and shifting can be merged into the
    /// weights.
    pub is_linear: bool,
    /// The tensor without its padding, and the padding: left, right, top, bottom.
    pub unpadded: Option<(Box<Features>, [u64; 4])>,
    /// Bits of an element, if stated.
    pub bits: Option<u64>,
}

impl Features {
    /// The whole output of a layer.
    pub fn direct(layer: String, dims: Vec<u64>, layout: Layout) -> Self {
        Self { is_direct: true, ..Self::scattered([layer].into(), dims, layout) }
    }

    /// Elements of some layers in another order.
    pub fn scattered(layers: Rc<[String]>, dims: Vec<u64>, layout: Layout) -> Self {
        Self { dims, layers, layout, is_direct: false, is_linear: false, unpadded: None, bits: None }
    }

    /// Marks it as linear: scaling and shifting are merged into the weights before it.
    pub fn linear(self) -> Self {
        Self { is_linear: true, ..self }
    }

    /// These features with repeated elements stored physically.
    pub fn spread(&self) -> Self {
        if !self.layout.repeats() {
            return self.clone();
        }
        let spread = Self::scattered(self.layers.clone(), self.dims.clone(), self.layout.spread());
        Self { bits: self.bits, ..spread }
    }

    /// These features rearranged or selected; `None` for a layout that is not that of the layer.
    pub fn moved(&self, dims: Vec<u64>, layout: Option<Layout>, batch: u64) -> Self {
        let is_direct = self.is_direct && layout.is_some();
        let layout = layout.unwrap_or_else(|| Layout::usual(&dims, batch));
        let is_linear = self.is_linear && is_direct;
        Self { is_direct, is_linear, bits: self.bits, ..Self::scattered(self.layers.clone(), dims, layout) }
    }
}
