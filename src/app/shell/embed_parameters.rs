//! Sliders of an embedded view for the numbers that its address names.

use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::drag_field::DragField;
use crate::app::widgets::forms::form::DocumentForm;
use crate::app::widgets::page::figure_context::use_act;
use crate::embed::Parameter;
use crate::spec::Diagnostics;
use crate::spec::edit::Outline;
use crate::state::Half;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ParametersProps {
    pub parameters: Vec<Parameter>,
    pub hardware: String,
}

/// One slider per parameter, with its name and value; below them the errors in their names.
#[component]
pub fn Parameters(props: &ParametersProps) -> Html {
    let act = use_act();
    let Ok(document) = Outline::read(&props.hardware) else { return html! {} };
    let form = DocumentForm::new(Half::Hardware, Rc::new(document), &Diagnostics::default(), &act);
    let mut wrong = Diagnostics::default();
    let slider = |parameter: &Parameter| {
        let Parameter { memory, field, from, to } = parameter;
        let place = match parameter.target(&form.document) {
            Ok(place) => place,
            Err(found) => {
                wrong.0.extend(found.0);
                return html! {};
            }
        };
        let name = format!("{} of {memory}", field.replace('_', " "));
        html! {
            <label class="parameter" key={parameter.word()}>
                <span>{ &name }</span>
                <output>{ place.read(&form.document) }</output>
                <DragField
                    form={form.clone()}
                    {place}
                    bounds={Some([from.clone(), to.clone()])}
                    label={name}
                    testid={format!("{memory}-{field}")}
                />
                <small>{ from }</small>
                <small>{ to }</small>
            </label>
        }
    };
    let sliders: Html = props.parameters.iter().map(slider).collect();
    html! {
        <>
            <div class="parameters" role="group" aria-label="Figures that can be changed">{ sliders }</div>
            <DiagnosticList diagnostics={wrong} testid="parameter-errors" />
        </>
    }
}
