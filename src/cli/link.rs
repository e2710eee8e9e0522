//! `fusescape link`: makes links to the page, and opens them.

use super::arguments::LinkCommand;
use super::state::{chosen, opened};
use super::{Failure, print};
use fusescape_command::files::{failed, write};
use fusescape_link::{LONGEST_LINK, to_link};
use fusescape_state::{Half, State};
use std::path::Path;

/// Makes a link, or opens one.
pub fn run(command: &LinkCommand) -> Result<(), Failure> {
    match command {
        LinkCommand::Make { state, site } => make(&chosen(state)?, site),
        LinkCommand::Open { link, into } => open(&opened(link)?, into.as_deref()),
    }
}

fn make(state: &State, site: &str) -> Result<(), Failure> {
    let link = to_link(state);
    if link.len() > LONGEST_LINK {
        eprintln!(
            "The link has {} characters; mail and chat programs may cut it off. Write it to a file instead.",
            link.len()
        );
    }
    print(&format!("{site}#{link}\n"))
}

fn open(state: &State, into: Option<&Path>) -> Result<(), Failure> {
    print(&state.describe())?;
    let Some(folder) = into else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let save = |name: &str, text: &str| write(&folder.join(format!("{name}.yaml")), text);
    for half in [Half::Hardware, Half::Workload] {
        save(half.name(), &state.design.document(half).text)?;
    }
    Ok(save("state", &state.to_yaml())?)
}
