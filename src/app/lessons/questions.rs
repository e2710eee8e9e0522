//! Questions of a step: multiple choice, a number, a curve, a design.

use super::curve::Curve;
use crate::app::widgets::forms::controls::{ChoiceOption as Option_, Select};
use crate::lesson::{AnswerChoice, AskedQuantity, DesignGoal, Given, LessonStep, Prediction};
use crate::spec::parse_decimal;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Common parts of all questions.
#[derive(Clone, PartialEq)]
pub struct Questioned {
    pub step: Rc<LessonStep>,
    /// The answers so far.
    pub given: Vec<Given>,
    /// Whether further answers no longer count.
    pub is_over: bool,
    /// Called with an answer.
    pub answer: Callback<Given>,
}

/// A multiple choice; `right` is the right one, once it may be shown.
pub fn choices(of: &Questioned, choices: &[AnswerChoice], right: Option<usize>, is_judged: bool) -> Html {
    let chosen = |index: usize| of.given.iter().any(|given| *given == Given::Choice(index as u32 + 1));
    let last = match of.given.last() {
        Some(Given::Choice(last)) => Some(*last as usize),
        _ => None,
    };
    let button = |(index, choice): (usize, &AnswerChoice)| {
        let is_chosen = chosen(index);
        let (class, mark) = match right {
            Some(right) if right == index => (Some("right"), "✓ "),
            _ if is_chosen && is_judged => (Some("wrong"), "✗ "),
            _ => (None, ""),
        };
        let answer = of.answer.reform(move |_: MouseEvent| Given::Choice(index as u32 + 1));
        html! {
            <button
                type="button"
                {class}
                aria-pressed={(last == Some(index + 1)).to_string()}
                disabled={of.is_over || (is_chosen && is_judged)}
                onclick={answer}
                data-testid={format!("answer-{}", index + 1)}
            >
                { mark }{ &choice.text }
            </button>
        }
    };
    html! {
        <fieldset>
            <legend>{ &of.step.question }</legend>
            { for choices.iter().enumerate().map(button) }
        </fieldset>
    }
}

/// The components here share the kind of props: a question and its parameters.
#[derive(Properties, PartialEq)]
pub struct NumberFieldProps {
    pub of: Questioned,
    pub asked: AskedQuantity,
}

/// A number to enter.
#[component]
pub fn NumberField(props: &NumberFieldProps) -> Html {
    let text = use_state_eq(String::new);
    let wrong = use_state_eq(|| None::<&'static str>);
    let of = &props.of;
    let unit = of.step.numbers.get(props.asked.number).map_or("", |number| number.unit.symbol).trim();
    let shown = match of.given.last() {
        Some(Given::Number(last)) if of.is_over => last.to_string(),
        _ => (*text).clone(),
    };
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default());
        })
    };
    let onsubmit = {
        let (text, of, wrong) = (text.clone(), of.clone(), wrong.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let typed = text.trim();
            // The unit is printed beside the field, but often typed as well.
            let typed = typed.strip_suffix(unit).unwrap_or(typed).trim_end();
            let number = parse_decimal(&typed.replace(',', ".")).filter(|number| number.is_finite());
            wrong.set(match number {
                None => Some("Write a number, for example 1.62."),
                Some(number) if of.given.contains(&Given::Number(number)) => {
                    Some("You have answered this before; it takes no try.")
                }
                Some(number) => {
                    of.answer.emit(Given::Number(number));
                    None
                }
            });
        })
    };
    html! {
        <form class="asked" {onsubmit}>
            <label for="lesson-number">{ &of.step.question }</label>
            <div class="row">
                <input
                    id="lesson-number"
                    {oninput}
                    inputmode="decimal"
                    autocomplete="off"
                    value={shown}
                    disabled={of.is_over}
                    aria-invalid={wrong.is_some().then_some("true")}
                    aria-describedby="lesson-number-unit"
                    data-testid="number"
                />
                <span id="lesson-number-unit" class="unit">
                    { unit }
                    if props.asked.tolerance > 0.0 {
                        <span class="hint">{ format!(" within {} %", 100.0 * props.asked.tolerance) }</span>
                    }
                </span>
                <button type="submit" class="primary" disabled={of.is_over} data-testid="answer-number">{ "Answer" }</button>
            </div>
            if let Some(wrong) = *wrong { <p class="hint" role="alert" data-testid="number-wrong">{ wrong }</p> }
        </form>
    }
}

#[derive(Properties, PartialEq)]
pub struct CurveFieldProps {
    pub of: Questioned,
    pub predict: Prediction,
    /// The right heights, once they may be shown.
    pub right: Option<Vec<f64>>,
}

/// A curve to draw.
#[component]
pub fn CurveField(props: &CurveFieldProps) -> Html {
    let CurveFieldProps { of, predict, right } = props;
    let (low, high) = predict.axis;
    let heights = use_state_eq(|| vec![f64::midpoint(low, high); predict.field.values.len()]);
    let Some(number) = of.step.numbers.get(predict.number) else { return html! {} };
    let shown = match of.given.last() {
        Some(Given::Curve(given)) if of.is_over => given.clone(),
        _ => (*heights).clone(),
    };
    let onchange = (!of.is_over).then(|| {
        let heights = heights.clone();
        Callback::from(move |next| heights.set(next))
    });
    let hand_in = {
        let (answer, heights) = (of.answer.clone(), heights.clone());
        Callback::from(move |_: MouseEvent| answer.emit(Given::Curve((*heights).clone())))
    };
    html! {
        <fieldset class="prediction">
            <legend>{ &of.step.question }</legend>
            <Curve places={predict.field.values.clone()} along={predict.field.name.clone()} axis={predict.axis} unit={number.unit}
                heights={shown} right={right.clone()} {onchange} />
            if !of.is_over {
                <button type="button" class="primary" onclick={hand_in} data-testid="answer-curve">{ "Show the computed curve" }</button>
                <span class="hint">{ "Drag the points to where you expect them; arrow keys move the one in focus." }</span>
            }
        </fieldset>
    }
}

#[derive(Properties, PartialEq)]
pub struct TaskFieldProps {
    pub of: Questioned,
    pub task: DesignGoal,
    /// The chosen value of each field, by index.
    pub values: Vec<u32>,
    /// The mapping made by hand, as an answer; only for tasks without fields.
    pub mapping: Option<Given>,
    /// The numbers of the chosen design once they are known, or the reason why there are none.
    pub numbers: Option<Result<Vec<f64>, String>>,
    /// Called with other values.
    pub onchoose: Callback<Vec<u32>>,
}

/// A design to find.
#[component]
pub fn TaskField(props: &TaskFieldProps) -> Html {
    let TaskFieldProps { of, task, values, mapping, numbers, onchoose } = props;
    let given = match task.fields.is_empty() {
        true => mapping.clone(),
        false => Some(Given::Values(values.iter().map(|value| value + 1).collect())),
    };
    let select = |(index, field): (usize, &crate::lesson::LessonField)| {
        let (values, onchoose) = (values.clone(), onchoose.clone());
        let onchange = Callback::from(move |value: String| {
            let mut next = values.clone();
            if let (Some(place), Ok(value)) = (next.get_mut(index), value.parse()) {
                *place = value;
                onchoose.emit(next);
            }
        });
        let choices =
            field.values.iter().enumerate().map(|(value, text)| Option_::new(value.to_string(), text.clone()));
        let value = props.values.get(index).copied().unwrap_or_default().to_string();
        html! {
            <Select label={field.name.clone()} choices={choices.collect::<Vec<_>>()} {value} {onchange} testid="task-field" />
        }
    };
    let known = numbers.as_ref().and_then(|numbers| numbers.as_ref().ok());
    let goal = |goal: &crate::lesson::Condition| {
        let state = known.map(|numbers| goal.holds_with_limits(numbers));
        let (class, mark) = match state {
            Some(true) => ("right", "✓ "),
            Some(false) => ("wrong", "✗ "),
            None => ("", ""),
        };
        html! { <li {class}>{ mark }{ of.step.conditions_text(goal) }</li> }
    };
    let value = |(number, value): (&crate::lesson::Number, &f64)| {
        html! { <div><dt>{ &number.name }</dt><dd>{ number.unit.text(*value) }</dd></div> }
    };
    let is_again = given.as_ref().is_some_and(|given| of.given.contains(given)) && !of.is_over;
    let hand_in = given.filter(|_| !is_again).map(|given| of.answer.reform(move |_: MouseEvent| given.clone()));
    html! {
        <fieldset class="task">
            <legend>{ &of.step.question }</legend>
            if task.fields.is_empty() {
                <p class="hint">{ "Move loops and boundaries of the nest below; the numbers here are those of your mapping." }</p>
            } else {
                <div class="fields">{ for task.fields.iter().enumerate().map(select) }</div>
            }
            if !task.goals.is_empty() {
                <ul class="goals" aria-label="Goals">{ for task.goals.iter().map(goal) }</ul>
            }
            <div role="status" data-testid="task-numbers">
                { match numbers {
                    Some(Ok(numbers)) => html! { <dl class="figures">{ for of.step.numbers.iter().zip(numbers).map(value) }</dl> },
                    Some(Err(wrong)) => html! { <p class="hint">{ format!("This cannot be run: {wrong}") }</p> },
                    None if mapping.is_none() && task.fields.is_empty() => {
                        html! { <p class="hint">{ "The best mapping is hidden in what you hand in: change the nest first." }</p> }
                    }
                    None => html! { <p class="hint">{ "Working it out …" }</p> },
                } }
            </div>
            <button type="button" class="primary" disabled={of.is_over || hand_in.is_none()}
                onclick={hand_in.unwrap_or_default()} data-testid="answer-task">
                { "Hand in" }
            </button>
            if is_again { <span class="hint" data-testid="handed-in">{ "You have handed this in. Change it for the next try." }</span> }
        </fieldset>
    }
}
