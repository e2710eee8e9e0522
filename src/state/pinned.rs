//! A design that is pinned for comparison.

use super::cores_form::CoresForm;
use super::design::Design;
use super::half::Half;
use fusescape_engine::depth_first::DepthFirstStrategy;
use fusescape_spec::{Difference, differences};

/// Design A; the current one is B.
#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    pub design: Design,
    /// The compared point; `None` for the best.
    pub point: Option<DepthFirstStrategy>,
    /// Its form of many cores.
    pub cores: CoresForm,
}

impl Pinned {
    /// The form of many cores as pinned: without fields that are not in force.
    pub fn cores_of(form: &CoresForm) -> CoresForm {
        let own = if form.preset.is_none() { form.own.clone() } else { String::new() };
        CoresForm { own, shows_system: false, ..form.clone() }
    }
}

/// All differences between two forms of many cores: the system, then the choices.
pub fn cores_differences(a: &CoresForm, b: &CoresForm) -> Vec<Difference> {
    let systems = differences(a.system(), b.system()).into_iter();
    let systems = systems.map(|found| Difference { path: format!("system.{}", found.path), ..found });
    let choices = a.described().into_iter().zip(b.described()).filter(|(a, b)| a != b);
    let choices =
        choices.map(|((name, a), (_, b))| Difference { path: format!("cores.{name}"), a: Some(a), b: Some(b) });
    systems.chain(choices).collect()
}

/// All differences between two designs: hardware, network, schedule.
pub fn design_differences(a: &Design, b: &Design) -> Vec<Difference> {
    let documents = [Half::Hardware, Half::Workload].into_iter().flat_map(|half| {
        let found = differences(&a.document(half).text, &b.document(half).text);
        found
            .into_iter()
            .map(move |difference| Difference { path: format!("{}.{}", half.name(), difference.path), ..difference })
    });
    let schedule = a.schedule.described().into_iter().zip(b.schedule.described());
    let schedule = schedule.filter(|(a, b)| a != b).map(|((name, a), (_, b))| Difference {
        path: format!("schedule.{name}"),
        a,
        b,
    });
    documents.chain(schedule).collect()
}
