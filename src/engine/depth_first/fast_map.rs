//! A hash map for small keys that nobody can choose maliciously: planning looks up several per layer-tile.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose order must not reach a result.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<MixHasher>>;

/// Multiplies and rotates word by word.
#[derive(Default)]
pub struct MixHasher(u64);

/// 2^64 over the golden ratio: spreads neighbouring numbers over the whole range (Knuth, volume 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl MixHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(GOLDEN);
    }
}

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        // The table takes the lowest bits, the product's best are the highest.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}
