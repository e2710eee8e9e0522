//! Opening of files: a study, its results as Parquet, which name their study, or as CSV, for the current study.

use super::run::StudyRun;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::handle::{Workers, use_workers};
use crate::explore::study::DesignSpace;
use crate::question::{Channel, FileResults, ReadResults, Reply};
use crate::results::rows_of_csv;
use crate::spec::{Diagnostics, is_state, is_study};
use crate::state::Action;
use js_sys::Uint8Array;
use std::sync::Arc;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;
use yew::prelude::*;

/// Limit on the size of a file, bytes.
const MOST_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// The state of the opening of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOpening {
    /// No file is being opened.
    None,
    /// Being read; name of the file.
    Reading(String),
    /// Opened, but it has no digests that would reveal a damaged row; name of the file.
    Unchecked(String),
    /// The file has errors.
    Failed(Diagnostics),
}

/// Opens files, one after another.
#[hook]
pub fn use_opening(study: Option<Arc<DesignSpace>>) -> (FileOpening, Callback<Vec<File>>) {
    let state = use_state_eq(|| FileOpening::None);
    let (setter, workers, act) = (state.setter(), use_workers(), use_act());
    let open = Callback::from(move |files: Vec<File>| {
        let Some(file) = files.into_iter().next() else { return };
        let (setter, workers, study, act) = (setter.clone(), workers.clone(), study.clone(), act.clone());
        let name = file.name();
        if file.size() > MOST_BYTES {
            let remedy = "Open the front alone: `fusescape study front FILE --format csv`";
            return setter.set(failed(&name, "The file is larger than 256 MiB", remedy));
        }
        setter.set(FileOpening::Reading(name.clone()));
        spawn_local(async move {
            let Ok(buffer) = JsFuture::from(file.array_buffer()).await else {
                return setter.set(failed(&name, "The file cannot be read", "Choose it again"));
            };
            let bytes = Uint8Array::new(&buffer).to_vec();
            if bytes.starts_with(b"PAR1") {
                return open_parquet(ReadResults { name, bytes }, &workers, &act, setter);
            }
            if let Ok(text) = std::str::from_utf8(&bytes)
                && is_study(text)
                && !is_state(text)
            {
                act.emit(Action::TakeStudy(text.to_owned()));
                return setter.set(FileOpening::None);
            }
            setter.set(match open_csv(&name, &bytes, study) {
                Ok(()) => FileOpening::Unchecked(name),
                Err(wrong) => wrong,
            });
        });
    });
    ((*state).clone(), open)
}

fn open_parquet(question: ReadResults, workers: &Workers, act: &Callback<Action>, state: UseStateSetter<FileOpening>) {
    let (name, act) = (question.name.clone(), act.clone());
    let on_answer = Callback::from(move |(_, answer): (usize, Reply<FileResults>)| {
        let remedy = "Open a file that `fusescape study run` wrote";
        let opened = answer.map_err(|why| failed(&name, &why.to_string(), remedy)).and_then(|found| {
            let text = found.request.text.clone();
            let study = DesignSpace::new(found.request).map_err(FileOpening::Failed)?;
            StudyRun::open(&Arc::new(study), found.rows);
            act.emit(Action::TakeStudy(text));
            Ok(if found.is_checked { FileOpening::None } else { FileOpening::Unchecked(name.clone()) })
        });
        state.set(opened.unwrap_or_else(|wrong| wrong));
    });
    workers.ask(Channel::ResultFile, &[question], on_answer);
}

fn open_csv(name: &str, bytes: &[u8], study: Option<Arc<DesignSpace>>) -> Result<(), FileOpening> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| failed(name, "The file is neither Parquet nor CSV", "Open results of a study"))?;
    let study = study.ok_or_else(|| {
        failed(name, "The study above has mistakes, so that nothing is known of the columns", "Mend the study first")
    })?;
    let rows = rows_of_csv(&study, text).map_err(|(reason, remedy)| failed(name, &reason, &remedy))?;
    StudyRun::open(&study, rows);
    Ok(())
}

fn failed(name: &str, reason: &str, remedy: &str) -> FileOpening {
    let mut wrong = Diagnostics::default();
    wrong.add(name, reason, remedy);
    FileOpening::Failed(wrong)
}
