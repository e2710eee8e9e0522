//! Names of downloaded files.

/// Limit on the letters of the name of a document, and of the content.
const MOST: usize = 24;
const MOST_SHOWN: usize = 40;

/// `tpu-like-df-fsrcnn-energy-by-cause.csv`, from the names of the hardware and of the network, the content, and the
/// kind of file: ASCII lower-case letters, digits and hyphens. A remark in brackets or behind a semicolon is left out
/// of the content.
pub fn file_name(design: &[String; 2], shown: &str, kind: &str) -> String {
    let shown = shown.split(['(', ';']).next().unwrap_or(shown);
    let parts = [words(&design[0], MOST), words(&design[1], MOST), words(shown, MOST_SHOWN)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let name = if parts.is_empty() { "fusescape".to_owned() } else { parts.join("-") };
    format!("{name}.{kind}")
}

/// As many words of a text as fit, joined by hyphens; the beginning of a single long one.
fn words(text: &str, most: usize) -> String {
    let mut name = String::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        let word: String = word.chars().filter(char::is_ascii).map(|letter| letter.to_ascii_lowercase()).collect();
        if word.is_empty() {
            continue;
        }
        if name.is_empty() {
            name = word.chars().take(most).collect();
        } else if name.len() + 1 + word.len() <= most {
            name = format!("{name}-{word}");
        } else {
            break;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let cases = [
            (
                ["TPU-like DF", "FSRCNN (DeFiNES)"],
                "Energy: fully-cached (mJ)",
                "tpu-like-df-fsrcnn-defines-energy-fully-cached.csv",
            ),
            (["Größe/../µ", "網路"], "", "gre.csv"),
            (["", ""], "", "fusescape.csv"),
            (
                ["an accelerator with a very long name", "supercalifragilisticexpialidocious"],
                "Each stack with its own strategy: 98.0 % of the energy",
                "an-accelerator-with-a-supercalifragilisticexpi-each-stack-with-its-own-strategy-98-0-of.csv",
            ),
        ];
        for (design, shown, name) in cases {
            assert_eq!(file_name(&design.map(str::to_owned), shown, "csv"), name);
        }
    }
}
