//! A validated study: its base documents, axes, quantities and constraints.

use super::axis::{PathRoot, StudyAxis, Target, resolve};
use super::constraint::{Constraint, of_another_kind, parse_quantity};
use super::quantity::DesignQuantity;
use super::schedule::{DesignSchedule, TiledSchedule};
use crate::hardware::Core;
use crate::multicore::CoresProblem;
use crate::spec::edit::Outline;
use crate::spec::{
    AxisValue, Consequences, CoreHardware, Diagnostic, Diagnostics, SamplingSpec, StudySpec, hardware_presets,
    read_hardware, read_study, read_system, read_workload,
};
use crate::system::CoreSystem;
use crate::workload::Network;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// Limit on the designs: larger numbers cannot be distinguished in result files.
const MOST_DESIGNS: u64 = 1 << 50;
/// Dimensions of the Sobol sequence.
const MOST_SOBOL_AXES: usize = sobol_burley::NUM_DIMENSIONS as usize;

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[("axes[*].vary", &["axes[*].vary"])];

/// Everything that a study depends on, in one value that can be sent to any process: its document, and the texts that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StudyRequest {
    /// The study document.
    pub text: String,
    /// Hardware documents by the names that it uses.
    pub hardware: Vec<(String, String)>,
    /// Networks by the names that it uses.
    pub networks: Vec<(String, String)>,
    /// Systems of many cores by the names that it uses.
    #[serde(default)]
    pub systems: Vec<(String, String)>,
}

impl StudyRequest {
    /// The names of the documents of each kind that a study document uses, each once; kinds as in
    /// [`PathRoot::DOCUMENTS`].
    pub fn names(text: &str) -> [Vec<String>; 3] {
        let (spec, _) = read_study(text).both();
        PathRoot::DOCUMENTS.map(|part| {
            let mut names = stated(&spec, part).to_vec();
            for axis in spec.axes.iter().filter_map(|axis| StudyAxis::new(axis, "", &mut Diagnostics::default())) {
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
        // Byte by byte, as the key is written in files, which any machine reads: each text after its length.
        let mut write = |text: &str| {
            hasher.write(&(text.len() as u64).to_le_bytes());
            hasher.write(text.as_bytes());
        };
        write(&self.text);
        // Studies of single cores keep the keys that they had before there were systems.
        let systems = Some(&self.systems).filter(|systems| !systems.is_empty());
        for documents in [&self.hardware, &self.networks].into_iter().chain(systems) {
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
pub struct DesignSpace {
    /// The request of which it was made.
    pub request: StudyRequest,
    /// The study document.
    pub spec: StudySpec,
    /// All axes, those of base documents first; the last varies fastest.
    pub axes: Vec<StudyAxis>,
    /// The quantities that are recorded, each once.
    pub quantities: Vec<DesignQuantity>,
    /// The bounds that designs have to keep.
    pub constraints: Vec<Constraint>,
    /// The quantities of the Pareto front.
    pub objectives: Vec<DesignQuantity>,
    /// Base documents, by kind as in [`PathRoot::DOCUMENTS`].
    bases: [Vec<Base>; 3],
    schedule: DesignSchedule,
}

/// A base document.
struct Base {
    name: String,
    outline: Outline,
}

impl DesignSpace {
    /// Validates a study.
    ///
    /// # Errors
    /// Everything that is wrong with it, and with the documents that it names, at the place where it names them.
    pub fn new(request: StudyRequest) -> Result<Self, Diagnostics> {
        read_study(&request.text).validated(&request.text, CONSEQUENCES, |spec| Self::validated(&spec, &request))
    }

    fn validated(spec: &StudySpec, request: &StudyRequest) -> Result<Self, Diagnostics> {
        let mut wrong = Diagnostics::default();
        let mut axes = Vec::new();
        for part in PathRoot::DOCUMENTS {
            let names = stated(spec, part);
            if names.len() > 1 {
                let value = |name: &String| vec![AxisValue::Single(name.clone())];
                let target = Target { part, path: String::new() };
                let values = names.iter().map(value).collect();
                axes.push(StudyAxis { names: vec![part.name().to_owned()], targets: vec![target], values });
            }
        }
        let own = spec.axes.iter().enumerate();
        let own: Vec<Option<StudyAxis>> =
            own.map(|(index, axis)| StudyAxis::new(axis, &format!("axes[{index}]"), &mut wrong)).collect();
        let bases = PathRoot::DOCUMENTS.map(|part| bases(part, spec, request, &mut wrong));
        check_twice(spec, &own, &bases, &mut wrong);
        let mut schedule = DesignSchedule::usual(spec.has_system());
        for (index, axis) in own.iter().enumerate() {
            if let Some(axis) = axis {
                check_axis(axis, &format!("axes[{index}]"), &bases, &schedule, &mut wrong);
            }
        }
        for (field, value) in &spec.schedule {
            note(&mut wrong, format!("schedule.{field}"), schedule.set(field, value));
        }
        if spec.has_system() {
            check_beside(spec, &own, &bases, &mut wrong);
            check_tiles(request, &own, &bases, &schedule, &mut wrong);
        }
        axes.extend(own.into_iter().flatten());
        let constraints: Vec<Constraint> = spec
            .constraints
            .iter()
            .enumerate()
            .filter_map(|(index, text)| {
                note(&mut wrong, item("constraints", index, spec.constraints.len()), Constraint::parse(text))
            })
            .collect();
        let suited = |quantity: DesignQuantity| match quantity.is_of(spec.has_system()) {
            true => Ok(quantity),
            false => Err(of_another_kind(quantity, spec.has_system())),
        };
        for (index, bound) in constraints.iter().enumerate() {
            note(&mut wrong, item("constraints", index, spec.constraints.len()), suited(bound.quantity));
        }
        let mut quantities = |field: &str, names: &[String], default: &[DesignQuantity]| -> Vec<DesignQuantity> {
            let read = names.iter().enumerate().filter_map(|(index, name)| {
                note(&mut wrong, item(field, index, names.len()), parse_quantity(name).and_then(suited))
            });
            let read: Vec<DesignQuantity> = read.collect();
            if names.is_empty() { default.to_vec() } else { read }
        };
        let usual = [DesignQuantity::Energy, DesignQuantity::Latency];
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
            bases,
            schedule,
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
        let place = |all: u64, (axis, &at): (&StudyAxis, &u32)| all * axis.values.len() as u64 + u64::from(at);
        self.axes.iter().zip(coordinates).fold(0, place)
    }

    /// Every value that a design writes, with its target.
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
    pub fn document(&self, part: PathRoot, coordinates: &[u32]) -> Result<String, Diagnostics> {
        let bases = of_kind(&self.bases, part);
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
    pub fn schedule(&self, coordinates: &[u32]) -> Result<DesignSchedule, Diagnostics> {
        let mut schedule = self.schedule.clone();
        let mut wrong = Diagnostics::default();
        for (target, value) in self.values(coordinates).filter(|(target, _)| target.part == PathRoot::Schedule) {
            let path = format!("schedule.{}", target.path);
            note(&mut wrong, path, schedule.set(&target.path, value));
        }
        wrong.or(schedule)
    }

    /// Whether its designs have a document of this kind: of hardware none where systems say all of their cores.
    pub fn has(&self, part: PathRoot) -> bool {
        !of_kind(&self.bases, part).is_empty()
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

/// The documents of a kind that a study states.
fn stated(spec: &StudySpec, part: PathRoot) -> &[String] {
    match part {
        PathRoot::Hardware => &spec.hardware,
        PathRoot::Network => &spec.network,
        PathRoot::System => &spec.system,
        PathRoot::Schedule => &[],
    }
}

/// The base documents of a kind, of those of all kinds.
fn of_kind(bases: &[Vec<Base>; 3], part: PathRoot) -> &[Base] {
    let place = PathRoot::DOCUMENTS.iter().position(|known| *known == part);
    place.map_or(&[], |place| &bases[place])
}

/// Which values of an axis are whole documents of this kind.
fn whole(axis: &StudyAxis, part: PathRoot) -> impl Iterator<Item = (usize, &Target)> {
    axis.targets.iter().enumerate().filter(move |(_, target)| target.part == part && target.path.is_empty())
}

/// Notes the mistake, if there is one.
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

/// Fields that vary twice, or vary and are stated.
fn check_twice(spec: &StudySpec, axes: &[Option<StudyAxis>], bases: &[Vec<Base>; 3], wrong: &mut Diagnostics) {
    let mut seen: Vec<(PathRoot, String)> = Vec::new();
    // One place may be written in several ways.
    let place = |target: &Target| {
        let path = of_kind(bases, target.part).first().and_then(|base| resolve(&base.outline, &target.path).ok());
        (target.part, path.filter(|_| target.part != PathRoot::Schedule).unwrap_or_else(|| target.path.clone()))
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
            } else if target.path.is_empty() && !stated(spec, target.part).is_empty() {
                wrong.add(path, format!("`{name}` is stated, and varies"), format!("Leave out the field `{name}`"));
            }
            seen.push(place(target));
        }
    }
}

/// The base documents of a kind, as far as they are right.
fn bases(part: PathRoot, spec: &StudySpec, request: &StudyRequest, wrong: &mut Diagnostics) -> Vec<Base> {
    let texts = match part {
        PathRoot::Hardware | PathRoot::Schedule => &request.hardware,
        PathRoot::Network => &request.networks,
        PathRoot::System => &request.systems,
    };
    let stated = stated(spec, part);
    let mut names: Vec<(String, String)> = Vec::new();
    for (index, name) in stated.iter().enumerate() {
        names.push((item(part.name(), index, stated.len()), name.clone()));
    }
    let axes = spec.axes.iter().enumerate();
    for (index, axis) in
        axes.filter_map(|(index, axis)| Some((index, StudyAxis::new(axis, "", &mut Diagnostics::default())?)))
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
        let found = mistakes_of(part, text, request);
        if !found.is_empty() {
            for Diagnostic { path: within, line, reason, remedy, .. } in found.0 {
                let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
                let comma = if within.is_empty() { "" } else { ", " };
                wrong.add(path.clone(), format!("In `{name}`{line}{comma}{within}: {reason}"), remedy);
            }
            continue;
        }
        match Outline::read(text) {
            Ok(outline) => bases.push(Base { name, outline }),
            Err(found) => wrong.0.extend(found.under(&path).0),
        }
    }
    bases
}

/// All that is wrong with a base document.
fn mistakes_of(part: PathRoot, text: &str, request: &StudyRequest) -> Diagnostics {
    let found = match part {
        PathRoot::Hardware | PathRoot::Schedule => Core::from_text(text).err(),
        PathRoot::Network => Network::from_text(text).err(),
        PathRoot::System => system_of(text, request).err(),
    };
    found.unwrap_or_default()
}

/// A base system. The hardware document beside it is validated separately.
fn system_of(text: &str, request: &StudyRequest) -> Result<CoreSystem, Diagnostics> {
    let known = request.hardware.iter().map(|(_, text)| text.as_str());
    let mut known = known.chain(hardware_presets().first().map(|preset| preset.text));
    let beside = known.find(|text| Core::from_text(text).is_ok());
    CoreSystem::from_text(text, beside.unwrap_or_default())
}

/// Whether a core of a system is described by the hardware document beside it.
fn takes_beside(text: &str) -> bool {
    read_system(text).both().0.cores.iter().any(|core| core.hardware == CoreHardware::Beside)
}

/// Systems have the hardware document that they need, and hardware that varies is that of some core.
fn check_beside(spec: &StudySpec, axes: &[Option<StudyAxis>], bases: &[Vec<Base>; 3], wrong: &mut Diagnostics) {
    let systems = of_kind(bases, PathRoot::System);
    let takes = systems.iter().find(|system| takes_beside(system.outline.text()));
    let axes = axes.iter().enumerate().filter_map(|(index, axis)| Some((index, axis.as_ref()?)));
    let mut varied = axes.filter(|(_, axis)| axis.targets.iter().any(|target| target.part == PathRoot::Hardware));
    match takes {
        Some(system) if spec.hardware.is_empty() && !spec.axes.iter().any(|axis| axis.varies("hardware")) => {
            let reason = format!("Cores of `{}` are those of a hardware document, and none is named", system.name);
            wrong.add("hardware", reason, "Write for example `hardware: tpu-like`");
        }
        None if !systems.is_empty() => {
            let several = (spec.hardware.len() > 1).then(|| "hardware".to_owned());
            let path = several.or_else(|| varied.next().map(|(index, _)| format!("axes[{index}].vary")));
            if let Some(path) = path {
                let reason = "The systems say themselves what all of their cores are";
                wrong.add(path, reason, "Vary `system.cores.0.hardware`, or leave it out");
            }
        }
        _ => {}
    }
}

/// Tile sizes and stacks of systems make sense for every network, stated ones and those of axes.
fn check_tiles(
    request: &StudyRequest,
    axes: &[Option<StudyAxis>],
    bases: &[Vec<Base>; 3],
    schedule: &DesignSchedule,
    wrong: &mut Diagnostics,
) {
    let Some(Ok(system)) = of_kind(bases, PathRoot::System).first().map(|base| system_of(base.outline.text(), request))
    else {
        return;
    };
    let networks = of_kind(bases, PathRoot::Network).iter().map(|base| Network::from_text(base.outline.text()));
    let networks: Vec<Network> = networks.filter_map(Result::ok).collect();
    let mut check = |schedule: &DesignSchedule, place: &dyn Fn(&str) -> String| {
        let DesignSchedule::OnCores(TiledSchedule { settings, .. }) = schedule else { return };
        for network in &networks {
            for found in CoresProblem::check_settings(network.clone(), &system, settings).0 {
                let path = match found.path.strip_prefix("settings.") {
                    Some("granularity" | "tiles") => place("tiles"),
                    Some(field) => place(field),
                    None => "system".to_owned(),
                };
                let is_known = wrong.0.iter().any(|known| known.path == path && known.reason == found.reason);
                if !is_known && !wrong.is_full() {
                    wrong.add(path, found.reason, found.remedy);
                }
            }
        }
    };
    check(schedule, &|field| format!("schedule.{field}"));
    for (index, axis) in axes.iter().enumerate() {
        let Some(axis) = axis else { continue };
        for (at, target) in axis.targets.iter().enumerate() {
            for (number, value) in axis.values.iter().enumerate() {
                let mut schedule = schedule.clone();
                if target.part == PathRoot::Schedule && schedule.set(&target.path, &value[at]).is_ok() {
                    check(&schedule, &|_| format!("axes[{index}].values[{number}]"));
                }
            }
        }
    }
}

/// Every path leads somewhere in each base document, and every value can be written there and read.
fn check_axis(
    axis: &StudyAxis,
    path: &str,
    bases: &[Vec<Base>; 3],
    schedule: &DesignSchedule,
    wrong: &mut Diagnostics,
) {
    let is_on_cores = matches!(schedule, DesignSchedule::OnCores(_));
    for (index, target) in axis.targets.iter().enumerate() {
        let vary = if axis.targets.len() > 1 { format!("{path}.vary[{index}]") } else { format!("{path}.vary") };
        let of_value = |at: usize| match axis.values.len() {
            _ if axis.targets.len() > 1 => format!("{path}.values[{at}][{index}]"),
            _ => format!("{path}.values[{at}]"),
        };
        if target.part == PathRoot::Schedule {
            for (at, value) in axis.values.iter().enumerate() {
                note(wrong, of_value(at), schedule.clone().set(&target.path, &value[index]));
            }
            continue;
        }
        if target.path.is_empty() {
            continue;
        }
        let bases = of_kind(bases, target.part);
        if target.part == PathRoot::System && !is_on_cores {
            let remedy = "Write for example `system: tpu-quad`";
            wrong.add(vary.clone(), "The study names no system", remedy);
        }
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
                // A value may need others to change with it: alone it is wrong only if it cannot be read.
                let path = resolve(&base.outline, &target.path)?;
                match unreadable(target.part, written.text()).0.into_iter().find(|found| found.path.starts_with(&path))
                {
                    Some(found) => Err((found.reason, found.remedy)),
                    None => Ok(()),
                }
            });
            note(wrong, of_value(at), checked);
        }
    }
}

/// The parts of a document that cannot be read.
fn unreadable(part: PathRoot, text: &str) -> Diagnostics {
    match part {
        PathRoot::Hardware | PathRoot::Schedule => read_hardware(text).both().1,
        PathRoot::Network => read_workload(text).both().1,
        PathRoot::System => read_system(text).both().1,
    }
}
