//! Links that only an attacker would write.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;

/// A link with these bytes, compressed and with a right checksum (half of an FNV-1a), which mutations would never find.
pub fn sealed(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    let [a, b, c, d] = hash.to_le_bytes();
    let mut packed = compress_to_vec(bytes, 1);
    packed.extend([a ^ c, b ^ d]);
    format!("1{}", URL_SAFE_NO_PAD.encode(packed))
}
