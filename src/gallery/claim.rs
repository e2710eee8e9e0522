//! A published number, the computation of ours, and how close they are.

use super::measure::{Measure, MeasuredQuantity};
use super::opening::read_rules;
use super::parameters::choose;
use fusescape_engine::rules::Rules;
use fusescape_spec::{ClaimSpec, Diagnostics, Preset, Printed, Tolerance};

/// One number of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Name of the number.
    pub what: String,
    /// As printed in the paper, in `unit`.
    pub published: Printed,
    pub unit: PaperUnit,
    /// The computation of our number.
    pub measure: Measure,
    /// The rules of the model, if they differ from those of the entry.
    pub rules: Option<Rules>,
    /// How close our number is.
    pub fidelity: Fidelity,
    /// Known departure of our number, as a share of the published one.
    pub deviation: f64,
    /// Tolerance of that departure, as a share of the published number.
    pub tolerance: f64,
    /// The reason for the departure, or the missing input; empty without a departure.
    pub why: String,
    /// Whether it repeats the claim before it under another rule or assumption, to show the cause of a departure.
    pub is_variation: bool,
}

/// How close our number is to a published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// Both are equal.
    Equal,
    /// Ours rounds to the printed digits, or lies within the range or the bound in the paper.
    Rounds,
    /// Ours departs, although the paper publishes all relevant inputs.
    Departs,
    /// The paper does not publish a relevant input; ours uses a substitute.
    NotRecomputable,
}

impl Fidelity {
    /// From the closest to the least close.
    pub const ALL: [Self; 4] = [Self::Equal, Self::Rounds, Self::Departs, Self::NotRecomputable];

    pub fn name(self) -> &'static str {
        ["equal", "within rounding", "departs", "not recomputable"][self as usize]
    }

    pub fn predicate(self) -> &'static str {
        ["is equal", "rounds to ours", "departs", "cannot be recomputed"][self as usize]
    }
}

/// The number of claims by closeness, as text: `12 equal, 3 within rounding`.
pub fn fidelity_counts<'a>(claims: impl Iterator<Item = &'a Claim> + Clone) -> String {
    let count = |fidelity: Fidelity| {
        let of_it = claims.clone().filter(|claim| claim.fidelity == fidelity && !claim.is_variation).count();
        (of_it > 0).then(|| format!("{of_it} {}", fidelity.name()))
    };
    Fidelity::ALL.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

/// A unit used by papers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperUnit {
    /// Name in documents; empty for a plain count.
    pub name: &'static str,
    /// Symbol with a leading space: ` mJ`.
    pub symbol: &'static str,
    pub quantity: MeasuredQuantity,
    /// Number of base units.
    size: f64,
}

const fn unit(
    name: &'static str,
    symbol: &'static str,
    quantity: MeasuredQuantity,
    size: f64,
) -> (&'static str, PaperUnit) {
    (name, PaperUnit { name, symbol, quantity, size })
}

/// By their names in documents.
pub const UNITS: [(&str, PaperUnit); 13] = [
    unit("mJ", " mJ", MeasuredQuantity::Energy, 1e9),
    unit("uJ", " µJ", MeasuredQuantity::Energy, 1e6),
    unit("nJ", " nJ", MeasuredQuantity::Energy, 1e3),
    unit("Mcycles", " Mcycles", MeasuredQuantity::Latency, 1e6),
    unit("cycles", " cycles", MeasuredQuantity::Latency, 1.0),
    unit("MiB", " MiB", MeasuredQuantity::Data, 1_048_576.0),
    unit("KiB", " KiB", MeasuredQuantity::Data, 1024.0),
    unit("MB", " MB", MeasuredQuantity::Data, 1e6),
    unit("x", "×", MeasuredQuantity::Ratio, 1.0),
    unit("%", " %", MeasuredQuantity::Ratio, 0.01),
    unit("GMAC", " GMAC", MeasuredQuantity::Count, 1e9),
    unit("M", " million", MeasuredQuantity::Count, 1e6),
    unit("", "", MeasuredQuantity::Count, 1.0),
];

/// Larger counts are printed with a prefix.
const LARGEST_WHOLE: f64 = 1e15;

impl PaperUnit {
    /// The value in this unit of a number of base units.
    pub fn of(self, base: f64) -> f64 {
        base / self.size
    }

    /// A number in this unit as text: integer counts in full, all others to four digits.
    pub fn text(self, number: f64) -> String {
        let number = match self.quantity {
            _ if !number.is_finite() => "–".to_owned(),
            MeasuredQuantity::Count | MeasuredQuantity::Latency
                if number.fract() == 0.0 && number.abs() < LARGEST_WHOLE =>
            {
                grouped(number)
            }
            _ => four_digits(number),
        };
        number + self.symbol
    }
}

fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join(","))
}

fn four_digits(number: f64) -> String {
    let before = if number == 0.0 { 1 } else { number.abs().log10().floor() as i32 + 1 };
    with_decimals(number, (4 - before.max(1)).max(0) as usize)
}

fn with_decimals(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Claim {
    /// The published number as text, with the printed digits.
    pub fn published_text(&self) -> String {
        let number = |number: f64, text: &str| match text.contains('.') {
            true => format!("{text}{}", self.unit.symbol),
            false => self.unit.text(number),
        };
        let Printed { least, most, text, .. } = &self.published;
        match text.split_once("..") {
            None => number(*least, text),
            Some(("", text)) => format!("at most {}", number(*most, text)),
            Some((text, "")) => format!("at least {}", number(*least, text)),
            Some((from, to)) => format!("{from} to {}", number(*most, to)),
        }
    }

    /// The departure of `ours`, in the claim's unit, as a share of the published number; for a range, from its nearer
    /// end.
    pub fn departure(&self, ours: f64) -> f64 {
        let published = self.published.nearest(ours);
        if published == ours { 0.0 } else { ours / published - 1.0 }
    }

    /// `ours`, in the claim's unit, as text: with as many decimals as are needed to distinguish it from the published
    /// number, if it departs visibly.
    pub fn text_of_ours(&self, ours: f64) -> String {
        /// Smallest deviation that is visible in per cent.
        const VISIBLE: f64 = 5e-5;
        let (text, published) = (self.unit.text(ours), self.unit.text(self.published.nearest(ours)));
        if text != published || self.departure(ours).abs() < VISIBLE {
            return text;
        }
        let finer = (1..=9).map(|decimals| with_decimals(ours, decimals) + self.unit.symbol);
        let mut finer = finer.filter(|finer| finer.len() > text.len());
        finer.find(|finer| *finer != published).unwrap_or(text)
    }

    /// Whether `ours`, in the claim's unit, is exactly as close as the claim states: the printed digits decide, and a
    /// known departure counts only beyond them.
    pub fn holds(&self, ours: f64) -> bool {
        const EXACT: f64 = 1e-9;
        let departure = self.departure(ours);
        let is_equal = departure.abs() <= EXACT && !self.published.is_range();
        match self.fidelity {
            Fidelity::Equal => is_equal,
            Fidelity::Rounds => self.published.rounds_from(ours) && !is_equal,
            Fidelity::Departs | Fidelity::NotRecomputable => {
                !self.published.rounds_from(ours) && (departure - self.deviation).abs() <= self.tolerance + EXACT
            }
        }
    }
}

/// A claim, and its variations behind it; `path` is its place in the document of an entry with this network.
pub(super) fn read_claim(
    spec: &ClaimSpec,
    path: &str,
    workload: Option<&'static Preset>,
    diagnostics: &mut Diagnostics,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    let variations = spec.shown_by.iter().enumerate();
    let variations = variations.map(|(index, variation)| (variation, format!("{path}.shown_by[{index}]")));
    for (spec, path) in std::iter::once((spec, path.to_owned())).chain(variations) {
        let measure = Measure::new(spec, &format!("{path}.measure"), workload, diagnostics);
        let is_variation = !claims.is_empty();
        claims.extend(measure.and_then(|measure| read_one(spec, &path, measure, is_variation, diagnostics)));
    }
    claims
}

fn read_one(
    spec: &ClaimSpec,
    path: &str,
    measure: Measure,
    is_variation: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Claim> {
    let unit = match choose(&spec.unit, &UNITS) {
        Ok(unit) => unit,
        Err(remedy) => {
            diagnostics.add(format!("{path}.unit"), format!("There is no unit `{}`", spec.unit), remedy);
            return None;
        }
    };
    if unit.quantity != measure.quantity() {
        let units = UNITS.iter().filter(|(_, unit)| unit.quantity == measure.quantity());
        let units: Vec<String> = units.map(|(name, _)| format!("`{name}`")).collect();
        let reason = format!("`{}` is not measured in `{}`", spec.measure, unit.name);
        diagnostics.add(format!("{path}.unit"), reason, format!("Use {}", units.join(" or ")));
    }
    if spec.published.least == 0.0 && !spec.published.is_range() {
        diagnostics.add(format!("{path}.published"), "Nothing is a share of 0", "Claim another number");
    }
    let (mut fidelity, tolerance) = match spec.tolerance {
        Tolerance::Rounding => (Fidelity::Rounds, 0.0),
        Tolerance::Share(0.0) if spec.deviation == 0.0 && spec.published.is_range() => (Fidelity::Rounds, 0.0),
        Tolerance::Share(0.0) if spec.deviation == 0.0 => (Fidelity::Equal, 0.0),
        Tolerance::Share(share) => (Fidelity::Departs, share),
    };
    let mut why = spec.why.clone();
    if !spec.missing.is_empty() {
        (fidelity, why) = (Fidelity::NotRecomputable, format!("Not published: {}. {why}", spec.missing));
    }
    if fidelity == Fidelity::Departs && why.is_empty() && !is_variation {
        diagnostics.add(format!("{path}.why"), "Ours departs and nobody says why", "Write one sentence");
    }
    let rules = (!spec.rules.is_empty()).then(|| {
        read_rules(&spec.rules, &mut |name, word, remedy| {
            diagnostics.add(format!("{path}.{name}"), format!("`{word}` cannot be used here"), remedy);
        })
    });
    let (what, published) = (spec.what.clone(), spec.published.clone());
    let ClaimSpec { deviation, .. } = *spec;
    Some(Claim { what, published, unit, measure, rules, fidelity, deviation, tolerance, why, is_variation })
}
