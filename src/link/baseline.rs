//! The state of an empty link of version 1. It defines the meaning of missing fields, so it never changes, even if the
//! page's defaults do.

use super::frozen::FrozenKind;
use fusescape_state::{
    AttentionForm, CoresForm, Design, DesignTable, Document, Form, HierarchyForm, OwnMapping, Schedule, State,
    StudyForm, View,
};

/// Fingerprints of the Meta-prototype-like DF, FSRCNN (DeFiNES), and the pool of ZigZag's case study 2, as of version
/// 1.
const TEXTS: [[u8; 4]; 3] = [[0xd6, 0xc6, 0x6c, 0x7c], [0xf4, 0x07, 0x67, 0xff], [0x9c, 0xda, 0x6f, 0x26]];

/// Version 1.
pub(super) fn baseline() -> State {
    let [hardware, workload, pool] = TEXTS;
    let document = |kind: FrozenKind, hash| {
        // A test checks that they are kept.
        let frozen = kind.find(hash);
        Document {
            text: frozen.map(|frozen| frozen.text.to_owned()).unwrap_or_default(),
            preset: frozen.and_then(|frozen| frozen.preset),
            own: None,
        }
    };
    let pool = document(FrozenKind::Pool, pool);
    State {
        design: Design {
            hardware: document(FrozenKind::Hardware, hardware),
            workload: document(FrozenKind::Workload, workload),
            schedule: Schedule::baseline(),
        },
        mapping: OwnMapping::default(),
        hierarchy: HierarchyForm { pool: pool.text, pool_preset: pool.preset, ..HierarchyForm::baseline() },
        cores: CoresForm::baseline(),
        attention: AttentionForm::baseline(),
        study: StudyForm::baseline(),
        table: DesignTable::baseline(),
        view: View::baseline(),
        pinned: None,
        entry: None,
        lesson: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::to_link;

    #[test]
    fn its_documents_are_kept() {
        for (kind, hash) in FrozenKind::ALL.into_iter().zip(TEXTS) {
            assert!(kind.find(hash).is_some(), "{hash:?}");
        }
    }

    #[test]
    fn the_page_opens_with_it_but_for_what_was_decided_since() {
        // Many cores: the page begins with the best tile size, old links mean one row.
        let mut first = State::first();
        assert!(first.cores.searches_tiles() && !baseline().cores.searches_tiles());
        first.cores.granularity = baseline().cores.granularity;
        assert_eq!(baseline(), first);
        assert!(to_link(&first).len() <= 8);
        assert!(to_link(&State::first()).len() <= 12);
    }
}
