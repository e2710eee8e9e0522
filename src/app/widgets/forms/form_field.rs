//! A field of a form with its label, the comment beside its value, a slider, and its diagnostics.

use super::diagnostics::prose;
use super::drag_field::DragField;
use super::form::{CellField, DocumentForm};
use super::varying::VaryButton;
use crate::form::{Field, FieldTarget};
use crate::spec::Diagnostic;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FormFieldProps {
    pub form: DocumentForm,
    /// The value that the field edits.
    pub place: FieldTarget,
    pub label: AttrValue,
    #[prop_or_default]
    pub hint: AttrValue,
    #[prop_or_default]
    pub example: AttrValue,
    #[prop_or_default]
    pub is_wide: bool,
    pub testid: AttrValue,
}

/// A single value of a document: label, value, the comment beside it, diagnostics.
#[component]
pub fn FormField(props: &FormFieldProps) -> Html {
    let FormFieldProps { form, place, label, hint, testid, .. } = props;
    let is_refused = use_state_eq(|| false);
    let path = place.path(&form.document);
    let wrong = form.wrong_at(&path);
    let id = form.id_of(testid);
    let wrong_id = AttrValue::from(format!("{id}-wrong"));
    let on_written = {
        let is_refused = is_refused.clone();
        Callback::from(move |is_written: bool| is_refused.set(!is_written))
    };
    html! {
        <div class={classes!("cell", props.is_wide.then_some("whole"))}>
            <NoteRow form={form.clone()} {path} {id} label={label.clone()} hint={hint.clone()} testid={testid.clone()}>
                <CellField
                    form={form.clone()}
                    place={place.clone()}
                    hint={hint.clone()}
                    example={props.example.clone()}
                    wrong_id={(!wrong.is_empty()).then(|| wrong_id.clone())}
                    {on_written}
                    testid={testid.clone()}
                />
                <DragField form={form.clone()} place={place.clone()} label={label.clone()} testid={testid.clone()} />
            </NoteRow>
            <WrongHere form={form.clone()} {wrong} id={wrong_id} />
            if *is_refused {
                <p class="wrong-here">{ "As this is written it can be changed in the text only." }</p>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct NoteRowProps {
    form: DocumentForm,
    path: String,
    id: String,
    label: AttrValue,
    hint: AttrValue,
    testid: AttrValue,
    children: Html,
}

/// Label, field, and the comment beside its value in the document.
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
                if let Some(variable) = props.form.variable_at(&props.path) {
                    <VaryButton {variable} label={props.label.clone()} testid={props.testid.clone()} />
                }
            </span>
            { props.children.clone() }
            if has_note || (note.is_some() && *is_open) {
                <span class="note">
                    { "#" }
                    <CellField
                        form={props.form.clone()}
                        {place}
                        label={format!("Note on {}", props.label)}
                        example="where this number comes from"
                        testid={format!("{}-note", props.testid)}
                    />
                </span>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct WrongHereProps {
    pub form: DocumentForm,
    pub wrong: Vec<Diagnostic>,
    /// HTML id, for the `aria-describedby` of its field.
    #[prop_or_default]
    pub id: AttrValue,
}

/// Diagnostics at their place, with a fix where there is exactly one.
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

/// A field of a form, for the value `field` of the item at `path`.
pub fn listed_field(form: &DocumentForm, path: &str, field: &Field) -> Html {
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

#[derive(Properties, PartialEq)]
pub struct ChipProps {
    pub label: AttrValue,
    /// Accessible name.
    pub title: AttrValue,
    pub is_on: bool,
    pub onclick: Callback<MouseEvent>,
    /// Colour, as a CSS class.
    #[prop_or_default]
    pub look: &'static str,
    pub testid: AttrValue,
}

/// A small toggle button.
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
