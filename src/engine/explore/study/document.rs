//! A validated study: its base documents, axes, and what counts.

use super::axis::{Axis, Part, Target, resolve};
use super::constraint::{Constraint, parse_quantity};
use super::quantity::Quantity;
use super::schedule;
use crate::explore::Settings;
use crate::hardware::Core;
use crate::spec::edit::Outline;
use crate::spec::{
    AxisValue, Consequences, Diagnostics, SamplingSpec, StudySpec, merge, read_hardware, read_study, read_workload,
};
use crate::workload::Network;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// More designs than numbers in result files tell apart.
const MOST_DESIGNS: u64 = 1 << 50;
/// Dimensions of the Sobol sequence.
const MOST_SOBOL_AXES: usize = sobol_burley::NUM_DIMENSIONS as usize;

/// What validation cannot judge while something of the document is unreadable.
const CONSEQUENCES: &Consequences = &[("axes[*].vary", &["axes[*].vary"])];

/// Everything that a study depends on, in one value that can be sent to any process: its document, and the texts that it names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StudyRequest {
    /// The study document.
    pub text: String,
    /// Hardware documents by the names that it uses.
    pub hardware: Vec<(String, String)>,
    /// Networks by the names that it uses.
    pub networks: Vec<(String, String)>,
}

impl StudyRequest {
    /// The names of hardware documents and of networks that a study document uses, each once.
    pub fn names(text: &str) -> [Vec<String>; 2] {
        let (spec, _) = read_study(text);
        [(Part::Hardware, &spec.hardware), (Part::Network, &spec.network)].map(|(part, base)| {
            let mut names = base.clone();
            for axis in spec.axes.iter().filter_map(|axis| Axis::new(axis, "", &mut Diagnostics::default())) {
                for (index, _) in whole(&axis, part) {
                    names.extend(axis.values.iter().filter_map(|value| Some(value.get(index)?.text().to_owned())));
                }
            }
            names.sort();
            names.dedup();
            names
        })
    }

    /// A number that only equal requests share (XXH64).
    pub fn key(&self) -> u64 {
        let mut hasher = XxHash64::with_seed(0);
        // Byte by byte, as the key stands in files, which any machine reads: each text behind its length.
        let mut write = |text: &str| {
            hasher.write(&(text.len() as u64).to_le_bytes());
            hasher.write(text.as_bytes());
        };
        write(&self.text);
        for documents in [&self.hardware, &self.networks] {
            write(&documents.len().to_string());
            documents.iter().for_each(|(name, text)| {
                write(name);
                write(text);
            });
        }
        hasher.finish()
    }
}

/// A validated study.
pub struct Study {
    /// What it was made of.
    pub request: StudyRequest,
    /// What the document says.
    pub spec: StudySpec,
    /// All axes, those of base documents first; the last varies fastest.
    pub axes: Vec<Axis>,
    /// What is recorded, each quantity once.
    pub quantities: Vec<Quantity>,
    /// What designs keep to.
    pub constraints: Vec<Constraint>,
    /// What the front is about.
    pub objectives: Vec<Quantity>,
    pub(super) hardware: Vec<Base>,
    pub(super) networks: Vec<Base>,
    pub(super) settings: Settings,
}

/// A base document, with the paths of all axes as edits take them.
pub(super) struct Base {
    pub name: String,
    pub outline: Outline,
}

impl Study {
    /// Validates a study.
    ///
    /// # Errors
    /// Everything that is wrong with it; what is wrong with a document that it names begins with `hardware NAME.` or `network NAME.`.
    pub fn new(request: StudyRequest) -> Result<Self, Diagnostics> {
        let (spec, mistakes) = read_study(&request.text);
        match Self::validated(&spec, &request) {
            Ok(study) => mistakes.or(study),
            Err(found) => Err(merge(&request.text, mistakes, found, CONSEQUENCES)),
        }
    }

    fn validated(spec: &StudySpec, request: &StudyRequest) -> Result<Self, Diagnostics> {
        let mut wrong = Diagnostics::default();
        let mut axes = Vec::new();
        for (part, names) in [(Part::Hardware, &spec.hardware), (Part::Network, &spec.network)] {
            if names.len() > 1 {
                let value = |name: &String| vec![AxisValue::Single(name.clone())];
                let target = Target { part, path: String::new() };
                let values = names.iter().map(value).collect();
                axes.push(Axis { names: vec![part.name().to_owned()], targets: vec![target], values });
            }
        }
        let own = spec.axes.iter().enumerate();
        let own: Vec<Option<Axis>> =
            own.map(|(index, axis)| Axis::new(axis, &format!("axes[{index}]"), &mut wrong)).collect();
        let hardware = bases(Part::Hardware, spec, request, &mut wrong);
        let networks = bases(Part::Network, spec, request, &mut wrong);
        check_twice(spec, &own, [&hardware, &networks], &mut wrong);
        for (index, axis) in own.iter().enumerate() {
            if let Some(axis) = axis {
                check_axis(axis, &format!("axes[{index}]"), [&hardware, &networks], &mut wrong);
            }
        }
        axes.extend(own.into_iter().flatten());
        let mut settings = schedule::default_settings();
        for (field, value) in &spec.schedule {
            note(&mut wrong, format!("schedule.{field}"), schedule::set(&mut settings, field, value));
        }
        let constraints: Vec<Constraint> = spec
            .constraints
            .iter()
            .enumerate()
            .filter_map(|(index, text)| {
                note(&mut wrong, item("constraints", index, spec.constraints.len()), Constraint::parse(text))
            })
            .collect();
        let mut quantities = |field: &str, names: &[String], default: &[Quantity]| -> Vec<Quantity> {
            let read = names
                .iter()
                .enumerate()
                .filter_map(|(index, name)| note(&mut wrong, item(field, index, names.len()), parse_quantity(name)));
            let read: Vec<Quantity> = read.collect();
            if names.is_empty() { default.to_vec() } else { read }
        };
        let usual = [Quantity::Energy, Quantity::Latency];
        let objectives = quantities("objectives", &spec.objectives, &usual);
        let mut recorded = quantities("record", &spec.record, &usual);
        for quantity in objectives.iter().copied().chain(constraints.iter().map(|bound| bound.quantity)) {
            if !recorded.contains(&quantity) {
                recorded.push(quantity);
            }
        }
        let study = Self {
            request: request.clone(),
            spec: spec.clone(),
            axes,
            quantities: recorded,
            constraints,
            objectives,
            hardware,
            networks,
            settings,
        };
        study.check_count(&mut wrong);
        wrong.or(study)
    }

    fn check_count(&self, wrong: &mut Diagnostics) {
        let designs = self.axes.iter().try_fold(1u64, |all, axis| all.checked_mul(axis.values.len() as u64));
        if designs.is_none_or(|designs| designs > MOST_DESIGNS) {
            let reason = format!("All combinations of values are more than {MOST_DESIGNS}");
            wrong.add("axes", reason, "Leave out values, or axes");
        }
        if let SamplingSpec::Sobol(_) = self.spec.sampling
            && self.axes.len() > MOST_SOBOL_AXES
        {
            let reason = format!("{} axes are more than the {MOST_SOBOL_AXES} of a Sobol sequence", self.axes.len());
            wrong.add("sampling", reason, "Tie some axes together");
        }
    }

    /// Combinations of values in all.
    pub fn combinations(&self) -> u64 {
        self.axes.iter().map(|axis| axis.values.len() as u64).product()
    }

    /// Designs that the study looks at; where it refines a front, at the most.
    pub fn designs(&self) -> u64 {
        match self.spec.sampling {
            SamplingSpec::Grid => self.combinations(),
            SamplingSpec::Sobol(designs) => designs,
            SamplingSpec::Refine(designs) => designs.min(self.combinations()),
        }
    }

    /// Which value each axis has in a combination, by its number: the last axis varies fastest.
    pub fn coordinates(&self, mut combination: u64) -> Vec<u32> {
        let mut coordinates = vec![0; self.axes.len()];
        for (coordinate, axis) in coordinates.iter_mut().zip(&self.axes).rev() {
            let values = (axis.values.len() as u64).max(1);
            *coordinate = (combination % values) as u32;
            combination /= values;
        }
        coordinates
    }

    /// The number of a combination.
    pub fn combination(&self, coordinates: &[u32]) -> u64 {
        let place = |all: u64, (axis, &at): (&Axis, &u32)| all * axis.values.len() as u64 + u64::from(at);
        self.axes.iter().zip(coordinates).fold(0, place)
    }

    /// Every value that a design writes, with what it writes to.
    pub(super) fn values<'a>(&'a self, coordinates: &'a [u32]) -> impl Iterator<Item = (&'a Target, &'a AxisValue)> {
        self.axes.iter().zip(coordinates).flat_map(|(axis, &at)| {
            let values = axis.values.get(at as usize).map(Vec::as_slice).unwrap_or_default();
            axis.targets.iter().zip(values)
        })
    }

    /// The text of one document of a design.
    ///
    /// # Errors
    /// A value that cannot be written.
    pub fn document(&self, part: Part, coordinates: &[u32]) -> Result<String, Diagnostics> {
        let bases = if part == Part::Network { &self.networks } else { &self.hardware };
        let of_part = || self.values(coordinates).filter(|(target, _)| target.part == part);
        let name = of_part().find(|(target, _)| target.path.is_empty()).map(|(_, value)| value.text());
        let base = match name {
            Some(name) => bases.iter().find(|base| base.name == name),
            None => bases.first(),
        };
        let Some(base) = base else {
            let mut wrong = Diagnostics::default();
            wrong.add(part.name(), "There is no such document", "Name one that the study knows");
            return Err(wrong);
        };
        let mut outline = None;
        for (target, value) in of_part().filter(|(target, _)| !target.path.is_empty()) {
            let written = write(outline.as_ref().unwrap_or(&base.outline), &target.path, value);
            outline = Some(written.map_err(|(reason, remedy)| {
                let mut wrong = Diagnostics::default();
                wrong.add(format!("{}.{}", part.name(), target.path), reason, remedy);
                wrong
            })?);
        }
        Ok(outline.map_or_else(|| base.outline.text().to_owned(), Outline::into_text))
    }

    /// How a design is scheduled.
    ///
    /// # Errors
    /// A value that makes no sense there; validation refuses such.
    pub fn settings(&self, coordinates: &[u32]) -> Result<Settings, Diagnostics> {
        let mut settings = self.settings.clone();
        let mut wrong = Diagnostics::default();
        for (target, value) in self.values(coordinates).filter(|(target, _)| target.part == Part::Schedule) {
            let path = format!("schedule.{}", target.path);
            note(&mut wrong, path, schedule::set(&mut settings, &target.path, value));
        }
        wrong.or(settings)
    }
}

fn write(outline: &Outline, path: &str, value: &AxisValue) -> Result<Outline, (String, String)> {
    let path = resolve(outline, path)?;
    let written = match value {
        AxisValue::Single(text) => outline.write(&path, text),
        AxisValue::Flow(yaml) => outline.put(&path, yaml),
    };
    let remedy = "Name a single value of a document that is written as documents usually are";
    written.ok_or_else(|| (format!("`{}` cannot be written at `{path}`", value.text()), remedy.to_owned()))
}

/// Which values of an axis are whole documents of this kind.
fn whole(axis: &Axis, part: Part) -> impl Iterator<Item = (usize, &Target)> {
    axis.targets.iter().enumerate().filter(move |(_, target)| target.part == part && target.path.is_empty())
}

/// Notes what is wrong, if anything is.
fn note<T>(wrong: &mut Diagnostics, path: String, result: Result<T, (String, String)>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err((reason, remedy)) => {
            wrong.add(path, reason, remedy);
            None
        }
    }
}

/// The path of an item that may be written without brackets where it is the only one.
fn item(field: &str, index: usize, count: usize) -> String {
    if count > 1 { format!("{field}[{index}]") } else { field.to_owned() }
}

/// What varies twice, or varies and is stated.
fn check_twice(spec: &StudySpec, axes: &[Option<Axis>], [hardware, networks]: [&[Base]; 2], wrong: &mut Diagnostics) {
    let mut seen: Vec<(Part, String)> = Vec::new();
    // One place may be written in several ways.
    let place = |target: &Target| {
        let bases = if target.part == Part::Network { networks } else { hardware };
        let path = bases.first().and_then(|base| resolve(&base.outline, &target.path).ok());
        (target.part, path.filter(|_| target.part != Part::Schedule).unwrap_or_else(|| target.path.clone()))
    };
    for (index, axis) in axes.iter().enumerate() {
        for (at, target) in axis.iter().flat_map(|axis| axis.targets.iter().enumerate()) {
            let path = format!("axes[{index}].vary");
            let tied = axis.as_ref().is_some_and(|axis| axis.targets.len() > 1);
            let path = if tied { format!("{path}[{at}]") } else { path };
            let dot = if target.path.is_empty() { "" } else { "." };
            let name = format!("{}{dot}{}", target.part.name(), target.path);
            if seen.contains(&place(target)) {
                wrong.add(path, format!("`{name}` varies twice"), "Keep one of them");
            } else if target.path.is_empty()
                && ((target.part == Part::Hardware && !spec.hardware.is_empty())
                    || (target.part == Part::Network && !spec.network.is_empty()))
            {
                wrong.add(path, format!("`{name}` is stated, and varies"), format!("Leave out the field `{name}`"));
            }
            seen.push(place(target));
        }
    }
}

/// The base documents of a kind, as far as they are right.
fn bases(part: Part, spec: &StudySpec, request: &StudyRequest, wrong: &mut Diagnostics) -> Vec<Base> {
    let (stated, texts) = match part {
        Part::Network => (&spec.network, &request.networks),
        _ => (&spec.hardware, &request.hardware),
    };
    let mut names: Vec<(String, String)> = Vec::new();
    for (index, name) in stated.iter().enumerate() {
        names.push((item(part.name(), index, stated.len()), name.clone()));
    }
    let axes = spec.axes.iter().enumerate();
    for (index, axis) in
        axes.filter_map(|(index, axis)| Some((index, Axis::new(axis, "", &mut Diagnostics::default())?)))
    {
        for (target, _) in whole(&axis, part) {
            for (value, values) in axis.values.iter().enumerate() {
                names.push((format!("axes[{index}].values[{value}]"), values[target].text().to_owned()));
            }
        }
    }
    let mut bases: Vec<Base> = Vec::new();
    for (path, name) in names {
        if bases.iter().any(|base| base.name == name) {
            continue;
        }
        let Some((_, text)) = texts.iter().find(|(known, _)| *known == name) else {
            wrong.add(path, format!("There is no document `{name}`"), "Name a preset or a file");
            continue;
        };
        let found = match part {
            Part::Network => Network::from_text(text).err(),
            _ => Core::from_text(text).err(),
        };
        if let Some(found) = found {
            let count = found.0.len();
            let first = found.0.first().map(ToString::to_string).unwrap_or_default();
            let more = if count > 1 { format!(" (and {} problems more)", count - 1) } else { String::new() };
            wrong.add(path, format!("`{name}` is wrong: {first}{more}"), format!("Correct `{name}`"));
            continue;
        }
        match Outline::read(text) {
            Ok(outline) => bases.push(Base { name, outline }),
            Err(found) => wrong.0.extend(found.under(&path).0),
        }
    }
    bases
}

/// Every path leads somewhere in each base document, and every value can be written there and read.
fn check_axis(axis: &Axis, path: &str, [hardware, networks]: [&[Base]; 2], wrong: &mut Diagnostics) {
    for (index, target) in axis.targets.iter().enumerate() {
        let vary = if axis.targets.len() > 1 { format!("{path}.vary[{index}]") } else { format!("{path}.vary") };
        let of_value = |at: usize| match axis.values.len() {
            _ if axis.targets.len() > 1 => format!("{path}.values[{at}][{index}]"),
            _ => format!("{path}.values[{at}]"),
        };
        if target.part == Part::Schedule {
            for (at, value) in axis.values.iter().enumerate() {
                note(
                    wrong,
                    of_value(at),
                    schedule::set(&mut schedule::default_settings(), &target.path, &value[index]),
                );
            }
            continue;
        }
        if target.path.is_empty() {
            continue;
        }
        let bases = if target.part == Part::Network { networks } else { hardware };
        let mut leads = true;
        for base in bases {
            if let Err((reason, remedy)) = resolve(&base.outline, &target.path) {
                let reason = if bases.len() > 1 { format!("{reason} of `{}`", base.name) } else { reason };
                wrong.add(vary.clone(), reason, remedy);
                leads = false;
                break;
            }
        }
        let Some(base) = bases.first().filter(|_| leads) else { continue };
        for at in axis.checked(index) {
            let value = &axis.values[at];
            if wrong.is_full() {
                return;
            }
            let checked = write(&base.outline, &target.path, &value[index]).and_then(|written| {
                // A value may need others to change with it: only what cannot be read is wrong by itself.
                let path = resolve(&base.outline, &target.path)?;
                match mistakes_of(target.part, written.text()).0.into_iter().find(|found| found.path.starts_with(&path))
                {
                    Some(found) => Err((found.reason, found.remedy)),
                    None => Ok(()),
                }
            });
            note(wrong, of_value(at), checked);
        }
    }
}

fn mistakes_of(part: Part, text: &str) -> Diagnostics {
    match part {
        Part::Network => read_workload(text).1,
        _ => read_hardware(text).1,
    }
}
