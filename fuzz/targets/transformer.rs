#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fusescape_fuzz::transformer::holds(bytes));
