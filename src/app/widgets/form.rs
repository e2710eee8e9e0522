//! Fields that edit a document in its text.

use super::controls::target;
use super::diagnostics::prose;
use super::drag_field::DragFieldProps;
use crate::app::platform::pieces::late;
use crate::form::{Field, FieldTarget, repair, repair_title};
use crate::piece;
use crate::spec::edit::{Outline, PathKey};
use crate::spec::{Diagnostic, Diagnostics};
use crate::state::{Action, Half, Renamed, ViewChange};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Functions whose code is fetched when the fields of a part of a document are first opened.
#[derive(Clone, Copy)]
pub struct FormParts {
    /// Draws the slider beside a figure.
    pub drag_field: fn(DragFieldProps) -> Html,
}
piece!(FormParts);

/// A document as a form: what it says, what is wrong with it, and who hears of edits.
#[derive(Clone)]
pub struct Form {
    /// Which document.
    pub half: Half,
    /// What it says.
    pub document: Rc<Outline>,
    wrong: Rc<Vec<(PathKey, Diagnostic)>>,
    act: Callback<Action>,
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
            None => Action::Look(ViewChange::Text(self.half, true)),
        });
    }

    /// A click that makes an edit.
    pub fn click(&self, edit: impl Fn(&Outline) -> Option<Outline> + 'static) -> Callback<MouseEvent> {
        let form = self.clone();
        Callback::from(move |_| form.take(edit(&form.document)))
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

/// Properties of [`FormField`].
#[derive(Properties, PartialEq)]
pub struct FormFieldProps {
    /// The document.
    pub form: Form,
    /// What the field stands for.
    pub place: FieldTarget,
    /// Its name.
    pub label: AttrValue,
    /// What it means.
    #[prop_or_default]
    pub hint: AttrValue,
    /// What could stand there.
    #[prop_or_default]
    pub example: AttrValue,
    /// Whether it takes the whole width.
    #[prop_or_default]
    pub is_wide: bool,
    /// Whether it is one of a table: its name is not shown, nor is there a note or an error text.
    #[prop_or_default]
    pub is_cell: bool,
    /// Identifies the field in tests.
    pub testid: AttrValue,
}

/// A single value of a document: its name, what is written, the comment beside it, what is wrong.
#[component]
pub fn FormField(props: &FormFieldProps) -> Html {
    let FormFieldProps { form, place, .. } = props;
    let stands = place.read(&form.document);
    // What was typed, and what it became: blanks and commas at its end are not lost while more follows.
    let draft = use_state_eq(|| None::<(String, String)>);
    let is_refused = use_state_eq(|| false);
    let shown = match &*draft {
        Some((typed, became)) if *became == stands => typed.clone(),
        _ => stands.clone(),
    };
    let path = place.path(&form.document);
    let wrong = form.wrong_at(&path);
    let edit = {
        let (form, place, is_refused) = (form.clone(), place.clone(), is_refused.clone());
        move |typed: &str| {
            let next = form.write(&place, typed);
            is_refused.set(next.is_none());
            next
        }
    };
    let oninput = {
        let (draft, edit, is_name, stands) = (draft.clone(), edit.clone(), place.is_name(), stands);
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
    let id = format!("{}-{}", form.half.name(), props.testid);
    let wrong_id = format!("{id}-wrong");
    let input = html! {
        <input
            type="text"
            id={id.clone()}
            value={shown}
            {oninput}
            {onchange}
            title={props.hint.clone()}
            placeholder={props.example.clone()}
            aria-label={props.is_cell.then(|| props.label.clone())}
            aria-invalid={(!wrong.is_empty()).then_some("true")}
            aria-describedby={(!wrong.is_empty() && !props.is_cell).then(|| wrong_id.clone())}
            autocomplete="off"
            spellcheck="false"
            data-testid={props.testid.clone()}
        />
    };
    if props.is_cell {
        return input;
    }
    html! {
        <div class={classes!("cell", props.is_wide.then_some("whole"))}>
            <NoteRow form={form.clone()} {path} {id} label={props.label.clone()} hint={props.hint.clone()}
                testid={props.testid.clone()}>
                { input }
                { slider(props) }
            </NoteRow>
            <WrongHere form={form.clone()} {wrong} id={wrong_id} />
            if *is_refused {
                <p class="wrong-here">{ "As this is written it can be changed in the text only." }</p>
            }
        </div>
    }
}

/// A slider over the rounder figures beside a figure; its code is fetched with the first field that is no cell.
fn slider(props: &FormFieldProps) -> Html {
    let FormFieldProps { form, place, label, testid, .. } = props;
    let part =
        DragFieldProps { form: form.clone(), place: place.clone(), label: label.clone(), testid: testid.clone() };
    late(move |parts: FormParts| (parts.drag_field)(part.clone()))
}

#[derive(Properties, PartialEq)]
struct NoteRowProps {
    form: Form,
    path: String,
    id: String,
    label: AttrValue,
    hint: AttrValue,
    testid: AttrValue,
    children: Html,
}

/// The name of a field, the field, and the comment beside its value in the text.
#[component]
fn NoteRow(props: &NoteRowProps) -> Html {
    let note = props.form.document.note(&props.path).map(str::to_owned);
    let is_open = use_state_eq(|| false);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let has_note = note.as_ref().is_some_and(|note| !note.is_empty());
    let place = FieldTarget::Note(props.path.clone());
    html! {
        <>
            <span class="name">
                <label for={props.id.clone()} title={props.hint.clone()}>{ &props.label }</label>
                if note.is_some() && !has_note {
                    <button
                        type="button"
                        class="link"
                        aria-label={format!("Note on {}", props.label)}
                        aria-expanded={is_open.to_string()}
                        title="A comment beside this number in the text: where it comes from"
                        onclick={toggle}
                        data-testid={format!("{}-note-toggle", props.testid)}
                    >
                        { "#" }
                    </button>
                }
            </span>
            { props.children.clone() }
            if has_note || (note.is_some() && *is_open) {
                <span class="note">
                    { "#" }
                    <FormField
                        form={props.form.clone()}
                        {place}
                        label={format!("Note on {}", props.label)}
                        example="where this number comes from"
                        is_cell={true}
                        testid={format!("{}-note", props.testid)}
                    />
                </span>
            }
        </>
    }
}

/// Properties of [`WrongHere`].
#[derive(Properties, PartialEq)]
pub struct WrongHereProps {
    /// The document.
    pub form: Form,
    /// What is wrong here.
    pub wrong: Vec<Diagnostic>,
    /// Identifies it for the field that it is about.
    #[prop_or_default]
    pub id: AttrValue,
}

/// What is wrong, at the place where it is, with a repair where only one can be meant.
#[component]
pub fn WrongHere(props: &WrongHereProps) -> Html {
    if props.wrong.is_empty() {
        return html! {};
    }
    let one = |diagnostic: &Diagnostic| {
        let repair = props.form.repair(diagnostic).map(|(title, onclick)| {
            html! { <button type="button" class="link" {onclick} data-testid="repair">{ prose(&title) }</button> }
        });
        html! { <p>{ prose(&diagnostic.sentences()) }{ " " }{ repair }</p> }
    };
    html! { <div class="wrong-here" id={props.id.clone()}>{ for props.wrong.iter().map(one) }</div> }
}

/// A field of a list of fields, of what `path` names.
pub fn listed_field(form: &Form, path: &str, field: &Field) -> Html {
    let place = FieldTarget::Value { path: format!("{path}.{}", field.name), is_optional: field.is_optional };
    html! {
        <FormField
            key={field.name}
            form={form.clone()}
            {place}
            label={field.label}
            hint={field.hint}
            example={field.example}
            is_wide={field.name == "source"}
            testid={field.name}
        />
    }
}

/// Properties of [`Chip`].
#[derive(Properties, PartialEq)]
pub struct ChipProps {
    /// What it shows.
    pub label: AttrValue,
    /// What it switches, for those who cannot see it.
    pub title: AttrValue,
    /// Whether it is on.
    pub is_on: bool,
    /// Called with clicks.
    pub onclick: Callback<MouseEvent>,
    /// Its colour, as a class.
    #[prop_or_default]
    pub look: &'static str,
    /// Identifies it in tests.
    pub testid: AttrValue,
}

/// A small switch.
#[component]
pub fn Chip(props: &ChipProps) -> Html {
    html! {
        <button
            type="button"
            class={classes!("chip", props.look)}
            aria-pressed={props.is_on.to_string()}
            aria-label={props.title.clone()}
            title={props.title.clone()}
            onclick={props.onclick.clone()}
            data-testid={props.testid.clone()}
        >
            { &props.label }
        </button>
    }
}
