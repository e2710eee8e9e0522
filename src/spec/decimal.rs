//! Decimal numbers.

/// The number that a text stands for, rounded to the nearest that there is. It is read as `str::parse` reads it, except
/// infinities and NaN, which have no text here. In WebAssembly the browser reads it: the standard library's tables do
/// not compress.
pub fn parse_decimal(text: &str) -> Option<f64> {
    is_decimal(text).then(|| nearest(text))
}

/// `-1.5e3`: digits before or behind the point, and perhaps an exponent.
fn is_decimal(text: &str) -> bool {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (digits, exponent) = (unsigned(digits), unsigned(exponent));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let has_digits = !(whole.is_empty() && fraction.is_empty() || exponent.is_empty());
    has_digits && are_digits(whole) && are_digits(fraction) && are_digits(exponent)
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

#[cfg(not(target_arch = "wasm32"))]
fn nearest(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// The browser's own, which spares the page the tables of the standard library: 10 kB that do not compress.
#[cfg(target_arch = "wasm32")]
fn nearest(text: &str) -> f64 {
    js_sys::parse_float(text)
}
