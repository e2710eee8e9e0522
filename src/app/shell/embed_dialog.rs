//! The dialog that gives the HTML for a view inside another page.

use super::share::{CopyField, page_address};
use crate::app::widgets::forms::controls::{Checkbox, ChoiceOption, Select};
use crate::app::widgets::words::dialog::Dialog;
use crate::embed::{Control, EmbedOptions, EmbedTheme, EmbedView, resize_script, snippet};
use crate::link::to_link;
use crate::state::State;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct EmbedDialogProps {
    pub chosen: Rc<State>,
    pub on_close: Callback<()>,
}

/// Heights to choose from, CSS pixels.
const HEIGHTS: [u32; 5] = [420, 560, 720, 960, 1400];

#[component]
pub fn EmbedDialog(props: &EmbedDialogProps) -> Html {
    let options = use_state(|| EmbedOptions { view: EmbedView::of(props.chosen.view.tab), ..EmbedOptions::default() });
    let height = use_state_eq(|| 720_u32);
    let link = use_memo(Rc::clone(&props.chosen), |chosen| to_link(chosen));
    let address = page_address("embed.html");
    let fits = use_state_eq(|| false);
    let mut html = snippet(&address, &options, &link, *height);
    if *fits {
        html += &resize_script(&address);
    }
    let change = |change: fn(&mut EmbedOptions, &str)| {
        let options = options.clone();
        Callback::from(move |value: String| {
            let mut next = (*options).clone();
            change(&mut next, &value);
            options.set(next);
        })
    };
    let control = |(control, name, title): &(Control, &'static str, &'static str)| {
        let (control, options) = (*control, options.clone());
        let checked = options.controls.contains(&control);
        let onchange = Callback::from(move |on: bool| {
            let mut next = (*options).clone();
            next.controls.retain(|other| *other != control);
            if on {
                next.controls.push(control);
            }
            options.set(next);
        });
        html! { <Checkbox label={*title} {checked} {onchange} testid={format!("embed-control-{name}")} /> }
    };
    let on_height = {
        let height = height.clone();
        Callback::from(move |value: String| height.set(value.parse().unwrap_or(720)))
    };
    let on_fit = {
        let fits = fits.clone();
        Callback::from(move |on: bool| fits.set(on))
    };
    let preview = format!("{address}?{}#{link}", options.query());
    let name_of =
        |theme: EmbedTheme| EmbedTheme::ALL.iter().find(|(other, ..)| *other == theme).map_or("", |(_, name, _)| *name);
    html! {
        <Dialog title="Embed" on_close={props.on_close.clone()} testid="embed-dialog">
            <p class="hint">
                { "One view as a live figure of a course page or an article. It needs no account, no cookie and no storage." }
            </p>
            <Select
                label="View"
                choices={EmbedView::ALL.map(|(_, name, title)| ChoiceOption::new(name, title)).to_vec()}
                value={options.view.name()}
                onchange={change(|options, value| {
                    let found = EmbedView::ALL.iter().find(|(_, name, _)| *name == value);
                    options.view = found.map_or_else(EmbedView::default, |(view, ..)| *view);
                })}
                testid="embed-view"
            />
            <fieldset>
                <legend>{ "Readers can change" }</legend>
                { for Control::ALL.iter().map(control) }
            </fieldset>
            <Select
                label="Colours"
                choices={EmbedTheme::ALL.map(|(_, name, title)| ChoiceOption::new(name, title)).to_vec()}
                value={name_of(options.theme)}
                onchange={change(|options, value| {
                    let found = EmbedTheme::ALL.iter().find(|(_, name, _)| *name == value);
                    options.theme = found.map_or_else(EmbedTheme::default, |(theme, ..)| *theme);
                })}
                testid="embed-theme"
            />
            <Select
                label="Height"
                choices={HEIGHTS.map(|height| ChoiceOption::new(height.to_string(), format!("{height} px"))).to_vec()}
                value={height.to_string()}
                onchange={on_height}
                testid="embed-height"
            />
            <Checkbox
                label="Resize to its content (adds a script)"
                checked={*fits}
                onchange={on_fit}
                testid="embed-fits"
            />
            <CopyField label="HTML" text={html} testid="embed-snippet" />
            <p class="hint">
                <a href={preview} target="_blank" rel="noopener" data-testid="embed-preview">{ "Look at it alone ↗" }</a>
                { " · Pages can read and change it: " }
                <a href="EMBED.md" target="_blank" rel="noopener" data-testid="embed-docs">{ "EMBED.md ↗" }</a>
            </p>
        </Dialog>
    }
}
