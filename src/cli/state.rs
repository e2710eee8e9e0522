//! States of the page on the command line: out of links, files and options.

use super::Failure;
use super::arguments::StateOptions;
use super::documents::load;
use fusescape::gallery::find_entry;
use fusescape::link::from_link;
use fusescape::spec::is_state;
use fusescape::state::{Action, Half, MOST_BYTES, ScheduleChange, State, ViewChange};
use std::io::{ErrorKind, Read};

/// The state that a link, an address or a file holds.
pub fn opened(link_or_file: &str) -> Result<State, Failure> {
    let text = match std::fs::File::open(link_or_file) {
        Ok(file) => {
            let mut text = String::new();
            // A byte more than is read, so that what is too long is called so.
            let read = file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text);
            read.map_err(|error| format!("{link_or_file}: {error}"))?;
            text
        }
        Err(error)
            if error.kind() == ErrorKind::NotFound
                && link_or_file.contains(['.', '/'])
                && !link_or_file.contains('#') =>
        {
            return Err(format!("There is no file `{link_or_file}`.").into());
        }
        Err(_) => link_or_file.to_owned(),
    };
    if is_state(&text) { Ok(State::from_yaml(&text)?) } else { Ok(from_link(&text)?) }
}

/// The state that options ask for.
pub fn chosen(options: &StateOptions) -> Result<State, Failure> {
    let mut state = options.from.as_deref().map_or_else(|| Ok(State::first()), opened)?;
    if let Some(id) = &options.gallery {
        state.apply(Action::entry(&find_entry(id)?));
    }
    for (half, name) in [(Half::Hardware, &options.hardware), (Half::Workload, &options.workload)] {
        if let Some(name) = name {
            state.apply(match half.presets().iter().find(|preset| preset.id == name) {
                Some(preset) => Action::PickPreset(half, preset.id),
                None => Action::Take(half, load(name, half.presets())?),
            });
        }
    }
    if let Some(rules) = options.rules {
        state.apply(Action::Schedule(ScheduleChange::Rules(rules.rules())));
    }
    if let Some(tab) = options.view {
        state.apply(Action::Look(ViewChange::Tab(tab)));
    }
    Ok(state)
}
