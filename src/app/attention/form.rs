//! The form: the transformer, its input and the objective.

use crate::app::widgets::forms::controls::{ChoiceOption, Select, TextField, passing};
use crate::app::widgets::forms::document_text::FoldedText;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::spec::transformer_presets;
use crate::state::{Action, AnyChoice, AttentionField, AttentionForm, Half, ObjectiveChoice, ScheduleField};
use crate::transformer::Transformer;
use yew::prelude::*;

/// Value of the choice of a model written by hand.
const OWN: &str = "(own)";

const TRANSFORMER: &str = "A transformer on this accelerator";
const TRANSFORMER_HINT: &str = "[Queries|query] meet [keys|key], a softmax weighs them in one [pass] or several, and the weights meet \
                                [values|value]. Unfused, the scores between go through DRAM; fused, they stay on the chip. One layer \
                                is scheduled; the others are the same.";
const STATE_SPACE: &str = "A state-space model on this accelerator";
const STATE_SPACE_HINT: &str = "Each token updates states of every channel and reads them, in a [selective scan], one token after the \
                                other. The states are all that is kept of earlier tokens: there is no attention and no cache that \
                                grows. The steps of a [block|state-space block] run together where the chip has room for what lies \
                                between them. One block is scheduled; the others are the same.";

#[derive(Properties, PartialEq)]
pub struct FormCardProps {
    pub form: AttentionForm,
    pub objective: ObjectiveChoice,
    /// Names of the invalid fields.
    pub wrong: Vec<String>,
    /// Buttons behind the heading.
    #[prop_or_default]
    pub children: Html,
}

#[component]
pub fn FormCard(props: &FormCardProps) -> Html {
    let act = use_act();
    let form = &props.form;
    let change = act.reform(Action::Attention);
    let mut models: Vec<ChoiceOption> =
        transformer_presets().iter().map(|preset| ChoiceOption::new(preset.id, preset.title)).collect();
    if form.preset().is_none() || !form.own.is_empty() {
        models.push(ChoiceOption::new(OWN, "my own model"));
    }
    let pick = {
        let own = form.own.clone();
        change.reform(move |value: String| AttentionField::Model(if value == OWN { own.clone() } else { value }))
    };
    let field = |label: &'static str, name: &'static str, value: &str, make: fn(String) -> AttentionField, testid| {
        let invalid = props.wrong.iter().any(|wrong| wrong == name);
        html! { <TextField {label} value={value.to_owned()} oninput={change.reform(make)} {testid} {invalid} /> }
    };
    // Objectives that need weights or a memory are offered by the card of the schedule only.
    let simple = |(choice, _): &&(ObjectiveChoice, &str)| {
        !matches!(choice, ObjectiveChoice::MemoryAccesses | ObjectiveChoice::Weighted) || *choice == props.objective
    };
    let shown = ObjectiveChoice::ALL.iter().filter(simple);
    let objectives: Vec<ChoiceOption> =
        shown.map(|(choice, title)| ChoiceOption::new(choice.number().to_string(), *title)).collect();
    let minimise = passing(&act, |value: String| {
        let known = ObjectiveChoice::ALL.into_iter().find(|(choice, _)| choice.number().to_string() == value);
        known.map(|(choice, _)| Action::Schedule(ScheduleField::Objective(choice)))
    });
    let fusemax = passing(&act, |_: MouseEvent| Action::preset(Half::Hardware, "fusemax-like").ok());
    // An invalid text has no known kind of model.
    let model = use_memo(form.text().to_owned(), |text| Transformer::from_text(text).ok());
    let (heading, hint) = match &*model {
        Some(model) if model.state_space.is_some() => (STATE_SPACE, STATE_SPACE_HINT),
        _ => (TRANSFORMER, TRANSFORMER_HINT),
    };
    html! {
        <>
            <h2>
                { heading }
                <span class="actions">
                    { props.children.clone() }
                    <button type="button" class="link" onclick={fusemax} data-testid="attention-fusemax">
                        { "take FuseMax’s accelerator" }
                    </button>
                </span>
            </h2>
            <p class="hint">{ termed(hint) }</p>
            <div class="form">
                <div>
                    <Select label="Model" choices={models} value={form.preset().unwrap_or(OWN)} onchange={pick}
                        testid="attention-model" />
                    { field("New tokens", "tokens", &form.tokens, AttentionField::Tokens, "attention-tokens") }
                    { field("After cached tokens", "cached", &form.cached, AttentionField::Cached, "attention-cached") }
                </div>
                <div>
                    { field("Sequences at a time", "batch", &form.batch, AttentionField::Batch, "attention-batch") }
                    { field("Tokens generated", "generated", &form.generated, AttentionField::Generated, "attention-generated") }
                    { field("Prompt in chunks of", "chunk", &form.chunk, AttentionField::Chunk, "attention-chunk") }
                    <Select label="Minimise" choices={objectives} value={props.objective.number().to_string()} onchange={minimise}
                        testid="attention-objective" />
                    { field("Bits", "bits", &form.bits, AttentionField::Bits, "attention-bits") }
                </div>
            </div>
            <FoldedText
                of="model"
                label="Transformer document"
                text={form.text().to_owned()}
                is_shown={form.shows_model}
                onshow={change.reform(AttentionField::ShowsModel)}
                oninput={change.reform(AttentionField::Own)}
            />
        </>
    }
}
