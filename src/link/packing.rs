//! Fields as letters: a version, deflate, base64url, and a checksum that detects truncation and typing errors.

use super::fields::{StateField, bytes};
use super::{frozen::fnv_1a, wrong};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fusescape_spec::Diagnostics;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::Serialize;

/// The first character of every link of this version.
const VERSION: char = '1';
/// Limit on the decompressed size, bytes.
const MOST_BYTES: usize = 8 << 20;
/// Bytes of the checksum, at the end.
const CHECKSUM: usize = 2;
/// Level of compression; higher ones gain nothing.
const COMPRESSION: u8 = 8;

/// The letters of some fields.
pub(super) fn pack(fields: &[StateField]) -> String {
    let mut unpacked = Vec::new();
    for field in fields {
        unpacked.extend(bytes(&field.number));
        unpacked.extend(&field.bytes);
    }
    let mut packed = compress_to_vec(&unpacked, COMPRESSION);
    packed.extend(checksum(&unpacked));
    format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(packed))
}

/// Compressed length of a part of a field, bytes.
pub(super) fn packed_length<T: Serialize>(part: &T) -> usize {
    compress_to_vec(&bytes(part), COMPRESSION).len()
}

/// The bytes of the fields in letters.
pub(super) fn unpack(text: &str) -> Result<Vec<u8>, Diagnostics> {
    let mut letters = text.chars();
    match letters.next() {
        Some(VERSION) => {}
        Some('2'..='9') => return Err(newer()),
        _ => return Err(wrong("This is no link of Fusescape", "Copy the whole address, with all that follows `#`")),
    }
    let packed = URL_SAFE_NO_PAD.decode(letters.as_str()).map_err(|_| damaged())?;
    let (packed, sum) = packed.split_last_chunk::<CHECKSUM>().ok_or_else(damaged)?;
    let bytes = decompress_to_vec_with_limit(packed, MOST_BYTES).map_err(|_| damaged())?;
    if checksum(&bytes) != *sum {
        return Err(damaged());
    }
    Ok(bytes)
}

/// The error of a damaged link.
pub(super) fn damaged() -> Diagnostics {
    wrong("The link is damaged or was cut off", "Copy the whole address, with all that follows `#`")
}

/// The error of a link with unknown content.
pub(super) fn newer() -> Diagnostics {
    wrong("The link was made by a newer version of Fusescape", "Reload this page, or open the link where it was made")
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [a, b, c, d] = fnv_1a(bytes).to_le_bytes();
    [a ^ c, b ^ d]
}
