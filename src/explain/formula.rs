//! A number and the formulas that give it.

use super::ExplainedNumber;
use fusescape_chart::{Quantity, digits, group_thousands};
use std::borrow::Cow;

/// A number with its name and its formulas.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Name as a term of a formula: `data copies`.
    pub name: Cow<'static, str>,
    /// Its value in the base unit.
    pub value: f64,
    pub unit: NumberUnit,
    /// Formulas, each of which gives the value. None for an input.
    pub formulas: Vec<Formula>,
    /// Further remarks, in sentences.
    pub note: Cow<'static, str>,
    /// The source of the formula: `DeFiNES, Section III, step 6`; empty where it is not published.
    pub source: &'static str,
    /// The subject that explains it, if it is not explained here.
    pub subject: Option<ExplainedNumber>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberUnit {
    /// A quantity with prefixes.
    Of(Quantity),
    /// A count of things: ` tiles`; empty for a plain number.
    Count(&'static str),
    /// A share, printed in percent.
    Share,
}

/// One way to compute a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Its distinction from other formulas: `by cause`.
    pub title: &'static str,
    pub how: How,
    /// Operands, in order.
    pub terms: Vec<Explained>,
}

/// Operation of a formula on its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Adds them.
    Sum,
    /// Adds them, and rounds up.
    SumUp,
    /// Multiplies them.
    Product,
    /// Subtracts the others from the first.
    Difference,
    /// Divides the first by the others.
    Quotient,
    /// Divides the first by the others, and rounds up.
    QuotientUp,
    /// Divides the first by the others, and rounds down.
    QuotientDown,
    /// Multiplies them, and rounds down.
    WholeProduct,
    /// Rounds the only term to the nearest integer, halves to even.
    Nearest,
    /// Takes the largest.
    Largest,
    /// Takes the smallest.
    Smallest,
}

impl Formula {
    /// The result.
    pub fn value(&self) -> f64 {
        let mut values = self.terms.iter().map(|term| term.value);
        match self.how {
            How::Sum => values.sum(),
            How::SumUp => values.sum::<f64>().ceil(),
            How::Product => values.product(),
            How::Nearest => values.product::<f64>().round_ties_even(),
            How::WholeProduct => values.product::<f64>().trunc(),
            How::Difference => values.next().map_or(0.0, |first| values.fold(first, |rest, value| rest - value)),
            How::Quotient => self.quotient(),
            // Quotients of integers are exact enough for this.
            How::QuotientUp => self.quotient().ceil(),
            How::QuotientDown => self.quotient().floor(),
            How::Largest => values.fold(f64::NEG_INFINITY, f64::max),
            How::Smallest => values.fold(f64::INFINITY, f64::min),
        }
    }

    fn quotient(&self) -> f64 {
        let mut values = self.terms.iter().map(|term| term.value);
        values.next().map_or(0.0, |first| values.fold(first, |rest, value| rest / value))
    }

    /// The formula in words: `activations + weights + data copies`.
    pub fn in_words(&self) -> String {
        self.written(|term| term.name.to_string())
    }

    /// The formula with values: `1.204 mJ + 0.331 mJ`.
    pub fn with_values(&self) -> String {
        self.written(|term| match term.formulas.first() {
            // A product among the terms is written out as a product.
            Some(product) if product.how == How::Product && term.subject.is_none() && self.how == How::Sum => {
                product.with_values()
            }
            _ => term.value_text(),
        })
    }

    fn written(&self, text: impl Fn(&Explained) -> String) -> String {
        /// Limit on the terms that are written out.
        const MOST: usize = 6;
        let count = self.terms.len();
        let shown = if count > MOST { MOST - 1 } else { count };
        let mut texts: Vec<String> = self.terms.iter().take(shown).map(text).collect();
        if shown < count {
            texts.push(format!("… ({count} terms)"));
        }
        let with = |sign: &str| texts.join(sign);
        match self.how {
            How::Sum => with(" + "),
            How::SumUp => format!("⌈{}⌉", with(" + ")),
            How::Product => with(" × "),
            How::WholeProduct => format!("⌊{}⌋", with(" × ")),
            How::Difference => with(" − "),
            How::Quotient => with(" / "),
            How::QuotientUp => format!("⌈{}⌉", with(" / ")),
            How::QuotientDown => format!("⌊{}⌋", with(" / ")),
            How::Nearest => format!("⌊{}⌉", with(" × ")),
            How::Largest => format!("max({})", with(", ")),
            How::Smallest => format!("min({})", with(", ")),
        }
    }
}

impl Explained {
    /// An input.
    pub fn given(name: impl Into<Cow<'static, str>>, value: f64, unit: NumberUnit) -> Self {
        let (formulas, note) = (Vec::new(), Cow::Borrowed(""));
        Self { name: name.into(), value, unit, formulas, note, source: "", subject: None }
    }

    /// The result of a formula.
    pub fn computed(name: impl Into<Cow<'static, str>>, unit: NumberUnit, how: How, terms: Vec<Self>) -> Self {
        let formula = Formula { title: "", how, terms };
        Self { formulas: vec![formula.clone()], ..Self::given(name, formula.value(), unit) }
    }

    /// A number without formulas, which `subject` explains.
    pub fn folded(name: impl Into<Cow<'static, str>>, value: f64, unit: NumberUnit, subject: ExplainedNumber) -> Self {
        Self { subject: Some(subject), ..Self::given(name, value, unit) }
    }

    /// Adds a remark.
    #[must_use]
    pub fn noted(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds the source.
    #[must_use]
    pub fn after(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Adds another formula, unless it has no terms.
    #[must_use]
    pub fn or(mut self, title: &'static str, how: How, terms: Vec<Self>) -> Self {
        if !terms.is_empty() {
            self.formulas.push(Formula { title, how, terms });
        }
        self
    }

    /// Adds the formulas of another explanation of the same number.
    #[must_use]
    pub fn also(mut self, other: Self) -> Self {
        self.formulas.extend(other.formulas);
        self
    }

    /// Adds a remark if there is nothing to unfold.
    #[must_use]
    pub fn or_none(self) -> Self {
        if self.unfolds() { self } else { self.noted("There is none.") }
    }

    /// Whether there is anything to unfold.
    pub fn unfolds(&self) -> bool {
        !self.formulas.is_empty() || !self.note.is_empty() || self.subject.is_some()
    }

    /// The value with its unit, to four digits: `1.204 mJ`.
    pub fn value_text(&self) -> String {
        self.unit.text(self.value)
    }
}

impl NumberUnit {
    /// A value with its unit.
    pub fn text(self, value: f64) -> String {
        let is_whole = value.fract() == 0.0 && value.abs() < 1e6;
        match self {
            Self::Of(quantity) => {
                let unit = quantity.unit(value);
                let number =
                    if unit.factor == 1.0 && is_whole { format!("{value}") } else { digits(value / unit.factor, 4) };
                format!("{number} {}", unit.name).trim_end().to_owned()
            }
            Self::Count(things) => {
                let number = match value {
                    v if v.fract() == 0.0 && (0.0..9e15).contains(&v) => group_thousands(v as u64),
                    v => digits(v, 4),
                };
                number + things
            }
            Self::Share => format!("{} %", digits(100.0 * value, 4)),
        }
    }
}
