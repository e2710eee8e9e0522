//! The bar at the top.

use super::dialogs::OpenDialog;
use crate::app::session::handle::use_tell;
use crate::app::session::state::Event;
use crate::app::widgets::page::theme_choice::ThemeChoice;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// Name of the network, if its document is valid.
    pub network: Option<String>,
    /// Name of the accelerator, if its document is valid.
    pub core: Option<String>,
    pub theme: ThemeChoice,
    /// Whether undo and redo are possible.
    pub history: (bool, bool),
    /// Called with the dialog to open.
    pub on_dialog: Callback<OpenDialog>,
}

/// Brand, design, undo and redo, files and sharing, theme, and help.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let tell = use_tell();
    let next = props.theme.next();
    let name = |name: &Option<String>, other: &'static str| match name {
        Some(name) => html! { <b>{ name }</b> },
        None => html! { <span class="wrong">{ other }</span> },
    };
    let (icon, title) = match props.theme {
        ThemeChoice::Auto => ("◐", "Theme: as the system"),
        ThemeChoice::Light => ("☀", "Theme: light"),
        ThemeChoice::Dark => ("☾", "Theme: dark"),
    };
    let step = |icon: &'static str,
                label: &'static str,
                keys: &'static str,
                event: Event,
                enabled: bool,
                testid: &'static str| {
        html! {
            <button
                type="button"
                class="icon"
                onclick={tell.reform(move |_: MouseEvent| event.clone())}
                disabled={!enabled}
                title={format!("{label} ({keys})")}
                aria-label={label}
                data-testid={testid}
            >
                <span aria-hidden="true">{ icon }</span>
            </button>
        }
    };
    let dialog = |shown: OpenDialog, name: &'static str, title: &'static str, testid: &'static str| {
        let onclick = props.on_dialog.reform(move |_: MouseEvent| shown);
        // Without room or use on a small screen.
        let class = (shown == OpenDialog::Present).then_some("wide-only");
        html! { <button type="button" {class} {onclick} {title} aria-haspopup="dialog" data-testid={testid}>{ name }</button> }
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
            <div class="tools">
                <div class="group">
                    { step("↶", "Undo", "Ctrl Z", Event::Undo, props.history.0, "undo") }
                    { step("↷", "Redo", "Ctrl Shift Z", Event::Redo, props.history.1, "redo") }
                </div>
                <div class="group">
                    { dialog(OpenDialog::Files, "Files", "Open and save (F)", "files") }
                    { dialog(OpenDialog::Share, "Share", "Copy the link (S)", "share") }
                    { dialog(OpenDialog::Embed, "Embed", "Put it into another page (E)", "embed") }
                    { dialog(OpenDialog::Present, "Present", "The results alone, in large letters (D)", "present") }
                </div>
                <div class="group">
                    <button
                        type="button"
                        class="icon"
                        onclick={tell.reform(move |_: MouseEvent| Event::Theme(next))}
                        {title}
                        aria-label={format!("{title}; next: {}", next.name())}
                        data-testid="theme"
                    >
                        <span aria-hidden="true">{ icon }</span>
                    </button>
                    <button
                        type="button"
                        class="icon"
                        onclick={props.on_dialog.reform(|_: MouseEvent| OpenDialog::Help)}
                        title="Help (?)"
                        aria-label="Help"
                        aria-haspopup="dialog"
                        data-testid="help"
                    >
                        <span aria-hidden="true">{ "?" }</span>
                    </button>
                </div>
            </div>
        </header>
    }
}
