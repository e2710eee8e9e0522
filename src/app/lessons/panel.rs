//! A guided lesson above the view that it is about: what there is to see, a question, and the answer with our numbers.

use crate::app::session::state::Event;
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::gallery::{Step, find_step};
use crate::question::{Answer, LessonNumbers, Topic};
use crate::spec::{in_quotes, lesson_steps};
use crate::state::{Action, State, Tab, ViewChange};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`LessonPanel`].
#[derive(Properties, PartialEq)]
pub struct LessonPanelProps {
    /// The step.
    pub id: &'static str,
    /// What was answered so far, by step.
    pub answers: Rc<BTreeMap<&'static str, usize>>,
    /// What a person chose.
    pub chosen: Rc<State>,
    /// Whether opening the step replaced what a person had changed.
    pub is_set_aside: bool,
    /// Asks workers.
    pub workers: Workers,
    /// Called with everything.
    pub tell: Callback<Event>,
}

/// A step of a lesson.
#[component]
pub fn LessonPanel(props: &LessonPanelProps) -> Html {
    let found = use_memo(props.id, |id| find_step(id));
    let questions = vec![LessonNumbers { step: props.id.to_owned() }];
    let numbers = use_answers(&props.workers, Topic::Lesson, questions);
    let Some((lesson, index)) = &*found else { return html! {} };
    let step = &lesson.steps[*index];
    let values = numbers.get(0);
    let act = props.tell.reform(Event::Act);
    let open = |step: &Step| {
        let (step, chosen) = (step.clone(), Rc::clone(&props.chosen));
        act.reform(move |_: MouseEvent| Action::step(&step, &chosen))
    };
    let answered = props.answers.get(step.id).copied();
    let dot = |(number, other): (usize, &Step)| {
        let is_here = number == *index;
        let is_done = props.answers.contains_key(other.id);
        let label = format!("Step {}: {}{}", number + 1, other.title, if is_done { ", answered" } else { "" });
        html! {
            <li>
                <button
                    type="button"
                    class={is_done.then_some("done")}
                    aria-current={is_here.then_some("step")}
                    aria-label={label}
                    onclick={open(other)}
                    data-testid={format!("step-{}", number + 1)}
                >
                    { number + 1 }
                </button>
            </li>
        }
    };
    html! {
        <section class="card lesson" aria-labelledby="step-title" data-testid="lesson" data-step={step.id}>
            <div class="lesson-head">
                <span>{ "Lesson: " }<b>{ &lesson.title }</b></span>
                <ol aria-label="Steps">{ for lesson.steps.iter().enumerate().map(dot) }</ol>
                <button
                    type="button"
                    class="icon"
                    aria-label="Close the lesson"
                    onclick={act.reform(|_: MouseEvent| Action::LeaveLesson)}
                    data-testid="lesson-close"
                >
                    { "×" }
                </button>
            </div>
            <h2 id="step-title">{ &step.title }</h2>
            if props.is_set_aside {
                <p class="hint" role="status" data-testid="set-aside">
                    { "This step has replaced what you changed. " }
                    <button type="button" class="link" onclick={props.tell.reform(|_: MouseEvent| Event::Undo)}>
                        { "Bring it back" }
                    </button>
                </p>
            }
            <p>{ step.introduction(values.and_then(|values| values.as_deref().ok())) }</p>
            { question(step, answered, values, &props.tell) }
            <div role="status" data-testid="verdict">{ verdict(step, answered, values) }</div>
            <div class="row">
                if let Some(next) = lesson.steps.get(index + 1) {
                    <button
                        type="button"
                        class={answered.is_some().then_some("primary")}
                        onclick={open(next)}
                        data-testid="next-step"
                    >
                        { format!("Next: {} →", next.title) }
                    </button>
                } else {
                    if let Some((next, title)) = lesson_after(step.id) {
                        <button
                            type="button"
                            class={answered.is_some().then_some("primary")}
                            onclick={open(&next)}
                            data-testid="next-lesson"
                        >
                            { format!("Next lesson: {title} →") }
                        </button>
                    }
                    <button
                        type="button"
                        class="to-gallery"
                        onclick={act.reform(|_: MouseEvent| Action::Look(ViewChange::Tab(Tab::Gallery)))}
                        data-testid="lesson-gallery"
                    >
                        { "All lessons" }
                    </button>
                    <span class="hint">{ "This is the last step. Change the design and see whether the answers stay." }</span>
                }
            </div>
        </section>
    }
}

/// The first step of the lesson after the one that ends with this step, and what that is called.
fn lesson_after(last: &str) -> Option<(Step, String)> {
    let id = lesson_steps().iter().skip_while(|id| **id != last).nth(1)?;
    let (mut lesson, index) = find_step(id)?;
    Some((lesson.steps.swap_remove(index), lesson.title))
}

fn question(step: &Step, answered: Option<usize>, values: Option<&Answer<Vec<f64>>>, tell: &Callback<Event>) -> Html {
    let right = values.and_then(|values| step.right_answer(values.as_ref().ok()?)).filter(|_| answered.is_some());
    let id = step.id;
    let answer = |index: usize| {
        let is_chosen = answered == Some(index);
        let (class, mark) = match right {
            Some(right) if right == index => (Some("right"), "✓ "),
            Some(_) if is_chosen => (Some("wrong"), "✗ "),
            _ => (None, ""),
        };
        html! {
            <button
                type="button"
                {class}
                aria-pressed={is_chosen.to_string()}
                onclick={tell.reform(move |_: MouseEvent| Event::Answer(id, index))}
                data-testid={format!("answer-{}", index + 1)}
            >
                { mark }{ &step.answers[index].text }
            </button>
        }
    };
    html! {
        <fieldset>
            <legend>{ &step.question }</legend>
            { for (0..step.answers.len()).map(answer) }
        </fieldset>
    }
}

/// Whether the answer is right, and why; said once there is one.
fn verdict(step: &Step, answered: Option<usize>, values: Option<&Answer<Vec<f64>>>) -> Html {
    let Some(answered) = answered else { return html! {} };
    let values = match values {
        None => return html! { <p class="hint">{ "Working it out …" }</p> },
        Some(Err(refusal)) => {
            return html! { <p class="hint">{ in_quotes(&format!("Nobody knows: {}", refusal.reason())) }</p> };
        }
        Some(Ok(values)) => values,
    };
    let right = step.right_answer(values);
    let head = match right {
        Some(right) if right == answered => "Right. ".to_owned(),
        Some(right) => format!("Not so: “{}”. ", step.answers[right].text),
        None => String::new(),
    };
    html! { <p class="verdict"><b>{ head }</b>{ step.explanation(values) }</p> }
}
