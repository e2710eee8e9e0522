//! The bar at the top.

use super::theme::ThemeChoice;
use yew::prelude::*;

/// What a [`Header`] needs.
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// Name of the network, if the document is right.
    pub network: Option<String>,
    /// Name of the accelerator, if the document is right.
    pub core: Option<String>,
    /// Light or dark.
    pub theme: ThemeChoice,
    /// Hears of another look.
    pub on_theme: Callback<ThemeChoice>,
}

/// Brand, design, and the switch between light and dark.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let next = props.theme.next();
    let toggle = props.on_theme.reform(move |_: MouseEvent| next);
    let name = |name: &Option<String>, other: &'static str| match name {
        Some(name) => html! { <b>{ name }</b> },
        None => html! { <span class="wrong">{ other }</span> },
    };
    let (icon, title) = match props.theme {
        ThemeChoice::Auto => ("◐", "Theme: as the system"),
        ThemeChoice::Light => ("☀", "Theme: light"),
        ThemeChoice::Dark => ("☾", "Theme: dark"),
    };
    html! {
        <header>
            <h1 class="brand">{ "Fuse" }<i>{ "scape" }</i></h1>
            <div class="design" data-testid="design">
                { name(&props.network, "a network with errors") }
                { " on " }
                { name(&props.core, "an accelerator with errors") }
            </div>
            <div class="grow"></div>
            <button
                type="button"
                class="icon"
                onclick={toggle}
                {title}
                aria-label={format!("{title}; next: {}", next.name())}
                data-testid="theme"
            >
                <span aria-hidden="true">{ icon }</span>
            </button>
        </header>
    }
}
