//! Numbers that unfold: a click, or Enter, shows the formula, its values, and the source in a paper.

use super::dialog::Dialog;
use crate::app::platform::lazy_modules::{Load, use_lazy_module};
use crate::app::platform::missing::missing;
use crate::app::widgets::forms::controls::target;
use crate::depth_first::PointAccount;
use crate::explain::{
    Explained, ExplainedNumber, ExplainedResults, Formula, LayerNumber, PointNumber, explain_layer, explain_point,
};
use crate::explore::{LayerFacts, MappedLayer};
use crate::lazy_module;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use web_sys::Element;
use yew::prelude::*;

/// A number that can be explained.
#[derive(Clone)]
pub enum ExplainableNumber {
    Point(Arc<PointAccount>, PointNumber),
    /// Of a mapped layer.
    Layer(Rc<LayerFacts>, Rc<MappedLayer>, LayerNumber),
    /// A number of results that only late views use: their type is erased, so that the first view does not load their
    /// code.
    Of(Rc<dyn ExplainedResults>, ExplainedNumber),
    /// Explained already.
    Made(Rc<Explained>),
}

impl PartialEq for ExplainableNumber {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Point(a, x), Self::Point(b, y)) => Arc::ptr_eq(a, b) && x == y,
            (Self::Layer(f, a, x), Self::Layer(g, b, y)) => Rc::ptr_eq(f, g) && Rc::ptr_eq(a, b) && x == y,
            (Self::Of(a, x), Self::Of(b, y)) => a.place() == b.place() && x == y,
            (Self::Made(a), Self::Made(b)) => a == b,
            _ => false,
        }
    }
}

impl ExplainableNumber {
    fn explain(&self) -> Option<Explained> {
        match self {
            Self::Point(account, number) => explain_point(account, *number),
            Self::Layer(facts, mapped, number) => explain_layer(facts, mapped, *number),
            Self::Of(results, subject) => results.explain(*subject),
            Self::Made(explained) => Some((**explained).clone()),
        }
    }

    /// Another number of the same results; `None` if they have no such number.
    fn about(&self, subject: ExplainedNumber) -> Option<Self> {
        match (self, subject) {
            (Self::Point(account, _), ExplainedNumber::Point(number)) => Some(Self::Point(Arc::clone(account), number)),
            (Self::Layer(facts, mapped, _), ExplainedNumber::Layer(number)) => {
                Some(Self::Layer(Rc::clone(facts), Rc::clone(mapped), number))
            }
            (Self::Of(results, _), subject) => Some(Self::Of(Rc::clone(results), subject)),
            _ => None,
        }
    }
}

/// Called with the number to explain and the element that shows it.
#[derive(Clone, PartialEq)]
struct AskHandler(Callback<(ExplainableNumber, Option<Element>)>);

/// Functions whose code is fetched when a number is first unfolded.
#[derive(Clone, Copy)]
pub struct ExplainCode {
    /// Draws the explanation beside an element; the callback is called when it is closed.
    pub explanation: fn(ExplainableNumber, Option<Element>, Callback<()>) -> Html,
}
lazy_module!(ExplainCode);

#[derive(Properties, PartialEq)]
pub struct ExplainingProps {
    pub children: Html,
}

/// A part of the page whose numbers unfold, in a dialog beside the number clicked.
#[component]
pub fn Explaining(props: &ExplainingProps) -> Html {
    let shown = use_state(|| None::<(ExplainableNumber, Option<Element>)>);
    let ask = {
        let shown = shown.setter();
        use_callback((), move |asked: (ExplainableNumber, Option<Element>), ()| shown.set(Some(asked)))
    };
    let on_close = {
        let shown = shown.setter();
        use_callback((), move |(): (), ()| shown.set(None))
    };
    let parts = use_lazy_module::<ExplainCode>(shown.is_some());
    let explanation = match (&*shown, parts) {
        (Some((asked, beside)), Load::Ready(parts)) => (parts.explanation)(asked.clone(), beside.clone(), on_close),
        (Some(_), Load::Failed(again)) => missing("toast", again, on_close),
        _ => html! {},
    };
    html! { <ContextProvider<AskHandler> context={AskHandler(ask)}>{ props.children.clone() }{ explanation }</ContextProvider<AskHandler>> }
}

/// The explanation of a number beside an element. Only `shell::pieces` may name it.
pub fn explanation(asked: ExplainableNumber, beside: Option<Element>, on_close: Callback<()>) -> Html {
    html! { <Explanation {asked} {beside} {on_close} /> }
}

#[derive(Properties, PartialEq)]
pub struct NumberProps {
    /// Without it the number is plain text.
    pub asked: Option<ExplainableNumber>,
    pub text: AttrValue,
}

/// A number that unfolds.
#[component]
pub fn Number(props: &NumberProps) -> Html {
    let ask = use_context::<AskHandler>();
    match (&props.asked, ask) {
        (Some(asked), Some(AskHandler(ask))) => {
            let asked = asked.clone();
            let onclick = ask.reform(move |event: MouseEvent| (asked.clone(), target::<Element>(&event)));
            html! {
                <button type="button" class="number" aria-haspopup="dialog" title="How it comes about" {onclick}>
                    { props.text.clone() }
                </button>
            }
        }
        _ => html! { { props.text.clone() } },
    }
}

/// A number of a point; it unfolds once the account of the point is known.
pub fn number_of(account: Option<&Arc<PointAccount>>, number: PointNumber, text: String) -> Html {
    let asked = account.map(|account| ExplainableNumber::Point(Arc::clone(account), number));
    html! { <Number {asked} {text} /> }
}

#[derive(Properties, PartialEq)]
struct ExplanationProps {
    asked: ExplainableNumber,
    beside: Option<Element>,
    on_close: Callback<()>,
}

/// Paths of open terms; a path is the indices of terms from the number down.
#[derive(Default, PartialEq)]
struct OpenTerms(BTreeSet<Vec<u16>>);

impl Reducible for OpenTerms {
    /// A path, and whether it is to be open.
    type Action = (Vec<u16>, bool);

    // Two terms may be toggled before a render: each action builds on the result of the one before.
    fn reduce(self: Rc<Self>, (path, is_open): Self::Action) -> Rc<Self> {
        let mut open = self.0.clone();
        if is_open {
            open.insert(path);
        } else {
            open.remove(&path);
        }
        Rc::new(Self(open))
    }
}

/// The explanation of a number, whose terms unfold in turn.
#[component]
fn Explanation(props: &ExplanationProps) -> Html {
    let open = use_reducer_eq(OpenTerms::default);
    let ontoggle = {
        let open = open.dispatcher();
        Callback::from(move |toggled| open.dispatch(toggled))
    };
    let Some(explained) = props.asked.explain() else { return html! {} };
    let tree = Tree { open: &open.0, ontoggle };
    let mut title = explained.name.to_string();
    if let Some(first) = title.get(..1) {
        title = first.to_ascii_uppercase() + &title[1..];
    }
    html! {
        <Dialog {title} beside={props.beside.clone()} on_close={props.on_close.clone()} testid="explanation">
            <p class="result" data-testid="explained-value">{ explained.value_text() }</p>
            { tree.body(&props.asked, &explained, &mut Vec::new()) }
        </Dialog>
    }
}

/// Limit on the terms listed.
const MOST_TERMS: usize = 40;

struct Tree<'a> {
    open: &'a BTreeSet<Vec<u16>>,
    ontoggle: Callback<(Vec<u16>, bool)>,
}

impl Tree<'_> {
    fn body(&self, asked: &ExplainableNumber, explained: &Explained, path: &mut Vec<u16>) -> Html {
        let several = explained.formulas.len() > 1;
        let mut formulas = Vec::new();
        for (index, formula) in explained.formulas.iter().enumerate() {
            path.push(index as u16);
            let title = if formula.title.is_empty() { "as a formula" } else { formula.title };
            formulas.push(match several && index > 0 {
                true => self.fold(path, html! { <span>{ title }</span> }, |path| self.formula(asked, formula, path)),
                false => html! {
                    <>
                        if several { <h3>{ title }</h3> }
                        { self.formula(asked, formula, path) }
                    </>
                },
            });
            path.pop();
        }
        html! {
            <div class="explained">
                if !explained.note.is_empty() { <p class="note">{ explained.note.to_string() }</p> }
                { for formulas }
                if !explained.source.is_empty() { <p class="source">{ explained.source }</p> }
            </div>
        }
    }

    fn formula(&self, asked: &ExplainableNumber, formula: &Formula, path: &mut Vec<u16>) -> Html {
        let mut terms = Vec::new();
        for (index, term) in formula.terms.iter().take(MOST_TERMS).enumerate() {
            path.push(index as u16);
            terms.push(self.term(asked, term, path));
            path.pop();
        }
        let more = formula.terms.len().saturating_sub(MOST_TERMS);
        html! {
            <>
                <p class="formula"><span>{ "= " }{ formula.in_words() }</span><span>{ "= " }{ formula.with_values() }</span></p>
                <ul>
                    { for terms.into_iter().map(|term| html! { <li>{ term }</li> }) }
                    if more > 0 { <li class="hint">{ format!("… and {more} more") }</li> }
                </ul>
            </>
        }
    }

    fn term(&self, asked: &ExplainableNumber, term: &Explained, path: &mut Vec<u16>) -> Html {
        let head = html! { <><span>{ term.name.to_string() }</span><b>{ term.value_text() }</b></> };
        if !term.unfolds() {
            return html! { <div class="term">{ head }</div> };
        }
        self.fold(path, head, |path| {
            // A term that only names a subject is explained when it is opened.
            let about = term.subject.and_then(|subject| asked.about(subject));
            match about.and_then(|about| Some((about.explain()?, about))) {
                Some((explained, about)) => self.body(&about, &explained, path),
                None => self.body(asked, term, path),
            }
        })
    }

    /// A disclosure whose body is built only while it is open.
    fn fold(&self, path: &mut Vec<u16>, head: Html, body: impl Fn(&mut Vec<u16>) -> Html) -> Html {
        let is_open = self.open.contains(path);
        let ontoggle = {
            let path = path.clone();
            self.ontoggle.reform(move |event: Event| {
                let is_open = target::<Element>(&event).is_some_and(|details| details.has_attribute("open"));
                (path.clone(), is_open)
            })
        };
        html! {
            <details class="part" open={is_open} {ontoggle}>
                <summary>{ head }</summary>
                if is_open { { body(path) } }
            </details>
        }
    }
}
