//! Small drawings of terms: the symbols of one SVG file, each on a field of 160 x 64.

const DRAWINGS: &str = include_str!("drawings.svg");

/// The terms that have a drawing, by their names in the list, with its marks as SVG.
pub fn drawings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let symbols = DRAWINGS.split("<symbol data-term=\"").skip(1);
    symbols.filter_map(|symbol| symbol.split_once("</symbol>")?.0.split_once("\">"))
}

/// The drawing of a term.
pub fn drawing(name: &str) -> Option<&'static str> {
    drawings().find(|(term, _)| *term == name).map(|(_, marks)| marks)
}
