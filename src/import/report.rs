//! Reports of imported files.

use super::coverage::Coverage;
use fusescape_spec::{Diagnostic, Diagnostics, visible};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// A document has an error for the user to correct.
    Mistake,
    /// Energy and time that the document does not count.
    NotCounted,
    /// An assumption, as the file does not state it.
    Assumed,
    /// Something is expressed by other means.
    Expressed,
    /// Something was merged into a neighbour, or has no effect on cost.
    Merged,
}

impl Severity {
    /// The most severe first.
    pub const ALL: [Self; 5] = [Self::Mistake, Self::NotCounted, Self::Assumed, Self::Expressed, Self::Merged];

    /// Heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mistake => "To be corrected",
            Self::NotCounted => "Not counted",
            Self::Assumed => "Assumed",
            Self::Expressed => "Expressed otherwise",
            Self::Merged => "Merged, at no cost",
        }
    }
}

/// One kind of remark, with one or several places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFinding {
    pub severity: Severity,
    /// Its subject: a type of operator, a field.
    pub what: String,
    /// What was done, and why.
    pub reason: String,
    /// Number of occurrences.
    pub count: u64,
    /// The first few places.
    pub places: Vec<String>,
}

/// The reason why a name differs from the one in the file.
pub(super) const CLEANED: &str = "has characters that nobody sees; each is `_` now";
/// Limit on the places of a finding.
const MAX_PLACES: usize = 4;
/// Limit on the length of a subject, characters.
const MAX_WHAT: usize = 100;
/// Limit on the kinds of findings.
const MAX_FINDINGS: usize = 200;

/// The report of an imported file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// The file: `resnet18.onnx (pytorch 2.5)`.
    pub title: String,
    /// Summary of the result: `21 layers, 1.814 GMAC`.
    pub result: String,
    /// The counted share, if the file is a model.
    pub coverage: Option<Coverage>,
    pub findings: Vec<ImportFinding>,
}

impl ImportReport {
    /// Adds a finding at a place.
    pub fn note(&mut self, severity: Severity, what: &str, reason: &str, place: &str) {
        // Names in a file may contain anything.
        let what: String = visible(what).chars().take(MAX_WHAT).collect();
        let (reason, place) = (&*visible(reason), &*visible(place));
        let same =
            |known: &&mut ImportFinding| known.severity == severity && known.what == what && known.reason == reason;
        let is_full = self.findings.len() >= MAX_FINDINGS;
        match self.findings.iter_mut().find(same) {
            Some(known) => {
                known.count += 1;
                if known.places.len() < MAX_PLACES && !place.is_empty() {
                    known.places.push(place.to_owned());
                }
            }
            None if !is_full => self.findings.push(ImportFinding {
                severity,
                what,
                reason: reason.to_owned(),
                count: 1,
                places: if place.is_empty() { Vec::new() } else { vec![place.to_owned()] },
            }),
            None => {}
        }
    }

    /// Appends the report of another file.
    pub fn join(&mut self, other: Self) {
        if !self.title.is_empty() {
            self.title.push_str(", ");
        }
        self.title.push_str(&other.title);
        self.findings.extend(other.findings);
    }

    /// Adds all diagnostics of a document; returns their number in words: `2 mistakes`.
    pub fn note_mistakes(&mut self, wrong: &Diagnostics) -> String {
        for Diagnostic { path, line, reason, remedy, .. } in &wrong.0 {
            let what = if path.is_empty() { "document" } else { path };
            let end = if remedy.ends_with(['.', '?', '!']) { "" } else { "." };
            let place = line.map(|line| format!("line {line}")).unwrap_or_default();
            self.note(Severity::Mistake, what, &format!("{reason}. {remedy}{end}"), &place);
        }
        match wrong.0.len() {
            1 => "1 mistake".to_owned(),
            count => format!("{count} mistakes"),
        }
    }

    /// The findings of one severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &ImportFinding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// The whole report as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}: {}", self.title, self.result)];
        if let Some(coverage) = &self.coverage {
            lines.push(format!("{coverage}."));
            if !coverage.is_whole() {
                lines.push(format!("INCOMPLETE. {}.", Coverage::REMEDY));
            }
        }
        for severity in Severity::ALL {
            let mut heading = Some(format!("{}:", severity.title()));
            for finding in self.of(severity) {
                lines.extend(heading.take());
                lines.push(format!("  {finding}"));
            }
        }
        lines
    }
}

impl fmt::Display for ImportFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{} x ", self.count)?;
        }
        write!(f, "{}: {}", self.what, self.reason)?;
        if !self.places.is_empty() {
            let more = if self.count > self.places.len() as u64 { ", ..." } else { "" };
            write!(f, " ({}{more})", self.places.join(", "))?;
        }
        Ok(())
    }
}
