//! States of the page on the command line: from links, files and options.

use super::Failure;
use super::arguments::StateOptions;
use super::documents::load;
use fusescape_command::files::read_text;
use fusescape_gallery::find_entry;
use fusescape_link::from_link;
use fusescape_spec::is_state;
use fusescape_state::{Action, Half, MOST_BYTES, ScheduleField, State, ViewField};
use std::path::Path;

/// The state in a link, an address or a file.
pub fn opened(link_or_file: &str) -> Result<State, Failure> {
    let path = Path::new(link_or_file);
    let looks_like_a_file = link_or_file.contains(['.', '/']) && !link_or_file.contains('#');
    let text = match path.try_exists() {
        Ok(true) => read_text(path, MOST_BYTES)?,
        Ok(false) if looks_like_a_file => return Err(format!("There is no file `{link_or_file}`.").into()),
        _ => link_or_file.to_owned(),
    };
    if is_state(&text) {
        return Ok(State::from_yaml(&text)?);
    }
    if text.trim().contains(char::is_whitespace) {
        let reason = "This is neither a link of Fusescape nor a saved state, whose first field is `fusescape: 1`.";
        return Err(format!("{reason} Open one that was saved with “Save as file”, or import the file.").into());
    }
    Ok(from_link(&text)?)
}

/// The state of the options.
pub fn chosen(options: &StateOptions) -> Result<State, Failure> {
    let mut state = options.from.as_deref().map_or_else(|| Ok(State::first()), opened)?;
    if let Some(id) = &options.gallery {
        state.apply(Action::entry(&find_entry(id)?));
    }
    for (half, name) in [(Half::Hardware, &options.hardware), (Half::Workload, &options.workload)] {
        if let Some(name) = name {
            state.apply(match half.presets().iter().find(|preset| preset.id == name) {
                Some(preset) => Action::PickPreset(half, preset),
                None => Action::Take(half, load(name, half.presets())?),
            });
        }
    }
    if let Some(rules) = options.rules {
        state.apply(Action::Schedule(ScheduleField::Rules(rules)));
    }
    if let Some(tab) = options.view {
        state.apply(Action::Look(ViewField::Tab(tab)));
    }
    Ok(state)
}
