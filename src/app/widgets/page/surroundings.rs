//! What surrounds a component: the colours of the page, the design that figures and tables are of, and where edits go.

use crate::chart::Theme;
use crate::state::{Action, file_name};
use std::rc::Rc;
use yew::prelude::*;

/// What everything that draws or saves knows of the page; a context.
#[derive(Clone, PartialEq, Default)]
pub struct Surroundings {
    /// Whether the page is dark.
    pub is_dark: bool,
    /// What files are named after.
    pub names: DesignNames,
}

impl Surroundings {
    /// The colours of figures.
    pub fn theme(&self) -> &'static Theme {
        theme(self.is_dark)
    }
}

/// The colours of figures on a dark page, or on a light one.
pub fn theme(is_dark: bool) -> &'static Theme {
    if is_dark { &Theme::DARK } else { &Theme::LIGHT }
}

/// What surrounds a component; a light page of no design where nothing says otherwise.
#[hook]
pub fn use_surroundings() -> Surroundings {
    use_context::<Surroundings>().unwrap_or_default()
}

/// Where every change that a person makes goes; a context, which stays the same as long as the page. Nowhere where nothing says otherwise.
#[hook]
pub fn use_act() -> Callback<Action> {
    use_context::<Callback<Action>>().unwrap_or_else(Callback::noop)
}

/// The names of the hardware and of the network at hand, for the names of files.
#[derive(Clone, PartialEq, Default)]
pub struct DesignNames(pub Rc<[String; 2]>);

impl DesignNames {
    /// Those of a design, as far as its documents can be read.
    pub fn new(core: Option<String>, network: Option<String>) -> Self {
        Self(Rc::new([core, network].map(Option::unwrap_or_default)))
    }

    /// `tpu-like-df-fsrcnn-report.md`
    pub fn file(&self, shown: &str, kind: &str) -> String {
        file_name(&self.0, shown, kind)
    }

    /// `FSRCNN on TPU-like DF`; what is known of it.
    pub fn title(&self) -> String {
        let [core, network] = &*self.0;
        let known: Vec<&str> =
            [network, core].into_iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        known.join(" on ")
    }
}

/// Properties of [`OfNoDesign`].
#[derive(Properties, PartialEq)]
pub struct OfNoDesignProps {
    /// What is shown.
    pub children: Html,
}

/// What is of no design, such as what papers say.
#[component]
pub fn OfNoDesign(props: &OfNoDesignProps) -> Html {
    let surroundings = Surroundings { names: DesignNames::default(), ..use_surroundings() };
    html! { <ContextProvider<Surroundings> context={surroundings}>{ props.children.clone() }</ContextProvider<Surroundings>> }
}
