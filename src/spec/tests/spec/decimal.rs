//! Decimal numbers are read as the standard library reads them.

use fusescape_spec::parse_decimal;

fn agrees(text: &str) {
    let expected = text.parse::<f64>().ok().map(f64::to_bits);
    assert_eq!(parse_decimal(text).map(f64::to_bits), expected, "`{text}`");
}

#[test]
fn all_ways_to_write_a_number_are_understood() {
    for text in [
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "007.2500",
        "1e3",
        "1E+3",
        "1e-3",
        "26.56",
        "4740.06",
        "1e0000000001",
        "9007199254740993.0000001",
        "0e99999999999",
    ] {
        assert!(text.parse::<f64>().is_ok(), "`{text}`");
        agrees(text);
    }
}

#[test]
fn nothing_else_is() {
    for text in ["", ".", "+", "e1", "1e", "1e+", "1.2.3", "1 ", " 1", "1_000", "0x1", "--1", "1e1.5", "½", "١", "one"]
    {
        assert!(text.parse::<f64>().is_err(), "`{text}`");
        agrees(text);
    }
    for text in ["inf", "-infinity", "NaN"] {
        assert_eq!(parse_decimal(text), None, "`{text}`");
    }
}
