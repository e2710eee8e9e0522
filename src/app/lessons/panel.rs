//! The open step of a lesson above the view that it is about: text, question, and the verdict on the answer.

use super::kept::use_kept_answers;
use super::questions::{CurveField, NumberField, Questioned, TaskField, choices};
use crate::app::session::handle::use_tell;
use crate::app::session::state::{AnswerKey, Event, LessonAnswers};
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::answers::Answers;
use crate::app::workers::ask::use_answers;
use crate::lesson::{
    Given, Lesson, LessonSource, LessonStep, MappingGiven, OpenLesson, Receipt, StepKind, StepNumbers, Variation,
    Verdict, marks_of,
};
use crate::question::{Channel, LessonNumbers};
use crate::spec::{Diagnostics, in_quotes, lesson_presets};
use crate::state::{Action, State, Tab, ViewField, file_name};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Context of pages that report results: called with every judged step.
#[derive(Clone, PartialEq)]
pub struct OnJudged(pub Callback<Value>);

#[derive(Properties, PartialEq)]
pub struct LessonPanelProps {
    /// The lesson, and the index of its step.
    pub open: OpenLesson,
    /// The answers so far, by step.
    pub answers: Rc<LessonAnswers>,
    pub chosen: Rc<State>,
    /// Whether opening the step replaced a design that a person had changed.
    pub is_set_aside: bool,
}

/// A step of a lesson, or the errors of its document.
#[component]
pub fn LessonPanel(props: &LessonPanelProps) -> Html {
    let key = (props.open.source.clone(), props.open.student.clone());
    let lesson =
        use_memo(key, |(source, student)| -> Result<Rc<Lesson>, Diagnostics> { source.lesson(student).map(Rc::new) });
    let tell = use_tell();
    let to_list = use_act().reform(|_: MouseEvent| Action::Look(ViewField::Tab(Tab::Lessons)));
    let step = lesson.as_ref().as_ref().ok().and_then(|lesson| lesson.steps.get(props.open.step as usize).cloned());
    match (&*lesson, step) {
        (Ok(lesson), Some(step)) => html! {
            <StepPanel lesson={Rc::clone(lesson)} step={Rc::new(step)} open={props.open.clone()} answers={Rc::clone(&props.answers)}
                chosen={Rc::clone(&props.chosen)} is_set_aside={props.is_set_aside} {tell} />
        },
        _ => html! {
            <section class="card lesson" data-testid="lesson">
                <p>{ "The lesson has mistakes, or fewer steps than this." }</p>
                <button type="button" class="link" onclick={to_list}>{ "See what is wrong" }</button>
            </section>
        },
    }
}

#[derive(Properties, PartialEq)]
struct StepPanelProps {
    lesson: Rc<Lesson>,
    step: Rc<LessonStep>,
    open: OpenLesson,
    answers: Rc<LessonAnswers>,
    chosen: Rc<State>,
    is_set_aside: bool,
    tell: Callback<Event>,
}

impl StepPanelProps {
    /// The lesson and step of questions: without the choices of a task, on which the answers do not depend.
    fn asked(&self) -> OpenLesson {
        OpenLesson { values: Vec::new(), ..self.open.clone() }
    }

    fn key_of(&self, step: u32) -> AnswerKey {
        OpenLesson { step, source: self.open.source.clone(), student: self.open.student.clone(), values: Vec::new() }
            .key()
    }

    /// The action that opens a step of the lesson.
    fn opens(&self, step: u32) -> Option<Action> {
        let opens = self.lesson.steps.get(step as usize)?.opens.clone();
        Some(Action::step(OpenLesson { step, ..self.asked() }, opens, &self.chosen))
    }

    /// The chosen value of each field, by index.
    fn values(&self) -> Vec<u32> {
        let start: &[u32] = match &self.step.kind {
            StepKind::Task(task) => &task.start,
            _ => &[],
        };
        let chosen = |index: usize| self.open.values.get(index).or(start.get(index)).copied().unwrap_or_default();
        (0..self.step.fields().len()).map(chosen).collect()
    }
}

/// Designs whose numbers are needed to judge a step, each once.
fn needed(step: &LessonStep, given: &[Given]) -> Vec<Variation> {
    let mut all = vec![Variation::AsWritten];
    for variation in given.iter().flat_map(|given| step.decided_by(given)) {
        if !all.contains(&variation) {
            all.push(variation);
        }
    }
    all
}

/// The verdict on each answer, once all numbers are known.
fn verdicts(
    step: &LessonStep,
    given: &[Given],
    asked: &[Variation],
    known: &Answers<LessonNumbers, Vec<f64>>,
) -> Option<Vec<Option<Verdict>>> {
    if !known.is_complete() || known.all() != asked.len() {
        return None;
    }
    let numbers = |variation: &Variation| -> StepNumbers {
        let index = asked.iter().position(|other| other == variation)?;
        known.reply(index).cloned()
    };
    let judged = |given: &Given| {
        let numbers: Vec<StepNumbers> = step.decided_by(given).iter().map(numbers).collect();
        step.judge(given, &numbers)
    };
    Some(given.iter().map(judged).collect())
}

/// One step: text, question, verdict.
#[component]
fn StepPanel(props: &StepPanelProps) -> Html {
    let StepPanelProps { lesson, step, open, tell, .. } = props;
    let key = open.key();
    let given = props.answers.get(&key).map(|answers| answers.given.clone()).unwrap_or_default();
    let asked = needed(step, &given);
    let questions = asked.iter().map(|of| LessonNumbers { lesson: props.asked(), of: of.clone() }).collect();
    let known = use_answers(Channel::Lesson, questions);
    let values = props.values();
    let (at_hand, mapping) = at_hand(props, &values);
    let questions = at_hand.iter().map(|of| LessonNumbers { lesson: props.asked(), of: of.clone() }).collect();
    let numbers_at_hand = use_answers(Channel::LessonAtHand, questions);
    let verdicts = verdicts(step, &given, &asked, &known);
    let marks = verdicts.as_ref().filter(|_| !given.is_empty()).map(|verdicts| {
        let shares: Vec<f64> = verdicts.iter().map(|verdict| verdict.as_ref().map_or(0.0, |v| v.share)).collect();
        marks_of(step, &shares)
    });
    let is_right = verdicts.iter().flatten().flatten().any(Verdict::is_right);
    let is_over = is_right || given.len() >= step.tries;
    use_judged(props, marks, given.len(), is_over && verdicts.is_some());
    use_kept_answers(vec![key.0.clone()], &key.1, &props.answers, tell);
    let written = known.get(0).and_then(|numbers| numbers.as_deref().ok());
    let questioned = Questioned {
        step: Rc::clone(step),
        given: given.clone(),
        is_over,
        answer: {
            let (tell, key, before) = (tell.clone(), key.clone(), given.clone());
            // The same answer again costs no try.
            Callback::from(move |given| {
                if !before.contains(&given) {
                    tell.emit(Event::Answer(key.clone(), given));
                }
            })
        },
    };
    let shows_right = is_over && verdicts.is_some();
    let current = numbers_at_hand.get(0).map(|numbers| numbers.clone().map_err(|refusal| refusal.reason().to_owned()));
    let question = match &step.kind {
        StepKind::Choice(all) => {
            let right = written.and_then(|written| step.right_choice(written)).filter(|_| shows_right);
            choices(&questioned, all, right, verdicts.is_some())
        }
        StepKind::Number(number) => html! { <NumberField key={key.2} of={questioned} asked={*number} /> },
        StepKind::Predict(predict) => {
            let height = |variation: usize| known.reply(variation)?.get(predict.number).copied();
            let right = (1..asked.len()).map(height).collect::<Option<Vec<f64>>>().filter(|_| shows_right);
            html! { <CurveField key={key.2} of={questioned} predict={predict.clone()} {right} /> }
        }
        StepKind::Task(task) => {
            let onchoose = {
                let (act, step, open) = (tell.reform(Event::Act), Rc::clone(step), open.clone());
                Callback::from(move |values: Vec<u32>| {
                    if let Ok(opens) = step.opens_with(&values) {
                        act.emit(Action::try_values(OpenLesson { values, ..open.clone() }, opens));
                    }
                })
            };
            let mapping = mapping.map(Given::Mapping);
            html! { <TaskField of={questioned} task={task.clone()} {values} {mapping} numbers={current.clone()} {onchoose} /> }
        }
    };
    let is_changed = matches!(at_hand.first(), Some(Variation::AtHand(_)));
    html! {
        <section class="card lesson" aria-labelledby="step-title" data-testid="lesson"
            data-step={crate::lesson::step_name(&open.source.key(), open.step)}
            data-judged={verdicts.is_some().to_string()}>
            { head(props) }
            <h2 id="step-title">{ &step.title }</h2>
            if props.is_set_aside {
                <p class="hint" role="status" data-testid="set-aside">
                    { "This step has replaced what you changed. " }
                    <button type="button" class="link" onclick={tell.reform(|_: MouseEvent| Event::Undo)}>
                        { "Bring it back" }
                    </button>
                </p>
            }
            if lesson.variants() > 1 && open.student.is_empty() { <StudentField props={PropsOf::of(props)} /> }
            <p>{ step.introduction(written) }</p>
            { question }
            <div role="status" data-testid="verdict">
                { said(props, &given, verdicts.as_deref(), written, is_over, &known) }
                if is_changed { { changed(props, current.as_ref()) } }
            </div>
            { foot(props, is_over, marks) }
        </section>
    }
}

/// The current design whose numbers are asked for: the choices of a task, else the design as a person has changed it;
/// and the mapping made by hand, if a mapping is asked for.
fn at_hand(props: &StepPanelProps, values: &[u32]) -> (Vec<Variation>, Option<MappingGiven>) {
    match &props.step.kind {
        StepKind::Task(task) if task.fields.is_empty() => {
            let mapping = props.chosen.own_mapping().map(MappingGiven::from);
            (mapping.clone().map(Variation::Mapping).into_iter().collect(), mapping)
        }
        StepKind::Task(_) => (vec![Variation::Values(values.to_vec())], None),
        _ if props.chosen.differs_from(&props.step.opens) => {
            let at_hand = props.chosen.at_hand().map(|at_hand| Variation::AtHand(Box::new(at_hand)));
            (at_hand.into_iter().collect(), None)
        }
        _ => (Vec::new(), None),
    }
}

/// Reports the marks once they are known.
#[hook]
fn use_judged(props: &StepPanelProps, marks: Option<f64>, tries: usize, is_over: bool) {
    let told = use_context::<OnJudged>();
    let tell = props.tell.clone();
    let of_step = (props.open.key(), marks, tries);
    let (lesson, open, answers) = (Rc::clone(&props.lesson), props.open.clone(), Rc::clone(&props.answers));
    use_effect_with(of_step, move |(key, marks, tries)| {
        let Some(marks) = *marks else { return };
        tell.emit(Event::Judged(key.clone(), marks));
        if let Some(OnJudged(told)) = told {
            let mut answers = (*answers).clone();
            answers.judge(key, marks);
            let (reached, of) = (reached(&open, &lesson, &answers), lesson.marks());
            let receipt = receipt(&open, &lesson, &answers);
            told.emit(json!({
                "lesson": lesson.title,
                "student": open.student,
                "step": open.step + 1,
                "steps": lesson.steps.len(),
                "tries": tries,
                "is_over": is_over,
                "step_marks": marks,
                "marks": reached,
                "of": of,
                "answered": answered(&open, &lesson, &answers),
                "receipt": receipt.to_json(),
            }));
        }
    });
}

fn of_step<'a>(
    open: &OpenLesson,
    step: usize,
    answers: &'a LessonAnswers,
) -> Option<&'a crate::app::session::state::StepAnswers> {
    let (lesson, student, _) = open.key();
    answers.get(&(lesson, student, step as u32))
}

/// Marks of all steps so far.
fn reached(open: &OpenLesson, lesson: &Lesson, answers: &LessonAnswers) -> f64 {
    (0..lesson.steps.len()).filter_map(|step| of_step(open, step, answers)?.marks).sum()
}

/// Number of answered steps.
fn answered(open: &OpenLesson, lesson: &Lesson, answers: &LessonAnswers) -> usize {
    (0..lesson.steps.len()).filter(|step| of_step(open, *step, answers).is_some()).count()
}

fn receipt(open: &OpenLesson, lesson: &Lesson, answers: &LessonAnswers) -> Receipt {
    let given = |step: usize| Some((step as u32, of_step(open, step, answers)?.given.clone()));
    let given: BTreeMap<u32, Vec<Given>> = (0..lesson.steps.len()).filter_map(given).collect();
    let shown = format!("{} of {} marks", mark_text(reached(open, lesson, answers)), mark_text(lesson.marks()));
    Receipt::of(open, lesson, given, shown)
}

/// Marks, rounded to a hundredth.
pub fn mark_text(marks: f64) -> String {
    let text = format!("{marks:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn head(props: &StepPanelProps) -> Html {
    let StepPanelProps { lesson, open, tell, .. } = props;
    let act = tell.reform(Event::Act);
    let dot = |(number, other): (usize, &LessonStep)| {
        let is_here = number as u32 == open.step;
        let is_done = props.answers.get(&props.key_of(number as u32)).is_some();
        let label = format!("Step {}: {}{}", number + 1, other.title, if is_done { ", answered" } else { "" });
        let onclick = props.opens(number as u32).map(|action| act.reform(move |_: MouseEvent| action.clone()));
        html! {
            <li>
                <button type="button" class={is_done.then_some("done")} aria-current={is_here.then_some("step")} aria-label={label}
                    {onclick} data-testid={format!("step-{}", number + 1)}>
                    { number + 1 }
                </button>
            </li>
        }
    };
    html! {
        <div class="lesson-head">
            <span>
                { "Lesson: " }<b>{ &lesson.title }</b>
                if !open.student.is_empty() { { format!(" · {}", open.student) } }
                if lesson.variants() > 1 && !open.student.is_empty() { <span class="hint">{ format!(" · {}", lesson.drawn()) }</span> }
            </span>
            <ol aria-label="Steps">{ for lesson.steps.iter().enumerate().map(dot) }</ol>
            <button type="button" class="icon" aria-label="Close the lesson" onclick={act.reform(|_: MouseEvent| Action::LeaveLesson)}
                data-testid="lesson-close">
                { "×" }
            </button>
        </div>
    }
}

/// Parts of the props that a child compares to decide whether to render.
#[derive(Clone)]
struct PropsOf {
    lesson: Rc<Lesson>,
    open: OpenLesson,
    chosen: Rc<State>,
    tell: Callback<Event>,
}

impl PartialEq for PropsOf {
    fn eq(&self, other: &Self) -> bool {
        self.open == other.open && Rc::ptr_eq(&self.chosen, &other.chosen) && Rc::ptr_eq(&self.lesson, &other.lesson)
    }
}

impl PropsOf {
    fn of(props: &StepPanelProps) -> Self {
        let StepPanelProps { lesson, open, chosen, tell, .. } = props;
        Self { lesson: Rc::clone(lesson), open: open.clone(), chosen: Rc::clone(chosen), tell: tell.clone() }
    }
}

#[derive(Properties, PartialEq)]
struct StudentFieldProps {
    props: PropsOf,
}

/// A field for the name that decides the values of a lesson's variant.
#[component]
fn StudentField(props: &StudentFieldProps) -> Html {
    let field = use_node_ref();
    let onsubmit = {
        let (field, of) = (field.clone(), props.props.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let student =
                field.cast::<HtmlInputElement>().map(|field| field.value().trim().to_owned()).unwrap_or_default();
            let open = OpenLesson { student, values: Vec::new(), ..of.open.clone() };
            if let Some(step) = open.open_step().filter(|_| !open.student.is_empty()) {
                of.tell.emit(Event::Act(Action::step(open, step.opens, &of.chosen)));
            }
        })
    };
    let variants = props.props.lesson.variants();
    html! {
        <form class="asked student" {onsubmit}>
            <label for="lesson-student">{ format!("Your name or number decides which of {variants} variants you get:") }</label>
            <div class="row">
                <input id="lesson-student" ref={field} autocomplete="off" maxlength="200" data-testid="student" />
                <button type="submit" class="primary" data-testid="take-student">{ "Get my variant" }</button>
            </div>
        </form>
    }
}

/// The verdict and its explanation, once there is an answer.
fn said(
    props: &StepPanelProps,
    given: &[Given],
    verdicts: Option<&[Option<Verdict>]>,
    written: Option<&[f64]>,
    is_over: bool,
    known: &Answers<LessonNumbers, Vec<f64>>,
) -> Html {
    if given.is_empty() {
        return html! {};
    }
    let step = &props.step;
    let Some(verdicts) = verdicts else {
        return html! { <p class="hint">{ format!("Working it out … {} of {}", known.done(), known.all()) }</p> };
    };
    let Some(Some(last)) = verdicts.last() else {
        let reason = known.refusal().map_or("no answer is right", |refusal| refusal.reason());
        return html! { <p class="hint">{ in_quotes(&format!("Nobody knows: {reason}")) }</p> };
    };
    let is_exact = matches!(step.kind, StepKind::Choice(_) | StepKind::Number(_));
    let (class, head) = match (last.is_right(), is_exact) {
        (true, _) => ("is-right", "✓ Right. "),
        (false, true) => ("is-wrong", "✗ Not so. "),
        (false, false) if last.share > 0.0 => ("is-partly", ""),
        (false, false) => ("is-wrong", ""),
    };
    let optimum = match &step.kind {
        StepKind::Task(task) if is_over || last.is_right() => {
            let of = if task.fields.is_empty() {
                "every mapping".to_owned()
            } else {
                format!("all {} designs", step.combinations().count())
            };
            format!(" The optimum of {of} is {}.", last.right)
        }
        StepKind::Task(_) => String::new(),
        _ if is_over && !last.is_right() && is_exact => format!(" Right is {}.", last.right),
        _ => String::new(),
    };
    let left = step.tries.saturating_sub(given.len());
    let again = match left {
        _ if is_over => String::new(),
        1 => " One more try.".to_owned(),
        left => format!(" {left} more tries."),
    };
    let explains =
        written.filter(|_| is_over).map(|written| format!(" {}", step.explanation(written))).unwrap_or_default();
    html! { <p class={classes!("verdict", class)}><b>{ head }</b>{ &last.said }{ optimum }{ again }{ explains }</p> }
}

/// The numbers of the design as a person has changed it.
fn changed(props: &StepPanelProps, numbers: Option<&Result<Vec<f64>, String>>) -> Html {
    let restore = props.opens(props.open.step);
    let restore = restore.map(|action| props.tell.reform(move |_: MouseEvent| Event::Act(action.clone())));
    let said = match numbers {
        None => "working it out …".to_owned(),
        Some(Err(wrong)) => wrong.clone(),
        Some(Ok(numbers)) => {
            let value = |(number, value): (&crate::lesson::Number, &f64)| {
                format!("{} {}", number.name, number.unit.text(*value))
            };
            let all = props.step.numbers.iter().zip(numbers).map(value).collect::<Vec<_>>().join(", ");
            match (&props.step.kind, props.step.right_choice(numbers)) {
                (StepKind::Choice(choices), Some(right)) => {
                    format!("{all}. There “{}” is right.", choices.get(right).map_or("", |choice| &choice.text))
                }
                _ => all,
            }
        }
    };
    html! {
        <p class="hint changed" data-testid="changed-design">
            { "You have changed the design. With yours: " }{ said }
            { " What counts is the design of this step. " }
            <button type="button" class="link" onclick={restore}>{ "Go back to it" }</button>
        </p>
    }
}

fn foot(props: &StepPanelProps, is_over: bool, marks: Option<f64>) -> Html {
    let StepPanelProps { lesson, step, open, tell, answers, .. } = props;
    let act = tell.reform(Event::Act);
    let next = lesson.steps.get(open.step as usize + 1).zip(props.opens(open.step + 1));
    let save = {
        let (open, lesson, answers) = (open.clone(), Rc::clone(lesson), Rc::clone(answers));
        Callback::from(move |_: MouseEvent| {
            let receipt = receipt(&open, &lesson, &answers);
            let name = file_name(&[lesson.title.clone(), open.student.clone()], "receipt", "json");
            save_text(&name, "application/json", &receipt.to_json());
        })
    };
    let again = {
        let key = open.key();
        tell.reform(move |_: MouseEvent| Event::Forget(key.clone()))
    };
    let primary = is_over.then_some("primary");
    let is_any = answered(open, lesson, answers) > 0;
    html! {
        <div class="row">
            if let Some((next, action)) = next {
                <button type="button" class={primary} onclick={act.reform(move |_: MouseEvent| action.clone())} data-testid="next-step">
                    { format!("Next: {} →", next.title) }
                </button>
            } else {
                if let Some((action, title)) = lesson_after(open, &props.chosen) {
                    <button type="button" class={primary} onclick={act.reform(move |_: MouseEvent| action.clone())}
                        data-testid="next-lesson">
                        { format!("Next lesson: {title} →") }
                    </button>
                }
                <button type="button" class="to-gallery" onclick={act.reform(|_: MouseEvent| Action::Look(ViewField::Tab(Tab::Lessons)))}
                    data-testid="lesson-gallery">
                    { "All lessons" }
                </button>
                <span class="hint">{ "This is the last step. Change the design and see whether the answers stay." }</span>
            }
            if is_over && marks.is_some() && open.student.is_empty() {
                <button type="button" class="link" onclick={again} data-testid="answer-again">{ "Answer again" }</button>
            }
            if is_any {
                <span class="marks" data-testid="marks">
                    { format!("{} of {} marks", mark_text(reached(open, lesson, answers)), mark_text(lesson.marks())) }
                    if let Some(marks) = marks { { format!(", {} of {} here", mark_text(marks), mark_text(step.marks)) } }
                </span>
                <button type="button" class="link" onclick={save} title="A file with your answers, which `fusescape grade` marks"
                    data-testid="save-receipt">
                    { "Save receipt" }
                </button>
            }
        </div>
    }
}

/// An action that opens the next lesson of the program, and its title.
fn lesson_after(open: &OpenLesson, chosen: &State) -> Option<(Action, String)> {
    let LessonSource::Preset(name) = &open.source else { return None };
    let next = lesson_presets().iter().skip_while(|preset| preset.id != name).nth(1)?;
    let next = OpenLesson {
        source: LessonSource::Preset(next.id.to_owned()),
        student: open.student.clone(),
        ..OpenLesson::default()
    };
    let lesson = next.lesson().ok()?;
    let opens = lesson.steps.first()?.opens.clone();
    Some((Action::step(next, opens, chosen), lesson.title))
}
