//! The state that an empty link of version 1 stands for. It says what fields that are left out mean, so it never changes, whatever
//! the page opens with.

use super::frozen::Kind;
use crate::depth_first::StoringMode;
use crate::multicore::{ScheduleObjective, Scheduler};
use crate::rules::Rules;
use crate::search::Strategy;
use crate::state::{
    CoresForm, Design, Document, FuseChoice, HierarchyForm, ObjectiveChoice, OwnMapping, Schedule, StackChoice, State,
    TileChoice, View,
};

/// Fingerprints of the Meta-prototype-like DF, FSRCNN (DeFiNES), and the pool of ZigZag's case study 2, as of version 1.
const TEXTS: [[u8; 4]; 3] = [[0xd6, 0xc6, 0x6c, 0x7c], [0xf4, 0x07, 0x67, 0xff], [0x9c, 0xda, 0x6f, 0x26]];

/// Version 1.
pub(super) fn baseline() -> State {
    let [hardware, workload, pool] = TEXTS;
    let document = |kind: Kind, hash| {
        // A test holds that they are kept.
        let frozen = kind.find(hash);
        Document {
            text: frozen.map(|frozen| frozen.text.to_owned()).unwrap_or_default(),
            preset: frozen.and_then(|frozen| frozen.preset),
            own: None,
        }
    };
    let pool = document(Kind::Pool, pool);
    State {
        design: Design {
            hardware: document(Kind::Hardware, hardware),
            workload: document(Kind::Workload, workload),
            schedule: Schedule {
                tiles_x: "1 4 16 60 240 960".to_owned(),
                tiles_y: "1 4 18 72 270 540".to_owned(),
                modes: vec![StoringMode::FullyRecompute, StoringMode::HCachedVRecompute, StoringMode::FullyCached],
                fuse: FuseChoice::Automatic,
                cuts: String::new(),
                most_layers: String::new(),
                most_tiles: String::new(),
                objective: ObjectiveChoice::Energy,
                memory: String::new(),
                weights: ["1".to_owned(), "0".to_owned(), "0".to_owned()],
                strategy: Strategy::Exact,
                lpf_limit: 6,
                rules: Rules::CORRECTED,
            },
        },
        mapping: OwnMapping::default(),
        hierarchy: HierarchyForm {
            pool: pool.text,
            pool_preset: pool.preset,
            shows_pool: false,
            layer: None,
            budget: String::new(),
            max_levels: 2,
            min_ratio: 8,
            all_widths: false,
            objective: 0,
        },
        cores: CoresForm {
            preset: Some("quad-beside".to_owned()),
            own: String::new(),
            shows_system: false,
            granularity: TileChoice::Rows,
            rows: "1".to_owned(),
            tiles: String::new(),
            stacks: StackChoice::Automatic,
            ends: String::new(),
            aim: ScheduleObjective::Latency,
            scheduler: Scheduler::Corrected,
            order: None,
            prefetches: false,
            allocation: String::new(),
        },
        view: View::default(),
        pinned: None,
        entry: None,
        lesson: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::to_link;

    #[test]
    fn its_documents_are_kept() {
        for (kind, hash) in Kind::ALL.into_iter().zip(TEXTS) {
            assert!(kind.find(hash).is_some(), "{hash:?}");
        }
    }

    #[test]
    fn the_page_opens_with_it_as_long_as_nobody_decides_otherwise() {
        assert_eq!(baseline(), State::first());
        assert!(to_link(&State::first()).len() <= 8);
    }
}
