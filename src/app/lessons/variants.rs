//! Checks that every variant of an own lesson can be solved.

use crate::app::workers::ask::use_answers;
use crate::lesson::{MOST_VARIANTS, variants_to_check};
use crate::question::{Channel, CheckVariant};
use crate::spec::in_quotes;
use yew::prelude::*;

/// Limit on the unsolvable steps listed; further ones are counted.
const MOST_SHOWN: usize = 20;

#[derive(Properties, PartialEq)]
pub struct VariantsCheckProps {
    pub text: String,
    /// Number of variants.
    pub variants: u64,
}

/// A button that looks for the right answer of every step in every variant, and the result.
#[component]
pub fn VariantsCheck(props: &VariantsCheckProps) -> Html {
    let VariantsCheckProps { text, variants } = props;
    let checked = use_state_eq(|| None::<String>);
    let is_asked = checked.as_ref() == Some(text);
    let questions: Vec<CheckVariant> = match is_asked {
        true => {
            let question = |variant| CheckVariant { text: text.clone(), variant };
            variants_to_check(*variants, MOST_VARIANTS).map(question).collect()
        }
        false => Vec::new(),
    };
    let found = use_answers(Channel::LessonVariants, questions);
    let of = match *variants {
        1 => "the lesson".to_owned(),
        variants if variants <= MOST_VARIANTS => format!("all {variants} variants"),
        variants => format!("a sample of {MOST_VARIANTS} of {variants} variants"),
    };
    let start = {
        let (checked, text) = (checked.clone(), text.clone());
        Callback::from(move |_: MouseEvent| checked.set(Some(text.clone())))
    };
    let stop = Callback::from(move |_: MouseEvent| checked.set(None));
    let unsolved: Vec<String> = (found.replies())
        .flat_map(|variant| variant.steps.iter().enumerate().map(move |(step, right)| (variant, step + 1, right)))
        .filter_map(|(variant, step, right)| {
            let why = in_quotes(right.as_ref().err()?);
            let with = if variant.drawn.is_empty() { String::new() } else { format!(" with {}", variant.drawn) };
            Some(format!("Step {step}{with}: {why}."))
        })
        .collect();
    let more = unsolved.len().saturating_sub(MOST_SHOWN);
    let is_done = is_asked && found.is_complete();
    html! {
        <div class="variants" data-testid="variants" data-status={if is_asked { found.status() } else { "idle" }}>
            <div class="row">
                if is_asked && !is_done {
                    <span role="status">{ format!("Looked at {} of {} …", found.done(), found.all()) }</span>
                    <button type="button" onclick={stop} data-testid="stop-variants">{ "Stop" }</button>
                } else if !is_done {
                    <button type="button" onclick={start} data-testid="check-variants">{ format!("Solve {of}") }</button>
                    <span class="hint">{ "Looks for the right answer of every step." }</span>
                }
            </div>
            if is_done && unsolved.is_empty() && found.refusal().is_none() {
                <p role="status"><b class="right">{ "✓ " }</b>{ format!("Every step has one right answer in {of}.") }</p>
            }
            if let Some(refusal) = found.refusal() { <p class="wrong">{ in_quotes(refusal.reason()) }</p> }
            if !unsolved.is_empty() {
                <ul class="unsolved">
                    { for unsolved.iter().take(MOST_SHOWN).map(|line| html! { <li>{ line }</li> }) }
                    if more > 0 { <li>{ format!("and {more} more") }</li> }
                </ul>
            }
        </div>
    }
}
