//! Values in the files of Timeloop and AccelForge: fields with `-` or `_` in their names, amounts as products, factors
//! of loops.

use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Largest whole number accepted.
const MAX_NUMBER: f64 = (1_u64 << 50) as f64;

/// Fields with their values.
pub(super) type Entries<'t> = Vec<(&'t str, LocatedNode<'t>)>;

/// The field with this name; `-` and `_` are equal.
pub(super) fn find<'a, 't>(entries: &'a Entries<'t>, name: &str) -> Option<&'a LocatedNode<'t>> {
    entries.iter().find(|(known, _)| known.replace('-', "_") == name).map(|(_, place)| place)
}

/// The text of a field.
pub(super) fn text(entries: &Entries, name: &str, reader: &mut Reader) -> Option<String> {
    find(entries, name)?.name(reader)
}

/// A number: `16`, `1e-9`, or a product such as `12 * 34`.
pub(super) fn amount(place: &LocatedNode, reader: &mut Reader) -> Option<f64> {
    place.value(reader, "a number", |text| {
        let wrong = || {
            let remedy = "Write the number, or import `parsed-processed-input.yaml`, in which Timeloop's front end has \
                          worked it out";
            ValueError::new(format!("`{}` is no number, 0 or more", short(text)), remedy)
        };
        let mut product = 1.0;
        for factor in text.split('*') {
            let factor: f64 = factor.trim().replace('_', "").parse().map_err(|_| wrong())?;
            product *= factor;
        }
        if product.is_finite() && product >= 0.0 { Ok(product) } else { Err(wrong()) }
    })
}

/// A whole number of at most 2^50.
pub(super) fn whole(place: &LocatedNode, reader: &mut Reader) -> Option<u64> {
    let number = amount(place, reader)?;
    if number.fract() == 0.0 && number <= MAX_NUMBER {
        return Some(number as u64);
    }
    let reason = format!("{number} is no whole number that can be counted");
    place.reject(reader, ValueError::new(reason, "Write for example `64`"));
    None
}

/// A whole number of a field.
pub(super) fn whole_of(entries: &Entries, name: &str, reader: &mut Reader) -> Option<u64> {
    whole(find(entries, name)?, reader)
}

/// A name without its range of instances, and their number: 16 for `PE[1..16]`.
pub(super) fn without_range(name: &str) -> (&str, Option<u64>) {
    let Some((name, range)) = name.split_once('[') else { return (name.trim(), None) };
    let ends = range.trim_end_matches(']').split_once("..");
    let count = ends.and_then(|(first, last)| {
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    });
    (name.trim(), count)
}

/// The beginning of a text, for a message.
pub(super) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
