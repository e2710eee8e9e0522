//! The memories that are too small for a layer, and the sizes that they need.

use super::random_problems::{Random, hardware, problem};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Strategy, has_mapping, smallest_that_fit};

/// Random memories, made smaller until nothing fits: with the reported sizes a mapping fits, and with one bit less in
/// any of those memories none.
#[test]
fn sizes_that_are_asked_for_are_the_least_that_help() {
    let mut random = Random(11);
    let (mut fit, mut small_ones) = (0, [0; 4]);
    for _ in 0..2000 {
        let Ok(core) = Core::from_text(&hardware(&mut random)) else { continue };
        let problem = problem(&mut random, &core);
        let mut small = core.clone();
        for memory in &mut small.memories {
            memory.size_bits = (memory.size_bits / [1, 1, 2, 3, 5][random.below(5) as usize]).max(1);
        }
        let fits = |core: &Core| {
            has_mapping(&LayerOnCore::new(core, Rules::CORRECTED, &problem), &Limits::default(), Strategy::Exact)
        };
        let asked = smallest_that_fit(&LayerOnCore::new(&small, Rules::CORRECTED, &problem), &Limits::default());
        if fits(&small) {
            assert!(asked.is_empty(), "{asked:?} of {problem:?} on {small:?}");
            fit += 1;
            continue;
        }
        assert!(!asked.is_empty(), "{problem:?} on {small:?}");
        let at = |name: &str| small.memories.position(|memory| memory.name == name).unwrap();
        let mut large = small.clone();
        for shortage in &asked {
            let bits = &mut large.memories[at(&shortage.memory)].size_bits;
            *bits = (*bits).max(shortage.needed_bits);
            assert!(shortage.available_bits < shortage.needed_bits, "{shortage:?}");
        }
        assert!(fits(&large), "{asked:?} of {problem:?} on {small:?}");
        for shortage in &asked {
            let mut less = large.clone();
            less.memories[at(&shortage.memory)].size_bits = shortage.needed_bits - 1;
            assert!(!fits(&less), "{shortage:?} of {asked:?} on {small:?}");
        }
        small_ones[asked.len()] += 1;
    }
    assert!(fit > 100 && small_ones[1] > 100 && small_ones[2] > 10, "{fit} fit, {small_ones:?} do not");
}
