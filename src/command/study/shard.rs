//! Parts of a study for several machines.

/// A part of a study for one of several machines: number `index` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub index: u64,
    /// How many there are.
    pub count: u64,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Self = Self { index: 1, count: 1 };
}

/// `2/8`: the second of eight shards.
///
/// # Errors
/// Forms that can be written instead.
pub fn parse_shard(text: &str) -> Result<Shard, String> {
    let wrong = || format!("`{text}` is no shard: write for example 2/8, the second of eight");
    let (index, count) = text.split_once('/').ok_or_else(wrong)?;
    let (index, count) = index.parse().ok().zip(count.parse().ok()).ok_or_else(wrong)?;
    if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(wrong()) }
}
