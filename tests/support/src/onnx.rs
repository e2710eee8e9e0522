//! Writes ONNX models for tests: a tiny protocol buffer writer, and graphs on top of it.

/// A message under construction.
#[derive(Debug, Clone, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn number(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    pub fn float(mut self, field: u64, value: f32) -> Self {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 128 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

pub const FLOAT: i64 = 1;
pub const UINT8: i64 = 2;
pub const INT8: i64 = 3;
pub const UINT16: i64 = 4;
pub const INT64: i64 = 7;
pub const BOOL: i64 = 9;
pub const FLOAT16: i64 = 10;
pub const FLOAT8: i64 = 17;
pub const UINT4: i64 = 21;
pub const INT4: i64 = 22;

/// A graph under construction.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub message: Message,
}

/// An attribute of a node.
pub enum Is<'a> {
    Int(i64),
    Ints(&'a [i64]),
    Text(&'a str),
}

impl Graph {
    /// An input; a negative dimension is left open, with a name.
    pub fn input(self, name: &str, dims: &[i64]) -> Self {
        self.info(11, name, dims)
    }

    pub fn output(self, name: &str, dims: &[i64]) -> Self {
        self.info(12, name, dims)
    }

    /// The shape of an intermediate tensor.
    pub fn shape(self, name: &str, dims: &[i64]) -> Self {
        self.info(13, name, dims)
    }

    fn info(mut self, field: u64, name: &str, dims: &[i64]) -> Self {
        let shape = dims.iter().fold(Message::default(), |shape, &dim| {
            let dim = if dim < 0 {
                Message::default().text(2, &format!("open{}", -dim))
            } else {
                Message::default().number(1, dim)
            };
            shape.message(1, &dim)
        });
        let tensor = Message::default().number(1, FLOAT).message(2, &shape);
        let info = Message::default().text(1, name).message(2, &Message::default().message(1, &tensor));
        self.message = self.message.message(field, &info);
        self
    }

    /// Weights with arbitrary values, with all their bytes.
    pub fn weights(mut self, name: &str, data_type: i64, dims: &[i64]) -> Self {
        let size = match data_type {
            FLOAT => 4,
            INT64 => 8,
            UINT16 | FLOAT16 => 2,
            _ => 1,
        };
        let raw = vec![0; dims.iter().product::<i64>() as usize * size];
        self.message = self.message.message(5, &tensor(name, data_type, dims).bytes(9, &raw));
        self
    }

    /// A tensor with these bytes.
    pub fn raw(mut self, name: &str, data_type: i64, dims: &[i64], bytes: &[u8]) -> Self {
        self.message = self.message.message(5, &tensor(name, data_type, dims).bytes(9, bytes));
        self
    }

    /// A list of integers, such as a shape.
    pub fn ints(mut self, name: &str, list: &[i64]) -> Self {
        let raw: Vec<u8> = list.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.message = self.message.message(5, &tensor(name, INT64, &[list.len() as i64]).bytes(9, &raw));
        self
    }

    /// A list of fractions, such as scales.
    pub fn floats(mut self, name: &str, list: &[f32]) -> Self {
        let raw: Vec<u8> = list.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.message = self.message.message(5, &tensor(name, FLOAT, &[list.len() as i64]).bytes(9, &raw));
        self
    }

    /// A node whose name is that of its first output.
    pub fn node(mut self, op: &str, inputs: &[&str], outputs: &[&str], attributes: &[(&str, Is)]) -> Self {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        for output in outputs {
            node = node.text(2, output);
        }
        node = node.text(3, outputs[0]).text(4, op);
        for (name, value) in attributes {
            let attribute = Message::default().text(1, name);
            let attribute = match value {
                Is::Int(number) => attribute.number(3, *number).number(20, 2),
                Is::Ints(list) => list.iter().fold(attribute, |all, number| all.number(8, *number)).number(20, 7),
                Is::Text(text) => attribute.text(4, text).number(20, 3),
            };
            node = node.message(5, &attribute);
        }
        self.message = self.message.message(1, &node);
        self
    }

    /// A convolution with weights of its own, on `channels` channels in groups.
    pub fn conv(self, from: &str, name: &str, [k, c, fy, fx]: [i64; 4], attributes: &[(&str, Is)]) -> Self {
        let weights = format!("{name}.weight");
        self.weights(&weights, FLOAT, &[k, c, fy, fx]).node("Conv", &[from, &weights], &[name], attributes)
    }

    /// A product with weights of its own.
    pub fn dense(self, from: &str, name: &str, c: i64, k: i64) -> Self {
        let weights = format!("{name}.weight");
        self.weights(&weights, FLOAT, &[c, k]).node("MatMul", &[from, &weights], &[name], &[])
    }

    /// The whole model as bytes of a file.
    pub fn model(&self) -> Vec<u8> {
        let opset = Message::default().number(2, 17);
        let graph = self.message.clone().text(2, "main");
        let model = Message::default().number(1, 8).text(2, "test").text(3, "1.0");
        model.message(7, &graph).message(8, &opset).0
    }
}

fn tensor(name: &str, data_type: i64, dims: &[i64]) -> Message {
    let message = dims.iter().fold(Message::default(), |message, &dim| message.number(1, dim));
    message.number(2, data_type).text(8, name)
}
