//! Fields that edit a document in its text.

use super::controls::target;
use crate::form::{FieldTarget, Variable, repair, repair_title, variable_at};
use crate::spec::edit::{Outline, PathKey};
use crate::spec::{Diagnostic, Diagnostics};
use crate::state::{Action, Half, Renamed};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A document as a form: what it says, what is wrong with it, and who hears of edits.
#[derive(Clone)]
pub struct Form {
    /// Which document.
    pub half: Half,
    /// What it says.
    pub document: Rc<Outline>,
    wrong: Rc<Vec<(PathKey, Diagnostic)>>,
    pub(super) act: Callback<Action>,
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.half == other.half && self.document == other.document && self.wrong == other.wrong && self.act == other.act
    }
}

impl Form {
    /// A form of a document.
    pub fn new(half: Half, document: Rc<Outline>, diagnostics: &Diagnostics, act: &Callback<Action>) -> Self {
        let wrong = diagnostics.0.iter().map(|one| (document.key(&one.path), one.clone())).collect();
        Self { half, document, wrong: Rc::new(wrong), act: act.clone() }
    }

    /// What is wrong with what a path leads to, or with something in it.
    pub fn wrong_at(&self, path: &str) -> Vec<Diagnostic> {
        let key = self.document.key(path);
        self.wrong.iter().filter(|(place, _)| place.is_inside(&key)).map(|(_, one)| one.clone()).collect()
    }

    /// What is wrong with what a path leads to, but with these fields of it.
    pub fn wrong_besides(&self, path: &str, fields: &[&str]) -> Vec<Diagnostic> {
        let fields: Vec<String> = fields.iter().map(|field| format!("{path}.{field}")).collect();
        let outside = self.wrong_outside(&fields).0;
        self.wrong_at(path).into_iter().filter(|one| outside.contains(one)).collect()
    }

    /// What is wrong and belongs to none of these paths.
    pub fn wrong_outside(&self, paths: &[String]) -> Diagnostics {
        let keys: Vec<PathKey> = paths.iter().map(|path| self.document.key(path)).collect();
        let is_outside = |place: &PathKey| !keys.iter().any(|key| place.is_inside(key));
        Diagnostics(self.wrong.iter().filter(|(place, _)| is_outside(place)).map(|(_, one)| one.clone()).collect())
    }

    /// Takes an edit that is complete. One that cannot be made in place opens the text, where a person can make it.
    pub fn take(&self, edited: Option<Outline>) {
        self.act.emit(match edited {
            Some(next) => Action::Take(self.half, next.into_text()),
            None => Action::ShowText(self.half, true),
        });
    }

    /// The number at a path, if there is one, as studies name it.
    pub(super) fn variable_at(&self, path: &str) -> Option<Variable> {
        let part = if self.half == Half::Hardware { "hardware" } else { "network" };
        variable_at(part, &self.document, path)
    }

    /// A click that makes an edit.
    pub fn click(&self, edit: impl Fn(&Outline) -> Option<Outline> + 'static) -> Callback<MouseEvent> {
        let form = self.clone();
        Callback::from(move |_| form.take(edit(&form.document)))
    }

    /// Identifies a field of this document on the page.
    pub fn id_of(&self, testid: &str) -> String {
        format!("{}-{testid}", self.half.name())
    }

    /// Takes what was written in a field, if it can be written there.
    fn write(&self, place: &FieldTarget, text: &str) -> Option<Outline> {
        let next = place.write(&self.document, text)?;
        if next != *self.document {
            let text = next.text().to_owned();
            self.act.emit(match place {
                FieldTarget::Memory(_) | FieldTarget::Layer(_) => {
                    let (old, new) = (place.read(&self.document), place.read(&next));
                    Action::Rename(self.half, Renamed { text, old, new })
                }
                _ if place.is_name() => Action::Take(self.half, text),
                _ => Action::Fill(self.half, place.clone(), text),
            });
        }
        Some(next)
    }

    /// Takes what a value was dragged to, as a step of the drag of this number.
    pub fn drag(&self, place: &FieldTarget, number: u32, text: &str) {
        let next = place.write(&self.document, text).filter(|next| *next != *self.document);
        if let Some(next) = next {
            self.act.emit(Action::Drag(self.half, place.clone(), number, next.into_text()));
        }
    }

    /// The repair that a diagnostic proposes, as a click; `None` where it proposes none.
    pub fn repair(&self, diagnostic: &Diagnostic) -> Option<(String, Callback<MouseEvent>)> {
        let title = repair_title(diagnostic.fix.as_ref()?);
        repair(&self.document, diagnostic)?;
        let diagnostic = diagnostic.clone();
        Some((title, self.click(move |document| repair(document, &diagnostic))))
    }
}

/// Whose fields are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selected {
    /// Those of the whole: the PE array, the network.
    Whole,
    /// Those of one memory or layer.
    Part(usize),
}

/// Properties of [`CellField`].
#[derive(Properties, PartialEq)]
pub struct CellFieldProps {
    /// The document.
    pub form: Form,
    /// What the field stands for.
    pub place: FieldTarget,
    /// Its name, where none is beside it.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    /// What it means.
    #[prop_or_default]
    pub hint: AttrValue,
    /// What could stand there.
    #[prop_or_default]
    pub example: AttrValue,
    /// Identifies the text that says what is wrong with it, where there is one.
    #[prop_or_default]
    pub wrong_id: Option<AttrValue>,
    /// Told with every edit whether it could be written in the document.
    #[prop_or_default]
    pub on_written: Callback<bool>,
    /// Identifies the field in tests.
    pub testid: AttrValue,
}

/// A single value of a document, as a field without a name: in a table, or inside a [`FormField`](super::form_field::FormField).
#[component]
pub fn CellField(props: &CellFieldProps) -> Html {
    let CellFieldProps { form, place, .. } = props;
    let stands = place.read(&form.document);
    // What was typed, and what it became: blanks and commas at its end are not lost while more follows.
    let draft = use_state_eq(|| None::<(String, String)>);
    let shown = match &*draft {
        Some((typed, became)) if *became == stands => typed.clone(),
        _ => stands.clone(),
    };
    let is_wrong = !form.wrong_at(&place.path(&form.document)).is_empty();
    let edit = {
        let (form, place, on_written) = (form.clone(), place.clone(), props.on_written.clone());
        move |typed: &str| {
            let next = form.write(&place, typed);
            on_written.emit(next.is_some());
            next
        }
    };
    let oninput = {
        let (draft, edit, is_name) = (draft.clone(), edit.clone(), place.is_name());
        let place = place.clone();
        Callback::from(move |event: InputEvent| {
            let Some(typed) = target::<HtmlInputElement>(&event).map(|field| field.value()) else { return };
            let became = if is_name { Some(stands.clone()) } else { edit(&typed).map(|next| place.read(&next)) };
            draft.set(became.map(|became| (typed, became)));
        })
    };
    let onchange = {
        let (draft, is_name) = (draft, place.is_name());
        Callback::from(move |event: Event| {
            if let (true, Some(field)) = (is_name, target::<HtmlInputElement>(&event)) {
                edit(&field.value());
            }
            draft.set(None);
        })
    };
    html! {
        <input
            type="text"
            id={form.id_of(&props.testid)}
            value={shown}
            {oninput}
            {onchange}
            title={props.hint.clone()}
            placeholder={props.example.clone()}
            aria-label={props.label.clone()}
            aria-invalid={is_wrong.then_some("true")}
            aria-describedby={props.wrong_id.clone()}
            autocomplete="off"
            spellcheck="false"
            data-testid={props.testid.clone()}
        />
    }
}
