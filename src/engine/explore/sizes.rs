//! Tile sizes as people write them: one by one, or as a range.

/// Limit on the sizes in one direction: more are taken for a mistake.
pub const MOST_SIZES: usize = 1000;

/// The sizes that one word stands for: `60`, or from, to and step as in `10..960:10`, both ends included; the step is 1 where
/// none is given.
///
/// # Errors
/// Why it is no such word.
pub fn parse_sizes(word: &str) -> Result<Vec<u64>, String> {
    let size = |text: &str| match text.trim().parse::<u64>() {
        Ok(0) => Err("is no tile size; start at 1".to_owned()),
        Ok(size) => Ok(size),
        Err(_) => Err("is no tile size; write a whole number, or a range such as `10..960:10`".to_owned()),
    };
    let Some((from, rest)) = word.split_once("..") else { return Ok(vec![size(word)?]) };
    let (to, step) = match rest.split_once(':') {
        Some((to, step)) => (size(to)?, size(step)?),
        None => (size(rest)?, 1),
    };
    let from = size(from)?;
    if from > to {
        return Err("ends before it begins".to_owned());
    }
    if (to - from) / step >= MOST_SIZES as u64 {
        return Err(format!("is more than {MOST_SIZES} sizes; take larger steps"));
    }
    Ok((0..=(to - from) / step).map(|index| from + index * step).collect())
}

#[cfg(test)]
mod tests {
    use super::parse_sizes;

    #[test]
    fn sizes_and_ranges_are_read() {
        assert_eq!(parse_sizes("60"), Ok(vec![60]));
        assert_eq!(parse_sizes("10..45:10"), Ok(vec![10, 20, 30, 40]));
        assert_eq!(parse_sizes("3..5"), Ok(vec![3, 4, 5]));
        assert_eq!(parse_sizes("7..7:100"), Ok(vec![7]));
        assert_eq!(parse_sizes("10..960:10").map(|sizes| sizes.len()), Ok(96));
    }

    #[test]
    fn nonsense_is_refused() {
        for word in
            ["", "x", "0", "0..5", "5..", "5..3", "1..9:0", "1..9:x", "..", "1..18446744073709551615", "-3", "1...5"]
        {
            assert!(parse_sizes(word).is_err(), "{word}");
        }
    }
}
