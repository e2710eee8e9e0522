//! Fields that edit a document in its text.

use super::controls::target;
use crate::form::{FieldTarget, Variable, repair, repair_title, variable_at};
use crate::spec::edit::{Outline, PathKey};
use crate::spec::{Diagnostic, Diagnostics};
use crate::state::{Action, Half, Renamed};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A document as a form: its values, its diagnostics, and the callback for edits.
#[derive(Clone)]
pub struct DocumentForm {
    pub half: Half,
    pub document: Rc<Outline>,
    wrong: Rc<Vec<(PathKey, Diagnostic)>>,
    pub(super) act: Callback<Action>,
}

impl PartialEq for DocumentForm {
    fn eq(&self, other: &Self) -> bool {
        self.half == other.half && self.document == other.document && self.wrong == other.wrong && self.act == other.act
    }
}

impl DocumentForm {
    pub fn new(half: Half, document: Rc<Outline>, diagnostics: &Diagnostics, act: &Callback<Action>) -> Self {
        let wrong = diagnostics.0.iter().map(|one| (document.key(&one.path), one.clone())).collect();
        Self { half, document, wrong: Rc::new(wrong), act: act.clone() }
    }

    /// Diagnostics at a path or below it.
    pub fn wrong_at(&self, path: &str) -> Vec<Diagnostic> {
        let key = self.document.key(path);
        self.wrong.iter().filter(|(place, _)| place.is_inside(&key)).map(|(_, one)| one.clone()).collect()
    }

    /// Diagnostics at a path or below it, except those of the given fields.
    pub fn wrong_besides(&self, path: &str, fields: &[&str]) -> Vec<Diagnostic> {
        let fields: Vec<String> = fields.iter().map(|field| format!("{path}.{field}")).collect();
        let outside = self.wrong_outside(&fields).0;
        self.wrong_at(path).into_iter().filter(|one| outside.contains(one)).collect()
    }

    /// Diagnostics at or below none of these paths.
    pub fn wrong_outside(&self, paths: &[String]) -> Diagnostics {
        let keys: Vec<PathKey> = paths.iter().map(|path| self.document.key(path)).collect();
        let is_outside = |place: &PathKey| !keys.iter().any(|key| place.is_inside(key));
        Diagnostics(self.wrong.iter().filter(|(place, _)| is_outside(place)).map(|(_, one)| one.clone()).collect())
    }

    /// Applies a complete edit. `None`, an edit that cannot be made in place, opens the text for a person to make it.
    pub fn take(&self, edited: Option<Outline>) {
        self.act.emit(match edited {
            Some(next) => Action::Take(self.half, next.into_text()),
            None => Action::ShowText(self.half, true),
        });
    }

    /// The number at a path as a variable of a study, if there is one.
    pub(super) fn variable_at(&self, path: &str) -> Option<Variable> {
        let part = if self.half == Half::Hardware { "hardware" } else { "network" };
        variable_at(part, &self.document, path)
    }

    /// A click handler that makes an edit.
    pub fn click(&self, edit: impl Fn(&Outline) -> Option<Outline> + 'static) -> Callback<MouseEvent> {
        let form = self.clone();
        Callback::from(move |_| form.take(edit(&form.document)))
    }

    /// HTML id of a field of this document.
    pub fn id_of(&self, testid: &str) -> String {
        format!("{}-{testid}", self.half.name())
    }

    /// The document with `text` written in a field; `None` if it cannot be written there.
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

    /// Applies the value of a slider, as a step of the drag with this number.
    pub fn drag(&self, place: &FieldTarget, number: u32, text: &str) {
        let next = place.write(&self.document, text).filter(|next| *next != *self.document);
        if let Some(next) = next {
            self.act.emit(Action::Drag(self.half, place.clone(), number, next.into_text()));
        }
    }

    /// The fix of a diagnostic: its text and a click handler; `None` where it proposes none.
    pub fn repair(&self, diagnostic: &Diagnostic) -> Option<(String, Callback<MouseEvent>)> {
        let title = repair_title(diagnostic.fix.as_ref()?);
        repair(&self.document, diagnostic)?;
        let diagnostic = diagnostic.clone();
        Some((title, self.click(move |document| repair(document, &diagnostic))))
    }
}

/// The item whose fields are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selected {
    /// The PE array, or the network.
    Whole,
    /// One memory or layer, by index.
    Part(usize),
}

#[derive(Properties, PartialEq)]
pub struct CellFieldProps {
    pub form: DocumentForm,
    /// The value that the field edits.
    pub place: FieldTarget,
    /// Accessible name, where no label is beside it.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub hint: AttrValue,
    #[prop_or_default]
    pub example: AttrValue,
    /// HTML id of the text that describes its error, where there is one.
    #[prop_or_default]
    pub wrong_id: Option<AttrValue>,
    /// Called with every edit: whether it could be written in the document.
    #[prop_or_default]
    pub on_written: Callback<bool>,
    pub testid: AttrValue,
}

/// A field for a single value of a document, without a label: in a table, or inside a
/// [`FormField`](super::form_field::FormField).
#[component]
pub fn CellField(props: &CellFieldProps) -> Html {
    let CellFieldProps { form, place, .. } = props;
    let stands = place.read(&form.document);
    // The text as typed and the text written for it: blanks and commas at the end are kept while more is typed.
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
