//! `fusescape link`: makes links to the page, and opens them.

use super::arguments::{LinkCommand, MakeLink};
use super::documents::load;
use super::{Failure, print};
use fusescape::link::{LONGEST_LINK, from_link, to_link};
use fusescape::spec::{find_preset, gallery_presets};
use fusescape::state::{Action, Half, ScheduleChange, State, ViewChange};
use std::path::Path;

/// Makes a link, or opens one.
pub fn run(command: &LinkCommand) -> Result<(), Failure> {
    match command {
        LinkCommand::Make(options) => make(options),
        LinkCommand::Open { link, into } => open(link, into.as_deref()),
    }
}

fn make(options: &MakeLink) -> Result<(), Failure> {
    let mut state = State::first();
    if let Some(id) = &options.gallery {
        state.apply(Action::OpenEntry(find_preset(gallery_presets(), id)?.id));
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
    let link = to_link(&state);
    if link.len() > LONGEST_LINK {
        eprintln!(
            "The link has {} characters; mail and chat programs may cut it off. Write it to a file instead.",
            link.len()
        );
    }
    print(&format!("{}#{link}\n", options.site))
}

fn open(link: &str, into: Option<&Path>) -> Result<(), Failure> {
    let state = match std::fs::read_to_string(link) {
        Ok(text) => from_link(&text)?,
        Err(_) => from_link(link)?,
    };
    print(&state.describe())?;
    let Some(folder) = into else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for half in [Half::Hardware, Half::Workload] {
        let file = folder.join(format!("{}.yaml", half.name()));
        std::fs::write(&file, &state.design.document(half).text)
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}
