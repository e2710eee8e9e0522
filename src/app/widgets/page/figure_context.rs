//! What surrounds a component: the colours of the page, the design that figures and tables are of, and where edits go.

use crate::chart::Theme;
use crate::state::{Action, file_name};
use std::rc::Rc;
use yew::prelude::*;

/// Context of everything that is drawn or saved.
#[derive(Clone, PartialEq, Default)]
pub struct FigureContext {
    pub is_dark: bool,
    /// Used in the names of files.
    pub names: DesignNames,
}

impl FigureContext {
    pub fn theme(&self) -> &'static Theme {
        theme(self.is_dark)
    }
}

/// The colours of figures for a dark or a light page.
pub fn theme(is_dark: bool) -> &'static Theme {
    if is_dark { &Theme::DARK } else { &Theme::LIGHT }
}

/// The surroundings of a component; without the context, a light page without a design.
#[hook]
pub fn use_figure_context() -> FigureContext {
    use_context::<FigureContext>().unwrap_or_default()
}

/// Where every change that a person makes goes; a context, which stays the same as long as the page. Nowhere where nothing says otherwise.
#[hook]
pub fn use_act() -> Callback<Action> {
    use_context::<Callback<Action>>().unwrap_or_else(Callback::noop)
}

/// Names of the hardware and of the network, for the names of files.
#[derive(Clone, PartialEq, Default)]
pub struct DesignNames(pub Rc<[String; 2]>);

impl DesignNames {
    /// The names of a design; `None` for a document that cannot be read.
    pub fn new(core: Option<String>, network: Option<String>) -> Self {
        Self(Rc::new([core, network].map(Option::unwrap_or_default)))
    }

    /// `tpu-like-df-fsrcnn-report.md`
    pub fn file(&self, shown: &str, kind: &str) -> String {
        file_name(&self.0, shown, kind)
    }

    /// `FSRCNN on TPU-like DF`, or less if a name is unknown.
    pub fn title(&self) -> String {
        let [core, network] = &*self.0;
        let known: Vec<&str> =
            [network, core].into_iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        known.join(" on ")
    }
}

#[derive(Properties, PartialEq)]
pub struct OfNoDesignProps {
    pub children: Html,
}

/// Content that belongs to no design, such as results of papers: files get no names of a design.
#[component]
pub fn OfNoDesign(props: &OfNoDesignProps) -> Html {
    let figure_context = FigureContext { names: DesignNames::default(), ..use_figure_context() };
    html! { <ContextProvider<FigureContext> context={figure_context}>{ props.children.clone() }</ContextProvider<FigureContext>> }
}
