//! A design that was put aside, to compare with.

use super::cores_form::CoresForm;
use super::design::{Design, Half};
use super::schedule::{FuseChoice, ObjectiveChoice, Schedule};
use crate::depth_first::DepthFirstStrategy;
use crate::search::Strategy;
use crate::spec::{Difference, differences};

/// Design A; the one at hand is B.
#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    /// What is run on what, and how.
    pub design: Design,
    /// The point that is compared; `None`: the best.
    pub point: Option<DepthFirstStrategy>,
    /// How it is run on many cores.
    pub cores: CoresForm,
}

impl Pinned {
    /// The form of many cores as it is pinned: without what is not in force.
    pub fn cores_of(form: &CoresForm) -> CoresForm {
        let own = if form.preset.is_none() { form.own.clone() } else { String::new() };
        CoresForm { own, shows_system: false, ..form.clone() }
    }
}

/// Everything in which two ways to use many cores differ: the system, then the choices.
pub fn cores_differences(a: &CoresForm, b: &CoresForm) -> Vec<Difference> {
    let systems = differences(a.system(), b.system()).into_iter();
    let systems = systems.map(|found| Difference { path: format!("system.{}", found.path), ..found });
    let choices = a.described().into_iter().zip(b.described()).filter(|(a, b)| a != b);
    let choices =
        choices.map(|((name, a), (_, b))| Difference { path: format!("cores.{name}"), a: Some(a), b: Some(b) });
    systems.chain(choices).collect()
}

/// Everything in which two designs differ: hardware, network, schedule.
pub fn design_differences(a: &Design, b: &Design) -> Vec<Difference> {
    let documents = [Half::Hardware, Half::Workload].into_iter().flat_map(|half| {
        let found = differences(&a.document(half).text, &b.document(half).text);
        found
            .into_iter()
            .map(move |difference| Difference { path: format!("{}.{}", half.name(), difference.path), ..difference })
    });
    let schedule = described(&a.schedule).into_iter().zip(described(&b.schedule));
    let schedule = schedule.filter(|(a, b)| a != b).map(|((name, a), (_, b))| Difference {
        path: format!("schedule.{name}"),
        a,
        b,
    });
    documents.chain(schedule).collect()
}

/// What is in force of a schedule, by name; `None` for what has no part in it.
pub fn described(schedule: &Schedule) -> Vec<(&'static str, Option<String>)> {
    let name_of = |all: &[(ObjectiveChoice, &str)]| {
        all.iter().find(|(choice, _)| *choice == schedule.objective).map_or("", |(_, name)| name).to_owned()
    };
    let objective = match schedule.objective {
        ObjectiveChoice::MemoryAccesses => format!("accesses of {}", schedule.memory),
        ObjectiveChoice::Weighted => {
            let [energy, latency, dram] = &schedule.weights;
            format!("{energy} per pJ, {latency} per cycle, {dram} per DRAM access")
        }
        _ => name_of(&ObjectiveChoice::ALL),
    };
    let stacks = match schedule.fuse {
        FuseChoice::ByHand => format!("cut after {}", schedule.cuts),
        choice => FuseChoice::ALL.iter().find(|(other, _)| *other == choice).map_or("", |(_, name)| name).to_owned(),
    };
    let modes: Vec<&str> = schedule.modes.iter().map(|mode| mode.title()).collect();
    let switches = schedule.rules.switches();
    let switched: Vec<&str> = switches.iter().filter(|(.., on)| *on).map(|(name, ..)| *name).collect();
    let rules = schedule.rules.set_name().map_or_else(|| switched.join(", "), str::to_owned);
    let written = |text: &String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let limit = (schedule.strategy == Strategy::Loma).then(|| schedule.lpf_limit.to_string());
    vec![
        ("tile widths", Some(schedule.tiles_x.clone())),
        ("tile heights", Some(schedule.tiles_y.clone())),
        ("storing modes", Some(modes.join(", "))),
        ("stacks", Some(stacks)),
        ("most layers of an optimal stack", written(&schedule.most_layers)),
        ("most tiles of an optimal stack", written(&schedule.most_tiles)),
        ("objective", Some(objective)),
        ("search", Some(if schedule.strategy == Strategy::Exact { "exact" } else { "LOMA" }.to_owned())),
        ("LPF limit", limit),
        ("rules", Some(rules)),
    ]
}
