//! A text as a patch of another one: runs of bytes copied from there, or from the output so far, and inserted bytes.

use super::fields::Patch;
use rustc_hash::FxHashMap;

/// Length of the byte sequences that are indexed to find common runs.
const GRAM: usize = 5;
/// Limit on the places of a byte sequence that are tried.
const MOST_PLACES: usize = 48;
/// Average deflated size of an inserted byte, bytes.
const INSERTED: f64 = 0.62;

/// A run of bytes to copy.
#[derive(Clone, Copy)]
struct CopiedBytes {
    /// Start: in the base, or behind it in the output so far.
    from: usize,
    length: usize,
    /// Bytes that it saves.
    gain: f64,
}

/// The patch from `base` to `target`.
pub(super) fn diff(base: &str, target: &str) -> Patch {
    let source: Vec<u8> = base.bytes().chain(target.bytes()).collect();
    let mut finder = Finder { start: base.len(), places: FxHashMap::default(), known: 0, source: &source };
    let mut patch = Patch::default();
    let (mut at, mut inserted, mut expected) = (0, 0, 0);
    while at < target.len() {
        let found = finder.best(at, expected + inserted);
        // A run that starts one byte later may save more.
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
    /// The base, followed by the target text.
    source: &'a [u8],
    /// Start of the target text.
    start: usize,
    places: FxHashMap<[u8; GRAM], Vec<u32>>,
    /// Number of indexed bytes of the source.
    known: usize,
}

impl Finder<'_> {
    /// The best run for the byte at this place of the text; a run from `expected` has the shortest encoding.
    fn best(&mut self, at: usize, expected: usize) -> Option<CopiedBytes> {
        let here = self.start + at;
        while self.known < here {
            if let Some(gram) = self.source[self.known..].first_chunk::<GRAM>() {
                self.places.entry(*gram).or_default().push(self.known as u32);
            }
            self.known += 1;
        }
        let wanted = &self.source[here..];
        let places = wanted.first_chunk::<GRAM>().and_then(|gram| self.places.get(gram));
        // Limited, as a text that repeats a few bytes everywhere would take quadratic time.
        let latest = places.into_iter().flatten().rev().take(MOST_PLACES).map(|&place| place as usize);
        latest
            .chain((expected < here).then_some(expected))
            .map(|from| {
                let length = wanted.iter().zip(&self.source[from..]).take_while(|(a, b)| a == b).count();
                let delta = (from as i64 - expected as i64).unsigned_abs() * 2;
                let gain = length as f64 * INSERTED - 0.7 - bytes(delta) - bytes(length as u64);
                CopiedBytes { from, length, gain }
            })
            .max_by(|a, b| a.gain.total_cmp(&b.gain))
            .filter(|run| run.gain > 0.0)
    }
}

/// Encoded length of a number.
fn bytes(number: u64) -> f64 {
    f64::from((u64::BITS - number.max(1).leading_zeros()).div_ceil(7))
}

/// The result of a patch of `base`; `None` if it is not text, or has more than `most` bytes.
pub(super) fn apply(base: &str, patch: &Patch, most: usize) -> Option<String> {
    let base = base.as_bytes();
    let (mut text, mut rest, mut expected) = (Vec::new(), patch.inserted.as_slice(), 0_i64);
    if patch.insertions.len() != patch.jumps.len() || patch.jumps.len() != patch.lengths.len() {
        return None;
    }
    for ((&inserted, &jump), &length) in patch.insertions.iter().zip(&patch.jumps).zip(&patch.lengths) {
        let (inserted, length) = (inserted as usize, length as usize);
        // In 32-bit WebAssembly a sum of sizes may overflow.
        if text.len().saturating_add(inserted).saturating_add(length) > most {
            return None;
        }
        text.extend(rest.split_off(..inserted)?);
        let from = expected + inserted as i64 + i64::from(jump);
        // Byte by byte, as a run may overlap its own output.
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
