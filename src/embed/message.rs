//! Messages between a host page and an embedded view: objects whose field `fusescape` is 1. Incoming messages are
//! untrusted: they are read as bounded JSON, and answered with all their errors.

use super::options::EmbedView;
use fusescape_engine::hardware::Core;
use fusescape_engine::workload::Network;
use fusescape_lesson::LessonSource;
use fusescape_link::{from_link, to_link};
use fusescape_spec::{Diagnostics, find_preset, lesson_presets};
use fusescape_state::{Action, Half, Metric, State, ViewField};
use serde_json::{Value, json};

/// Limit on the length of a message, bytes of JSON.
const LONGEST: usize = 4 << 20;
/// Limit on the length of a document in a message, bytes.
const LONGEST_DOCUMENT: usize = 1 << 20;
/// Limit on the errors in an answer.
const MOST_ERRORS: usize = 100;
/// Limit on the length of an `id`, characters.
const LONGEST_ID: usize = 64;
const FIELDS: [&str; 10] =
    ["fusescape", "type", "id", "link", "hardware", "workload", "view", "metric", "lesson", "student"];
/// Limit on the length of a student's name, characters.
const LONGEST_STUDENT: usize = 200;
const METRICS: [(&str, Metric); 5] = [
    ("energy", Metric::Energy),
    ("latency", Metric::Latency),
    ("edp", Metric::EnergyDelay),
    ("dram-accesses", Metric::DramAccesses),
    ("macs", Metric::Macs),
];

/// The reaction to a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Reaction {
    /// The message is not for us.
    Ignore,
    /// Report the state, with this `id`.
    Tell(Value),
    /// Show another state, perhaps in another view, then report it with this `id`.
    Show(Box<State>, Option<EmbedView>, Value),
    /// Report the errors of the message.
    Refuse(Value),
}

/// The reaction to a message in JSON, while `state` is shown.
pub fn answer(text: &str, state: &State) -> Reaction {
    if text.len() > LONGEST {
        let mut wrong = Diagnostics::default();
        wrong.add("", format!("The message has more than {LONGEST} bytes"), "Send less");
        return Reaction::Refuse(refusal(&Value::Null, &wrong));
    }
    let Ok(Value::Object(message)) = serde_json::from_str::<Value>(text) else { return Reaction::Ignore };
    if message.get("fusescape").and_then(Value::as_u64) != Some(1) {
        return Reaction::Ignore;
    }
    let mut wrong = Diagnostics::default();
    let id = match message.get("id") {
        Some(Value::String(id)) if id.chars().count() <= LONGEST_ID => Value::String(id.clone()),
        Some(Value::Number(id)) => Value::Number(id.clone()),
        None | Some(Value::Null) => Value::Null,
        Some(_) => {
            wrong.add("id", "This cannot be sent back", format!("Use a number, or at most {LONGEST_ID} characters"));
            Value::Null
        }
    };
    for name in message.keys().filter(|name| !FIELDS.contains(&name.as_str())).take(16) {
        let name: String = name.chars().take(40).collect();
        wrong.add(name, "There is no such field", format!("Use {}", FIELDS.join(", ")));
    }
    let answer = match message.get("type").and_then(Value::as_str) {
        Some("get") => Reaction::Tell(id.clone()),
        Some("set") => {
            let (next, view) = changed_by(&message, state, &mut wrong);
            Reaction::Show(Box::new(next), view, id.clone())
        }
        _ => {
            wrong.add("type", "This is no type of message", "Use `get` or `set`");
            Reaction::Ignore
        }
    };
    if wrong.is_empty() { answer } else { Reaction::Refuse(refusal(&id, &wrong)) }
}

/// The state that a message asks for: first its link, then its other fields.
fn changed_by(
    message: &serde_json::Map<String, Value>,
    state: &State,
    wrong: &mut Diagnostics,
) -> (State, Option<EmbedView>) {
    let mut next = state.clone();
    let text = |name: &'static str, wrong: &mut Diagnostics| match message.get(name) {
        None => None,
        Some(Value::String(text)) => Some(text.as_str()),
        Some(_) => {
            wrong.add(name, "This is no text", "Send a string");
            None
        }
    };
    if let Some(link) = text("link", wrong) {
        match from_link(link) {
            Ok(linked) => next = linked,
            Err(found) => wrong.0.extend(found.0),
        }
    }
    for half in [Half::Hardware, Half::Workload] {
        let Some(document) = text(half.name(), wrong) else { continue };
        // Also if the text comes back from a host that was sent it.
        if let Some(preset) = half.presets().iter().find(|preset| preset.text == document) {
            next.apply(Action::PickPreset(half, preset));
        } else if document.len() > LONGEST_DOCUMENT {
            wrong.add(
                half.name(),
                format!("The document has more than {LONGEST_DOCUMENT} bytes"),
                "Send a smaller one",
            );
        } else if document.contains('\n') || document.contains('{') {
            let found = match half {
                Half::Hardware => Core::from_text(document).err(),
                Half::Workload => Network::from_text(document).err(),
            };
            wrong.0.append(&mut found.unwrap_or_default().under(half.name()).0);
            next.apply(Action::Take(half, document.to_owned()));
        } else {
            match find_preset(half.presets(), document) {
                Ok(preset) => next.apply(Action::PickPreset(half, preset)),
                Err(found) => wrong.0.extend(found.0.into_iter().map(|found| fusescape_spec::Diagnostic {
                    path: half.name().to_owned(),
                    reason: found.reason.chars().take(200).collect(),
                    ..found
                })),
            }
        }
    }
    let student = text("student", wrong);
    if student.is_some_and(|student| student.chars().count() > LONGEST_STUDENT) {
        wrong.add("student", format!("This has more than {LONGEST_STUDENT} characters"), "Send a shorter name");
    }
    let lesson = text("lesson", wrong);
    if lesson.is_some() || student.is_some() {
        begin_lesson(lesson, student, &mut next, wrong);
    }
    if let Some(name) = text("metric", wrong) {
        match METRICS.iter().find(|(other, _)| *other == name) {
            Some((_, metric)) => next.apply(Action::Look(ViewField::Metric(*metric))),
            None => wrong.add(
                "metric",
                "There is no such number",
                format!("Use {}", METRICS.map(|(name, _)| name).join(", ")),
            ),
        }
    }
    let view = text("view", wrong).and_then(|name| {
        let found = EmbedView::ALL.iter().find(|(_, other, _)| *other == name).map(|(view, ..)| *view);
        if found.is_none() {
            let names = EmbedView::ALL.map(|(_, name, _)| name).join(", ");
            wrong.add("view", "There is no such view", format!("Use {names}"));
        }
        found
    });
    if let Some(view) = view {
        next.apply(Action::Look(ViewField::Tab(view.tab())));
    }
    (next, view)
}

/// Opens a lesson at its first step, or the open one for another student.
fn begin_lesson(lesson: Option<&str>, student: Option<&str>, next: &mut State, wrong: &mut Diagnostics) {
    let mut open = next.lesson.as_deref().cloned().unwrap_or_default();
    (open.step, open.values) = (0, Vec::new());
    if let Some(student) = student {
        student.trim().clone_into(&mut open.student);
    }
    match lesson {
        Some(text) if text.len() > LONGEST_DOCUMENT => {
            let reason = format!("The document has more than {LONGEST_DOCUMENT} bytes");
            return wrong.add("lesson", reason, "Send a smaller one");
        }
        Some(text) if text.contains('\n') => open.source = LessonSource::Text(text.to_owned()),
        Some(name) => match find_preset(lesson_presets(), name) {
            Ok(preset) => open.source = LessonSource::Preset(preset.id.to_owned()),
            Err(found) => {
                return wrong.0.extend(found.0.into_iter().map(|found| fusescape_spec::Diagnostic {
                    path: "lesson".to_owned(),
                    reason: found.reason.chars().take(200).collect(),
                    ..found
                }));
            }
        },
        None if next.lesson.is_none() => return wrong.add("student", "No lesson is open", "Send `lesson`, too"),
        None => {}
    }
    match open.lesson() {
        Ok(mut lesson) => {
            let step = lesson.steps.swap_remove(0);
            next.apply(Action::step(open, step.opens, next));
        }
        Err(found) => wrong.0.append(&mut found.under("lesson").0),
    }
}

/// Message: answers to a step of a lesson were judged.
pub fn answered(news: Value) -> Value {
    let mut message = json!({ "fusescape": 1, "type": "answered" });
    if let (Some(message), Value::Object(news)) = (message.as_object_mut(), news) {
        message.extend(news);
    }
    message
}

/// The first message: the view is ready.
pub fn ready(state: &State, view: EmbedView) -> Value {
    json!({ "fusescape": 1, "type": "ready", "view": view.name(), "link": to_link(state) })
}

/// Message: the state has changed.
pub fn changed(state: &State, view: EmbedView, results: Value) -> Value {
    json!({ "fusescape": 1, "type": "changed", "view": view.name(), "link": to_link(state), "results": results })
}

/// Message: the height of the content, CSS pixels.
pub fn resize(height: f64) -> Value {
    json!({ "fusescape": 1, "type": "resize", "height": height.ceil() })
}

/// The state, as the answer to the message with this `id`.
pub fn state_of(state: &State, view: EmbedView, results: Value, id: &Value) -> Value {
    json!({
        "fusescape": 1,
        "type": "state",
        "id": id,
        "view": view.name(),
        "link": to_link(state),
        "hardware": state.design.hardware.text,
        "workload": state.design.workload.text,
        "results": results,
    })
}

/// All errors of the message with this `id`.
pub fn refusal(id: &Value, wrong: &Diagnostics) -> Value {
    json!({ "fusescape": 1, "type": "error", "id": id, "errors": listed(wrong) })
}

/// Diagnostics as a list for the host.
pub fn listed(wrong: &Diagnostics) -> Value {
    let listed = wrong.0.iter().take(MOST_ERRORS).map(
        |wrong| json!({ "place": wrong.path, "line": wrong.line, "reason": wrong.reason, "remedy": wrong.remedy }),
    );
    listed.collect()
}
