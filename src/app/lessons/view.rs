//! The list of lessons, and the editor of an own lesson with a preview for students.

use super::kept::use_kept_answers;
use super::panel::mark_text;
use super::variants::VariantsCheck;
use crate::app::design::import::{ImportButton, import_panel, use_import};
use crate::app::session::handle::Session;
use crate::app::session::handle::use_tell;
use crate::app::session::state::LessonAnswers;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::document_text::{DocumentText, use_text_offered};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::lesson::{Lesson, LessonSource, LessonStep, OpenLesson, StepKind, Variation, lessons};
use crate::question::{Channel, FindLessonMistakes, LessonNumbers, Reply};
use crate::spec::{Diagnostics, lesson_presets};
use crate::state::{Action, State, file_name};
use std::rc::Rc;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// The template of an own lesson: it has one step of each kind.
const EXAMPLE: &str = "your-own";

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, _: &Session) -> Html {
    let (chosen, own, answers) = (Rc::clone(&state.chosen), state.own_lesson.clone(), Rc::clone(&state.answers));
    html! { <LessonsView {chosen} {own} {answers} /> }
}

#[derive(Properties, PartialEq)]
pub struct LessonsViewProps {
    pub chosen: Rc<State>,
    /// Text of the own lesson.
    pub own: Option<Rc<str>>,
    /// The answers so far, by step.
    pub answers: Rc<LessonAnswers>,
}

/// One card per lesson, then the editor of an own lesson, which comes first once there is one.
#[component]
pub fn LessonsView(props: &LessonsViewProps) -> Html {
    let all = use_memo((), |()| lessons());
    let act = use_act();
    let import = use_import(&act, false);
    let is_offered = use_text_offered();
    let student = props.chosen.lesson.as_ref().map(|lesson| lesson.student.clone()).unwrap_or_default();
    let names = lesson_presets().iter().map(|preset| preset.id.to_owned()).collect();
    let tell = use_tell();
    use_kept_answers(names, &student, &props.answers, &tell);
    let own = match props.chosen.lesson.as_deref() {
        Some(open @ OpenLesson { source: LessonSource::Text(_), .. }) => Some(open.clone()),
        _ => props.own.as_ref().map(|text| OpenLesson {
            source: LessonSource::Text(text.to_string()),
            student: student.clone(),
            ..OpenLesson::default()
        }),
    };
    let cards = match &*all {
        Ok(all) => {
            let card = |(number, (id, lesson)): (usize, &(&'static str, Lesson))| {
                let source = LessonSource::Preset((*id).to_owned());
                let open = OpenLesson { source, student: student.clone(), ..OpenLesson::default() };
                html! { <div key={*id}>{ lesson_card(props, &act, number + 1, id, lesson, &open) }</div> }
            };
            all.iter().enumerate().map(card).collect::<Html>()
        }
        Err(wrong) => html! { <p>{ wrong.to_string() }</p> },
    };
    let example = lesson_presets().iter().find(|preset| preset.id == EXAMPLE);
    let begin = example.map(|example| {
        act.reform(move |_: MouseEvent| {
            scroll_up();
            Action::WriteLesson(example.text.to_owned())
        })
    });
    let has_own = own.is_some();
    let mine = html! {
        <>
            if is_offered {
                <section aria-labelledby="own-lesson-title">
                    <h2 id="own-lesson-title">{ if has_own { "Your own" } else { "Write your own" } }</h2>
                    <p class="hint">
                        { "A lesson is a document: steps with a design, a question, and the numbers that decide. Values may differ from \
                           student to student. Students save a receipt, and " }<code>{ "fusescape grade" }</code>
                        { " marks it. docs/lessons.md describes every field. Nothing is sent anywhere." }
                    </p>
                    <div class="row">
                        <ImportButton start={import.start.clone()} name="lesson" label="Open a file …" class="" />
                        if own.is_none() {
                            <button type="button" class="primary" onclick={begin}
                                data-testid="begin-lesson">{ "Begin with an example" }</button>
                        }
                    </div>
                    { import_panel(&import, "lesson") }
                </section>
            }
            if let Some(open) = own {
                <OwnLesson {open} chosen={Rc::clone(&props.chosen)} {is_offered} />
            }
        </>
    };
    html! {
        <div class="lessons-view" data-testid="lessons">
            // A person with an own document came to edit it.
            if has_own { { mine.clone() } }
            <p class="hint">
                { "Each step opens a design, asks about it, and computes which answer is right. Change whatever you like on the way." }
            </p>
            <div class="entries lessons">{ cards }</div>
            if !has_own { { mine } }
        </div>
    }
}

fn scroll_up() {
    if let Some(window) = web_sys::window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

fn lesson_card(
    props: &LessonsViewProps,
    act: &Callback<Action>,
    number: usize,
    id: &str,
    lesson: &Lesson,
    open: &OpenLesson,
) -> Html {
    let key = |step: usize| OpenLesson { step: step as u32, ..open.clone() }.key();
    let answers: Vec<_> = (0..lesson.steps.len()).filter_map(|step| props.answers.get(&key(step))).collect();
    let done = answers.len();
    let next = (0..lesson.steps.len()).find(|step| props.answers.get(&key(*step)).is_none()).unwrap_or(0);
    let word = match done {
        0 => "Start",
        done if done == lesson.steps.len() => "Look again",
        _ => "Continue",
    };
    let opens = OpenLesson { step: next as u32, ..open.clone() };
    // A variant begins with its own values.
    let begin = {
        let (chosen, act) = (Rc::clone(&props.chosen), act.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(step) = opens.open_step() {
                scroll_up();
                act.emit(Action::step(opens.clone(), step.opens, &chosen));
            }
        })
    };
    let marks: f64 = answers.iter().filter_map(|answers| answers.marks).sum();
    let kinds = kinds(&lesson.steps);
    html! {
        <section class="card lesson-card" data-testid={format!("lesson-{id}")}>
            <span class="number" aria-hidden="true">{ number }</span>
            <h3><button type="button" class="link" onclick={begin.clone()}>{ &lesson.title }</button></h3>
            <p>{ &lesson.about }</p>
            <div class="row">
                <button type="button" class={(done == 0).then_some("primary")} onclick={begin}
                    aria-label={format!("{word}: {}", lesson.title)}
                    data-testid={format!("start-{id}")}>
                    { word }
                </button>
                <span class="hint">
                    if done > 0 {
                        { format!("{} questions, {done} answered, {} of {} marks",
                            lesson.steps.len(), mark_text(marks), mark_text(lesson.marks())) }
                    } else {
                        { format!("{} questions{kinds}", lesson.steps.len()) }
                    }
                </span>
            </div>
        </section>
    }
}

/// `, one to draw, one to design`
fn kinds(steps: &[LessonStep]) -> String {
    let count = |is: fn(&StepKind) -> bool| steps.iter().filter(|step| is(&step.kind)).count();
    let words = [
        (count(|kind| matches!(kind, StepKind::Number(_))), "to compute"),
        (count(|kind| matches!(kind, StepKind::Predict(_))), "to draw"),
        (count(|kind| matches!(kind, StepKind::Task(_))), "to design"),
    ];
    words.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect()
}

#[derive(Properties, PartialEq)]
struct OwnLessonProps {
    open: OpenLesson,
    chosen: Rc<State>,
    is_offered: bool,
}

/// An own document, and its preview.
#[component]
fn OwnLesson(props: &OwnLessonProps) -> Html {
    let act = &use_act();
    let OwnLessonProps { open, chosen, .. } = props;
    let area = use_node_ref();
    let key = (open.source.clone(), open.student.clone());
    let lesson =
        use_memo(key, |(source, student)| -> Result<Rc<Lesson>, Diagnostics> { source.lesson(student).map(Rc::new) });
    let steps = lesson.as_ref().as_ref().map_or(0, |lesson| lesson.steps.len());
    let asked = |step: usize| LessonNumbers {
        lesson: OpenLesson { step: step as u32, values: Vec::new(), ..open.clone() },
        of: Variation::AsWritten,
    };
    let numbers = use_answers(Channel::LessonPreview, (0..steps).map(asked).collect());
    let text = open.source.text().to_owned();
    // The preview varies parameters and fields without the page.
    let mistakes = use_answers(Channel::LessonMistakes, vec![FindLessonMistakes { text: text.clone() }]);
    let wrong = match (mistakes.reply(0), &*lesson) {
        (Some(mistakes), _) => mistakes.clone(),
        (None, Err(wrong)) => wrong.clone(),
        (None, Ok(_)) => Diagnostics::default(),
    };
    let status = if lesson.is_ok() && wrong.is_empty() { numbers.status() } else { "rejected" };
    let on_line = {
        let area = area.clone();
        Callback::from(move |line: usize| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                select_line(&area, line);
            }
        })
    };
    let on_student = {
        let (act, open) = (act.clone(), open.clone());
        Callback::from(move |event: InputEvent| {
            let student = event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            act.emit(Action::ReadLesson(Box::new(OpenLesson { student, ..open.clone() })));
        })
    };
    let save = {
        let (text, title) =
            (text.clone(), lesson.as_ref().as_ref().map_or("lesson".to_owned(), |lesson| lesson.title.clone()));
        Callback::from(move |_: MouseEvent| {
            save_text(&file_name(&[String::new(), String::new()], &title, "yaml"), "application/yaml", &text);
        })
    };
    html! {
        <div class="own-lesson">
            if props.is_offered {
                <div class="card">
                    <div class="row">
                        <h3>{ "The document" }</h3>
                        <button type="button" class="link" onclick={save} data-testid="save-lesson">{ "Save as a file" }</button>
                    </div>
                    <DocumentText label="Lesson document" text={text.clone()}
                        oninput={act.reform(Action::WriteLesson)} rows="30" testid="lesson-text" {area} />
                </div>
            }
            <div class="card" data-testid="lesson-preview" data-status={status}
                data-mistakes={mistakes.status()}>
                if !wrong.is_empty() {
                    <h3>{ "What is wrong with it" }</h3>
                    <DiagnosticList diagnostics={wrong.clone()} {on_line} testid="lesson-errors" />
                }
                { match &*lesson {
                    Err(_) => html! {},
                    Ok(lesson) => html! {
                        <>
                            <h3>{ &lesson.title }</h3>
                            <p>{ &lesson.about }</p>
                            if lesson.variants() > 1 {
                                <label class="field">
                                    <span>{ format!("One of {} variants, drawn for the student", lesson.variants()) }</span>
                                    <input value={open.student.clone()} oninput={on_student} placeholder="any name" maxlength="200"
                                        autocomplete="off" data-testid="preview-student" />
                                </label>
                                <p class="hint">{ lesson.drawn() }</p>
                            }
                            <ol class="preview">
                                { for lesson.steps.iter().enumerate().map(|(index, step)| {
                                    let begin = {
                                        let open = OpenLesson { step: index as u32, values: Vec::new(), ..open.clone() };
                                        let chosen = Rc::clone(chosen);
                                        let opens = step.opens.clone();
                                        act.reform(move |_: MouseEvent| {
                                            scroll_up();
                                            Action::step(open.clone(), opens.clone(), &chosen)
                                        })
                                    };
                                    html! { <li>{ step_preview(step, numbers.get(index)) }
                                        <button type="button" onclick={begin}
                                            data-testid={format!("try-{}", index + 1)}>{ "Try it" }</button></li> }
                                }) }
                            </ol>
                            if wrong.is_empty() {
                                <VariantsCheck {text} variants={lesson.variants()} />
                            }
                        </>
                    },
                } }
            </div>
        </div>
    }
}

/// A step as a student sees it, with the right answer.
fn step_preview(step: &LessonStep, numbers: Option<&Reply<Vec<f64>>>) -> Html {
    let known = numbers.and_then(|numbers| numbers.as_deref().ok());
    let asked = match &step.kind {
        StepKind::Choice(choices) => {
            let right = known.and_then(|known| step.right_choice(known));
            let choice = |(index, choice): (usize, &crate::lesson::AnswerChoice)| {
                let is_right = right == Some(index);
                html! { <li class={is_right.then_some("right")}>{ if is_right { "✓ " } else { "" } }{ &choice.text }</li> }
            };
            html! {
                <>
                    <ul>{ for choices.iter().enumerate().map(choice) }</ul>
                    if known.is_some() && right.is_none() { <p class="wrong">{ "No answer is right with these numbers." }</p> }
                </>
            }
        }
        StepKind::Number(asked) => {
            let number = step.numbers.get(asked.number).zip(known.and_then(|known| known.get(asked.number)));
            let right = number.map_or_else(|| "…".to_owned(), |(number, value)| number.unit.text(*value));
            html! { <p>{ "A number: " }<span class="right">{ right }</span></p> }
        }
        StepKind::Predict(predict) => {
            html! { <p>{ format!("A curve over {} values of {}.", predict.field.values.len(), predict.field.field) }</p> }
        }
        StepKind::Task(task) if task.fields.is_empty() => html! { <p>{ "A mapping by hand." }</p> },
        StepKind::Task(task) => {
            let names: Vec<&str> = task.fields.iter().map(|field| field.name.as_str()).collect();
            html! { <p>{ format!("A design: {}; {} combinations.", names.join(", "), step.combinations().count()) }</p> }
        }
    };
    let values = known.map(|known| {
        let value =
            |(number, value): (&crate::lesson::Number, &f64)| format!("{} {}", number.name, number.unit.text(*value));
        step.numbers.iter().zip(known).map(value).collect::<Vec<_>>().join(", ")
    });
    html! {
        <>
            <b>{ &step.title }</b>
            <p>{ step.introduction(known) }</p>
            <p><i>{ &step.question }</i></p>
            { asked }
            if let Some(Err(refusal)) = numbers { <p class="wrong">{ format!("The numbers cannot be computed: {}", refusal.reason()) }</p> }
            if let Some(values) = values { <p class="hint">{ values }</p> }
        </>
    }
}

/// Selects a line of a text, and scrolls to it.
fn select_line(area: &HtmlTextAreaElement, line: usize) {
    let text = area.value();
    let start: usize =
        text.split_inclusive('\n').take(line.saturating_sub(1)).map(|line| line.encode_utf16().count()).sum();
    let length = text.lines().nth(line.saturating_sub(1)).map_or(0, |line| line.encode_utf16().count());
    // A window that is closing may refuse the focus, which does not matter.
    let _ = area.focus();
    let _ = area.set_selection_range(start as u32, (start + length) as u32);
}
