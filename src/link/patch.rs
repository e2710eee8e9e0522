//! A text as what it takes from another one: runs of bytes copied from there, or from what was already written, and the rest inserted.

use super::fields::Patch;
use rustc_hash::FxHashMap;

/// Length of the byte sequences by which common runs are found.
const GRAM: usize = 5;
/// Places of equal bytes that are looked at.
const MOST_PLACES: usize = 48;
/// What a byte that is inserted costs once deflated, in bytes.
const INSERTED: f64 = 0.62;

/// Bytes to be copied.
#[derive(Clone, Copy)]
struct Run {
    /// Where they start: in the base, and behind it in what was written.
    from: usize,
    length: usize,
    /// Bytes that it spares.
    gain: f64,
}

/// How to make `target` of `base`.
pub(super) fn diff(base: &str, target: &str) -> Patch {
    let source: Vec<u8> = base.bytes().chain(target.bytes()).collect();
    let mut finder = Finder { start: base.len(), places: FxHashMap::default(), known: 0, source: &source };
    let mut patch = Patch::default();
    let (mut at, mut inserted, mut expected) = (0, 0, 0);
    while at < target.len() {
        let found = finder.best(at, expected + inserted);
        // A run that starts one byte later may be worth more.
        let better = found.and_then(|found| {
            finder.best(at + 1, expected + inserted + 1).filter(|next| next.gain > found.gain + INSERTED)
        });
        match found.filter(|_| better.is_none()) {
            Some(run) => {
                let delta = run.from as i64 - (expected + inserted) as i64;
                patch.insertions.push(inserted as u32);
                patch.jumps.push(delta as i32);
                patch.lengths.push(run.length as u32);
                (at, inserted, expected) = (at + run.length, 0, run.from + run.length);
            }
            None => {
                patch.inserted.push(target.as_bytes()[at]);
                (at, inserted) = (at + 1, inserted + 1);
            }
        }
    }
    patch
}

struct Finder<'a> {
    /// The base, then the text that is to be made.
    source: &'a [u8],
    /// Where the latter starts.
    start: usize,
    places: FxHashMap<[u8; GRAM], Vec<u32>>,
    /// Bytes of the source whose places are known.
    known: usize,
}

impl Finder<'_> {
    /// The best run for the byte at this place of the text; `expected` is where a run costs least.
    fn best(&mut self, at: usize, expected: usize) -> Option<Run> {
        let here = self.start + at;
        while self.known < here {
            if let Some(gram) = self.source[self.known..].first_chunk::<GRAM>() {
                self.places.entry(*gram).or_default().push(self.known as u32);
            }
            self.known += 1;
        }
        let wanted = &self.source[here..];
        let places = wanted.first_chunk::<GRAM>().and_then(|gram| self.places.get(gram));
        // Bounded, as a text that repeats a few bytes everywhere would take quadratic time.
        let latest = places.into_iter().flatten().rev().take(MOST_PLACES).map(|&place| place as usize);
        latest
            .chain((expected < here).then_some(expected))
            .map(|from| {
                let length = wanted.iter().zip(&self.source[from..]).take_while(|(a, b)| a == b).count();
                let delta = (from as i64 - expected as i64).unsigned_abs() * 2;
                let gain = length as f64 * INSERTED - 0.7 - bytes(delta) - bytes(length as u64);
                Run { from, length, gain }
            })
            .max_by(|a, b| a.gain.total_cmp(&b.gain))
            .filter(|run| run.gain > 0.0)
    }
}

/// Bytes of a number.
fn bytes(number: u64) -> f64 {
    f64::from((u64::BITS - number.max(1).leading_zeros()).div_ceil(7))
}

/// What a patch makes of `base`; `None` where it makes no text, or more than `most` bytes.
pub(super) fn apply(base: &str, patch: &Patch, most: usize) -> Option<String> {
    let base = base.as_bytes();
    let (mut text, mut rest, mut expected) = (Vec::new(), patch.inserted.as_slice(), 0_i64);
    if patch.insertions.len() != patch.jumps.len() || patch.jumps.len() != patch.lengths.len() {
        return None;
    }
    for ((&inserted, &jump), &length) in patch.insertions.iter().zip(&patch.jumps).zip(&patch.lengths) {
        let (inserted, length) = (inserted as usize, length as usize);
        // In WebAssembly a sum of sizes may overflow.
        if text.len().saturating_add(inserted).saturating_add(length) > most {
            return None;
        }
        text.extend(rest.split_off(..inserted)?);
        let from = expected + inserted as i64 + i64::from(jump);
        // Byte by byte, as a run may read what it has just written.
        for place in from..from + length as i64 {
            let place = usize::try_from(place).ok()?;
            let byte = base.get(place).or_else(|| text.get(place - base.len())).copied();
            text.push(byte?);
        }
        expected = from + length as i64;
    }
    if text.len().saturating_add(rest.len()) > most {
        return None;
    }
    text.extend(rest);
    String::from_utf8(text).ok()
}
