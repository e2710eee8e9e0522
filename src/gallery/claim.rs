//! A published number, what computes ours, and how close they are.

use super::measure::{Measure, Quantity};
use super::opening::read_rules;
use super::parameters::choose;
use fusescape_engine::rules::Rules;
use fusescape_spec::{ClaimSpec, Diagnostics, Preset, Printed, Tolerance};

/// One number of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What it is.
    pub what: String,
    /// As the paper has it, in `unit`.
    pub published: Printed,
    /// Its unit.
    pub unit: Unit,
    /// What computes ours.
    pub measure: Measure,
    /// The rules of the model, where they are not those of the entry.
    pub rules: Option<Rules>,
    /// How close ours is.
    pub fidelity: Fidelity,
    /// By how much ours is known to depart, as a share of the published number.
    pub deviation: f64,
    /// How far ours may be from that, as a share of the published number.
    pub tolerance: f64,
    /// Why it departs, or what the paper does not publish; empty where it does not depart.
    pub why: String,
    /// Whether it is the claim before it under another rule or assumption, which shows the cause of a departure.
    pub is_variation: bool,
}

/// How close our number is to a published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// Both are the same.
    Equal,
    /// Ours rounds to the printed digits, or lies within the range or the bound that the paper states.
    Rounds,
    /// Ours departs, and the paper publishes all that decides about it.
    Departs,
    /// The paper does not publish an input that decides about the number. Ours takes another in its place.
    NotRecomputable,
}

impl Fidelity {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Equal, Self::Rounds, Self::Departs, Self::NotRecomputable];

    /// For a person.
    pub fn name(self) -> &'static str {
        ["equal", "within rounding", "departs", "not recomputable"][self as usize]
    }

    /// What such a number does, behind "a number that".
    pub fn predicate(self) -> &'static str {
        ["is equal", "rounds to ours", "departs", "cannot be recomputed"][self as usize]
    }
}

/// How many claims are how close, for a person: `12 equal, 3 within rounding`.
pub fn fidelity_counts<'a>(claims: impl Iterator<Item = &'a Claim> + Clone) -> String {
    let count = |fidelity: Fidelity| {
        let of_it = claims.clone().filter(|claim| claim.fidelity == fidelity && !claim.is_variation).count();
        (of_it > 0).then(|| format!("{of_it} {}", fidelity.name()))
    };
    Fidelity::ALL.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

/// A unit that papers write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// As written in documents; empty for a plain count.
    pub name: &'static str,
    /// For a person, with the blank before it: ` mJ`.
    pub symbol: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// How many base units it is.
    size: f64,
}

const fn unit(name: &'static str, symbol: &'static str, quantity: Quantity, size: f64) -> (&'static str, Unit) {
    (name, Unit { name, symbol, quantity, size })
}

/// All units, by the names that documents write.
pub const UNITS: [(&str, Unit); 13] = [
    unit("mJ", " mJ", Quantity::Energy, 1e9),
    unit("uJ", " µJ", Quantity::Energy, 1e6),
    unit("nJ", " nJ", Quantity::Energy, 1e3),
    unit("Mcycles", " Mcycles", Quantity::Latency, 1e6),
    unit("cycles", " cycles", Quantity::Latency, 1.0),
    unit("MiB", " MiB", Quantity::Data, 1_048_576.0),
    unit("KiB", " KiB", Quantity::Data, 1024.0),
    unit("MB", " MB", Quantity::Data, 1e6),
    unit("x", "×", Quantity::Ratio, 1.0),
    unit("%", " %", Quantity::Ratio, 0.01),
    unit("GMAC", " GMAC", Quantity::Count, 1e9),
    unit("M", " million", Quantity::Count, 1e6),
    unit("", "", Quantity::Count, 1.0),
];

/// Counts of less than this are written out.
const LARGEST_WHOLE: f64 = 1e15;

impl Unit {
    /// A number of base units in this one.
    pub fn of(self, base: f64) -> f64 {
        base / self.size
    }

    /// A number of this unit, for a person: whole counts in full, all else to four digits.
    pub fn text(self, number: f64) -> String {
        let number = match self.quantity {
            _ if !number.is_finite() => "–".to_owned(),
            Quantity::Count | Quantity::Latency if number.fract() == 0.0 && number.abs() < LARGEST_WHOLE => {
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
    /// The published number for a person, with the digits that are printed.
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

    /// By how much `ours`, in the claim's unit, departs from the published number, as a share of that; from a range, by how much from its
    /// nearer end.
    pub fn departure(&self, ours: f64) -> f64 {
        let published = self.published.nearest(ours);
        if published == ours { 0.0 } else { ours / published - 1.0 }
    }

    /// `ours`, in the claim's unit, for a person: with as many decimals as it takes to look unlike the published number, where it departs
    /// visibly.
    pub fn text_of_ours(&self, ours: f64) -> String {
        /// What a deviation in per cent shows.
        const VISIBLE: f64 = 5e-5;
        let (text, published) = (self.unit.text(ours), self.unit.text(self.published.nearest(ours)));
        if text != published || self.departure(ours).abs() < VISIBLE {
            return text;
        }
        let finer = (1..=9).map(|decimals| with_decimals(ours, decimals) + self.unit.symbol);
        let mut finer = finer.filter(|finer| finer.len() > text.len());
        finer.find(|finer| *finer != published).unwrap_or(text)
    }

    /// Whether `ours`, in the claim's unit, is as close as the claim says, and no closer: what is printed decides, and a known departure
    /// counts only beyond it.
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

/// A claim, and its variations behind it; `path` is where it is written, in an entry with this network.
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
