//! Colours that people with any colour vision can tell apart.

use plotters::style::{RGBColor, colors::colormaps::ViridisRGB};

/// An opaque colour.
pub type Color = RGBColor;

/// Paul Tol's `light` scheme: for areas with dark text on them, safe for the colour-blind.
/// Source: P. Tol, "Colour Schemes", SRON/EPS/TN/09-002, Fig. 8.
const TILE_TYPES: [Color; 9] = [
    RGBColor(238, 136, 102),
    RGBColor(119, 170, 221),
    RGBColor(238, 221, 136),
    RGBColor(68, 187, 153),
    RGBColor(153, 221, 255),
    RGBColor(255, 170, 187),
    RGBColor(187, 204, 51),
    RGBColor(170, 170, 0),
    RGBColor(221, 221, 221),
];

/// Colour of tile type `index`. Each round of nine colours is darker, and after three rounds they repeat, so figures
/// also print the number.
pub fn tile_type_color(index: usize) -> Color {
    darker(TILE_TYPES[index % TILE_TYPES.len()], index / TILE_TYPES.len())
}

/// Colour of layer `index`: the colours of tile types except for grey, which looks idle. After three rounds, each
/// darker, they repeat, so figures also print names.
pub fn layer_color(index: usize) -> Color {
    let hues = TILE_TYPES.len() - 1;
    darker(TILE_TYPES[index % hues], index / hues)
}

/// A colour of the second or third round.
fn darker(color: Color, round: usize) -> Color {
    mix(color, RGBColor(0, 0, 0), 0.25 * (round % 3) as f64)
}

/// Viridis from its bright end at 0 to its dark end at 1: in every figure of the landscape, bright is good.
pub fn viridis(position: f64) -> Color {
    let position = if position.is_finite() { position.clamp(0.0, 1.0) } else { 1.0 };
    ViridisRGB::get_color_normalized((1.0 - position) as f32, 0.0, 1.0)
}

/// Teal at 0, nearly white in the middle, brown at 1: what is better, equal and worse, also for the colour-blind.
/// Source: the ends and the middle of `BrBG`, C. Brewer, ColorBrewer 2.0.
pub fn diverging(position: f64) -> Color {
    const ENDS: [Color; 3] = [RGBColor(1, 102, 94), RGBColor(245, 245, 245), RGBColor(140, 81, 10)];
    let position = if position.is_finite() { position.clamp(0.0, 1.0) } else { 1.0 };
    let [better, equal, worse] = ENDS;
    if position < 0.5 { mix(better, equal, 2.0 * position) } else { mix(equal, worse, 2.0 * position - 1.0) }
}

/// The colour a share `t` of the way from `a` to `b`.
pub fn mix(a: Color, b: Color, t: f64) -> Color {
    let channel = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * t.clamp(0.0, 1.0)).round() as u8;
    RGBColor(channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2))
}

/// Relative luminance (WCAG 2.2), 0 to 1.
fn luminance(color: Color) -> f64 {
    let linear = |channel: u8| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color.0) + 0.7152 * linear(color.1) + 0.0722 * linear(color.2)
}

/// Contrast ratio of two colours (WCAG 2.2), 1 to 21.
pub fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Dark or light text, whichever is easier to read on `background`.
pub fn text_on(background: Color) -> Color {
    // Only pure black gives every background the contrast of 4.5 that WCAG requires.
    let (dark, light) = (RGBColor(0, 0, 0), RGBColor(255, 255, 255));
    if contrast(dark, background) >= contrast(light, background) { dark } else { light }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_on_every_colour_of_the_ramps() {
        for step in 0..=100 {
            let cell = viridis(f64::from(step) / 100.0);
            assert!(contrast(cell, text_on(cell)) >= 4.5, "{cell:?}");
            let cell = diverging(f64::from(step) / 100.0);
            assert!(contrast(cell, text_on(cell)) >= 4.5, "{cell:?}");
        }
        for index in 0..TILE_TYPES.len() {
            let area = tile_type_color(index);
            assert!(contrast(area, text_on(area)) >= 4.5, "{area:?}");
        }
        for index in 0..30 {
            let (layer, next) = (layer_color(index), layer_color(index + 1));
            assert!(contrast(layer, text_on(layer)) >= 4.5 && layer != next, "{layer:?}");
        }
    }

    #[test]
    fn viridis_darkens_all_the_way_and_takes_any_number() {
        let luminances: Vec<f64> = (0..=50).map(|step| luminance(viridis(f64::from(step) / 50.0))).collect();
        assert!(luminances.windows(2).all(|pair| pair[0] > pair[1]));
        assert_eq!(viridis(-3.0), viridis(0.0));
        assert_eq!(viridis(f64::NAN), viridis(1.0));
    }
}
