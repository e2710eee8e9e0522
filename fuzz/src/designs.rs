//! Any text as a study document: an answer, never a panic. Some designs of a valid document are evaluated, and their
//! rows are plausible.

use super::{HARDWARE, SYSTEM, WORKLOAD, check_wrong};
use fusescape::explore::study::{
    DesignEvaluator, DesignSampler, DesignSchedule, DesignSpace, DesignStatus, ParetoFront, StudyRequest,
};
use std::sync::Arc;

/// Number of documents that names resolve to, and of designs that are evaluated.
const KNOWN: usize = 4;
const LOOKED_AT: u64 = 3;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let [hardware, networks, systems] = StudyRequest::names(text);
    let known =
        |names: Vec<String>, text: &str| names.into_iter().take(KNOWN).map(|name| (name, text.to_owned())).collect();
    let request = StudyRequest {
        text: text.to_owned(),
        hardware: known(hardware, HARDWARE),
        networks: known(networks, WORKLOAD),
        systems: known(systems, SYSTEM),
    };
    match DesignSpace::new(request) {
        Err(wrong) => check_wrong(text, &wrong),
        Ok(study) => look_at(&Arc::new(study)),
    }
}

fn look_at(study: &Arc<DesignSpace>) {
    let designs = study.designs();
    assert!(designs > 0 && study.combinations() > 0);
    let mut course = DesignSampler::new(Arc::clone(study));
    let task = course.task().expect("a study has a design");
    assert!(task.designs.len() as u64 <= study.task_designs());
    let mut evaluator = DesignEvaluator::new(Arc::clone(study), Arc::default());
    for design in (0..LOOKED_AT).map(|part| (u128::from(designs - 1) * u128::from(part) / 2) as u64) {
        // Large maps in small tiles are legal, but take long.
        let coordinates = study.sampled(design);
        assert_eq!(study.coordinates(study.combination(&coordinates)), coordinates);
        let takes_long = match study.schedule(&coordinates).expect("validated") {
            DesignSchedule::DepthFirst(settings) => settings.strategies().len() > 4 || settings.lpf_limit > 3,
            DesignSchedule::OnCores(schedule) => schedule.searches_tiles || schedule.settings.lpf_limit > 3,
        };
        if takes_long {
            continue;
        }
        let row = evaluator.evaluate(design, &ParetoFront::default());
        assert_eq!(row.values.len(), study.quantities.len());
        assert!(row.status != DesignStatus::Beaten, "there is no front to beat");
        assert_eq!(row.status == DesignStatus::Found, row.reason.is_empty(), "{row:?}");
        assert!(row.values.iter().flatten().all(|value| value.is_finite()), "{row:?}");
    }
}
