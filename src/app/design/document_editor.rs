//! A card that chooses a document and shows its text.

use super::hardware_card::HardwareForm;
use super::import::{ImportButton, carries_files, dropped, import_panel, use_import};
use super::network_card::NetworkForm;
use crate::app::platform::lazy_modules::{late, with_lazy_module};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::document_text::{DocumentTextProps, TextCode, use_text_offered};
use crate::app::widgets::forms::form::{DocumentForm, Selected};
use crate::app::widgets::page::figure_context::use_act;
use crate::form::Stacks;
use crate::hardware::Core;
use crate::lazy_module;
use crate::sorting::sort_by_key;
use crate::spec::Diagnostics;
use crate::spec::edit::Outline;
use crate::state::{Action, Document, Half};
use crate::workload::Network;
use std::rc::Rc;
use web_sys::{DragEvent, HtmlTextAreaElement};
use yew::prelude::*;

/// Fetched when a preset is first picked: the texts of all presets.
#[derive(Clone, Copy)]
pub struct PresetCode {
    /// Picks the preset of this name, or the document written by hand if there is none.
    pub pick: fn(Half, &str) -> Action,
}
lazy_module!(PresetCode);

/// An editable text; its code is fetched with the first one.
fn text(props: DocumentTextProps) -> Html {
    late(move |parts: TextCode| (parts.document_text)(&props))
}

/// Value of the choice of a document written by hand.
const OWN: &str = "(own)";

#[derive(Properties, PartialEq)]
pub struct DocumentCardProps {
    pub half: Half,
    pub title: &'static str,
    pub document: Document,
    pub shows_text: bool,
    pub diagnostics: Diagnostics,
    /// The valid part of the document.
    pub model: DocumentModel,
}

/// The model that a document describes.
#[derive(Clone)]
pub enum DocumentModel {
    /// An accelerator, if its document is valid.
    Hardware(Option<Rc<Core>>),
    /// A network, if its document is valid, and its stacks.
    Network(Option<Rc<Network>>, Rc<Stacks>),
}

/// A card with a choice of presets, a drawing, and the text one click away.
#[component]
pub fn DocumentCard(props: &DocumentCardProps) -> Html {
    let act = use_act();
    let half = props.half;
    let (testid_card, testid_preset, testid_toggle, testid_errors) = match half {
        Half::Hardware => ("hardware-card", "hardware-preset", "hardware-as-text", "hardware-errors"),
        Half::Workload => ("workload-card", "workload-preset", "workload-as-text", "workload-errors"),
    };
    let area = use_node_ref();
    let is_offered = use_text_offered();
    let shows_text = props.shows_text && is_offered;
    let toggle = {
        let shown = !shows_text;
        act.reform(move |_: MouseEvent| Action::ShowText(half, shown))
    };
    let pick = {
        let act = act.clone();
        Callback::from(move |value: String| {
            let act = act.clone();
            with_lazy_module(move |parts: PresetCode| act.emit((parts.pick)(half, &value)));
        })
    };
    let go_to_line = {
        let area = area.clone();
        Callback::from(move |line: usize| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                select_line(&area, line);
            }
        })
    };
    let import = use_import(&act, false);
    let is_over = use_state_eq(|| false);
    let over = |over: bool| {
        let is_over = is_over.setter();
        Callback::from(move |event: DragEvent| {
            if carries_files(&event) {
                event.prevent_default();
                is_over.set(over && is_offered);
            }
        })
    };
    let ondrop = {
        let (is_over, start) = (is_over.setter(), import.start.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            is_over.set(false);
            if is_offered {
                start.emit(dropped(&event));
            }
        })
    };
    let selected = use_state_eq(|| None::<Selected>);
    let outline = use_memo(props.document.text.clone(), |text| Outline::read(text).ok().map(Rc::new));
    let form = (*outline).clone().map(|document| DocumentForm::new(half, document, &props.diagnostics, &act));
    let body_id = format!("{}-text", half.name());
    html! {
        <section
            class={classes!("card", is_over.then_some("dropping"))}
            ondragover={over(true)}
            ondragleave={over(false)}
            {ondrop}
            aria-labelledby={format!("{}-title", half.name())}
            data-preset={props.document.preset.unwrap_or(OWN)} data-testid={testid_card}>
            <h2 id={format!("{}-title", half.name())}>
                { props.title }
                if is_offered {
                    <span class="actions">
                        <ImportButton start={import.start.clone()} name={half.name()} />
                        <button
                            type="button"
                            class="link"
                            onclick={toggle}
                            aria-expanded={shows_text.to_string()}
                            aria-controls={body_id.clone()}
                            data-testid={testid_toggle}
                        >
                            { if shows_text { "as form" } else { "as text" } }
                        </button>
                    </span>
                }
            </h2>
            <Select
                label="Preset"
                choices={choices(half, &props.document)}
                value={props.document.preset.unwrap_or(OWN)}
                onchange={pick}
                testid={testid_preset}
            />
            { import_panel(&import, half.name()) }
            <div id={body_id}>
                if shows_text {
                    { text(DocumentTextProps {
                        label: match half {
                            Half::Hardware => "Hardware document",
                            Half::Workload => "Workload document",
                        },
                        text: props.document.text.clone(),
                        oninput: act.reform(move |text| Action::Write(half, text)),
                        rows: "22",
                        testid: format!("{}-text", half.name()).into(),
                        area,
                    }) }
                } else if let Some(form) = form.clone() {
                    { fields(form, &props.model, &selected) }
                } else {
                    <p class="hint">
                        { "The text cannot be read as fields. Nothing is lost: " }
                        { if is_offered { "“as text” shows it as it was written." } else { "opened in full, it can be mended." } }
                    </p>
                }
            </div>
            if shows_text || form.is_none() {
                <DiagnosticList
                    diagnostics={props.diagnostics.clone()}
                    on_line={shows_text.then_some(go_to_line)}
                    {form}
                    testid={testid_errors}
                />
            }
        </section>
    }
}

impl PartialEq for DocumentModel {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Hardware(a), Self::Hardware(b)) => a == b,
            (Self::Network(Some(a), stacks), Self::Network(Some(b), others)) => Rc::ptr_eq(a, b) && stacks == others,
            (Self::Network(a, stacks), Self::Network(b, others)) => a.is_none() && b.is_none() && stacks == others,
            _ => false,
        }
    }
}

fn fields(form: DocumentForm, model: &DocumentModel, chosen: &UseStateHandle<Option<Selected>>) -> Html {
    let selected = **chosen;
    let on_select = {
        let chosen = chosen.clone();
        Callback::from(move |next| chosen.set(next))
    };
    match model {
        DocumentModel::Hardware(core) => html! { <HardwareForm {form} core={core.clone()} {selected} {on_select} /> },
        DocumentModel::Network(network, stacks) => {
            html! {
                <NetworkForm {form} network={network.clone()} stacks={Rc::clone(stacks)}
                    {selected} {on_select} />
            }
        }
    }
}

fn choices(half: Half, document: &Document) -> Vec<ChoiceOption> {
    let mut choices: Vec<ChoiceOption> = half
        .preset_names()
        .iter()
        .map(|preset| {
            let group = match half {
                Half::Hardware if preset.id.ends_with("-df") => "for depth-first scheduling",
                Half::Hardware => "original",
                Half::Workload if preset.id.ends_with("-defines") => "as DeFiNES evaluates them, without padding",
                Half::Workload => "as their authors defined them",
            };
            ChoiceOption { group, ..ChoiceOption::new(preset.id, preset.title) }
        })
        .collect();
    sort_by_key(&mut choices, |choice| choice.group);
    if document.own.is_some() {
        let mine = match half {
            Half::Hardware => "my own hardware",
            Half::Workload => "my own network",
        };
        choices.insert(0, ChoiceOption::new(OWN, mine));
    }
    choices
}

/// Puts the caret into a line, which scrolls it into view.
fn select_line(area: &HtmlTextAreaElement, line: usize) {
    let text = area.value();
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(utf16_length).sum();
    let length = text.lines().nth(line.saturating_sub(1)).map_or(0, utf16_length);
    // A window that is closing may refuse the focus, which does not matter.
    let _ = area.focus();
    let _ = area.set_selection_range(before as u32, (before + length) as u32);
}

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}
