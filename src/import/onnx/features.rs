//! Tensors, as far as they are known while a graph is walked through.

use super::layout::Layout;
use super::shapes::Constant;
use std::rc::Rc;

/// The value of a tensor, as far as it is known.
#[derive(Debug, Clone)]
pub enum Value {
    /// It does not depend on the inputs.
    Constant(Constant),
    /// Layers compute it.
    Features(Features),
    /// Nothing; why has been said.
    Lost,
}

/// A tensor that layers compute.
#[derive(Debug, Clone)]
pub struct Features {
    /// Shape.
    pub dims: Vec<u64>,
    /// Whose outputs hold its elements.
    pub layers: Rc<[String]>,
    /// How its axes lie in a feature map.
    pub layout: Layout,
    /// Whether it is the whole output of one layer, laid out so. Otherwise a view has to be made.
    pub is_direct: bool,
    /// Whether it is a linear function of the layer's input, so that what scales and shifts it goes into the weights.
    pub is_linear: bool,
    /// The tensor without the zeros around it: left, right, top, bottom.
    pub unpadded: Option<(Box<Features>, [u64; 4])>,
    /// Bits of an element, where the file says so.
    pub bits: Option<u64>,
}

impl Features {
    /// The whole output of a layer.
    pub fn direct(layer: String, dims: Vec<u64>, layout: Layout) -> Self {
        Self { is_direct: true, ..Self::scattered([layer].into(), dims, layout) }
    }

    /// Elements of some layers in an order of their own.
    pub fn scattered(layers: Rc<[String]>, dims: Vec<u64>, layout: Layout) -> Self {
        Self { dims, layers, layout, is_direct: false, is_linear: false, unpadded: None, bits: None }
    }

    /// What scales and shifts this goes into the weights before it.
    pub fn linear(self) -> Self {
        Self { is_linear: true, ..self }
    }

    /// These features with every element that stands in several places stored so often.
    pub fn spread(&self) -> Self {
        if !self.layout.repeats() {
            return self.clone();
        }
        let spread = Self::scattered(self.layers.clone(), self.dims.clone(), self.layout.spread());
        Self { bits: self.bits, ..spread }
    }

    /// These features laid out or chosen in another way: `None` for a layout that is not that of the layer.
    pub fn moved(&self, dims: Vec<u64>, layout: Option<Layout>, batch: u64) -> Self {
        let is_direct = self.is_direct && layout.is_some();
        let layout = layout.unwrap_or_else(|| Layout::usual(&dims, batch));
        let is_linear = self.is_linear && is_direct;
        Self { is_direct, is_linear, bits: self.bits, ..Self::scattered(self.layers.clone(), dims, layout) }
    }
}
