//! Bounds on quantities: `area <= 2 mm2`.

use super::quantity::DesignQuantity;
use crate::spec::{UnitFamily, closest, measure};

/// A bound that designs keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// The quantity of the design that is bounded.
    pub quantity: DesignQuantity,
    /// Whether the bound is the most, rather than the least.
    pub is_most: bool,
    /// The bound, in the base unit of the quantity.
    pub bound: f64,
}

impl Constraint {
    /// Whether a value keeps to it.
    pub fn holds(&self, value: f64) -> bool {
        if self.is_most { value <= self.bound } else { value >= self.bound }
    }

    /// Reads `QUANTITY <= VALUE UNIT` or `QUANTITY >= VALUE UNIT`.
    ///
    /// # Errors
    /// Reason and remedy.
    pub(super) fn parse(text: &str) -> Result<Self, (String, String)> {
        let split = text.split_once("<=").map(|parts| (parts, true));
        let Some(((name, value), is_most)) = split.or_else(|| text.split_once(">=").map(|parts| (parts, false))) else {
            let remedy = "Write for example `area <= 2 mm2` or `utilization >= 0.5`";
            return Err((format!("`{text}` is no bound"), remedy.to_owned()));
        };
        let quantity = parse_quantity(name)?;
        let unit = quantity.measure();
        let (found, bound) = measure(value).ok_or_else(|| wrong_value(value, unit))?;
        // Counts need no unit.
        let is_right = found == unit || found == UnitFamily::Number && unit == UnitFamily::Cycles;
        if is_right { Ok(Self { quantity, is_most, bound }) } else { Err(wrong_value(value, unit)) }
    }
}

fn wrong_value(value: &str, unit: UnitFamily) -> (String, String) {
    let units: Vec<&str> = unit.units().collect();
    let what = match units.first() {
        None => "a number".to_owned(),
        // One unit in its two numbers.
        Some(unit) if units[1..].iter().all(|other| unit.starts_with(other)) => format!("a number of {unit}"),
        Some(_) => format!("a number of {}", units.join(", ")),
    };
    (format!("`{}` is not {what}", value.trim()), format!("Write {what}"))
}

/// Reason and remedy where designs of one kind have no such quantity, and those of the other have.
pub(super) fn of_another_kind(quantity: DesignQuantity, is_on_cores: bool) -> (String, String) {
    let what = if is_on_cores { "A system of cores" } else { "A single core" };
    let names: Vec<String> =
        DesignQuantity::all().filter(|other| other.is_of(is_on_cores)).map(DesignQuantity::name).collect();
    (format!("{what} has no `{}`", quantity.name()), format!("Use some of {}", names.join(", ")))
}

/// The quantity of this name.
///
/// # Errors
/// Reason and remedy.
pub(super) fn parse_quantity(name: &str) -> Result<DesignQuantity, (String, String)> {
    let name = name.trim();
    DesignQuantity::from_name(name).ok_or_else(|| {
        let names: Vec<String> = DesignQuantity::all().map(DesignQuantity::name).collect();
        let meant = closest(name, names.iter().map(String::as_str));
        let all = || format!("Use one of {}", names.join(", "));
        let remedy = meant.map_or_else(all, |meant| format!("Did you mean `{meant}`?"));
        (format!("There is no quantity `{name}`"), remedy)
    })
}
