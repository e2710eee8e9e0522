//! The switches of the rules, one by one.

use crate::app::widgets::forms::controls::{Checkbox, passing};
use crate::rules::Rules;
use crate::state::{Action, ScheduleField};
use yew::prelude::*;

/// Draws a box for each switch. Only `shell::pieces` may name it.
pub fn rule_switches(rules: Rules, act: &Callback<Action>) -> Html {
    let switch = |(name, title, value): (&'static str, &'static str, bool)| {
        html! {
            <Checkbox
                label={title}
                checked={value}
                onchange={passing(act, move |on| Some(Action::Schedule(ScheduleField::Rules(rules.with(name, on)?))))}
                testid={format!("rule-{name}")}
            />
        }
    };
    html! {
        <>
            <p class="hint">{ "Where the public tools and what is right differ. On means: as a tool does it." }</p>
            { for rules.switches().into_iter().map(switch) }
        </>
    }
}
