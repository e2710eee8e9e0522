//! What became of a file that was imported.

use super::coverage::Coverage;
use fusescape_spec::{Diagnostic, Diagnostics, visible};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Something is wrong with a document, and a person has to correct it.
    Mistake,
    /// Something costs energy and time that the document does not count.
    NotCounted,
    /// Something was assumed that the file does not say.
    Assumed,
    /// Something was expressed by other means.
    Expressed,
    /// Something became part of a neighbour, or has no effect on cost.
    Merged,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Self; 5] = [Self::Mistake, Self::NotCounted, Self::Assumed, Self::Expressed, Self::Merged];

    /// For a person, as a heading.
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

/// One kind of thing that happened, at one or several places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// To what: a type of operator, a field.
    pub what: String,
    /// What happened, and why.
    pub reason: String,
    /// How often.
    pub count: u64,
    /// Where, the first few.
    pub places: Vec<String>,
}

/// Why a name is not the one of the file.
pub(super) const CLEANED: &str = "has characters that nobody sees; each is `_` now";
/// Places that are named.
const MAX_PLACES: usize = 4;
/// Longest name of what a finding is about, characters.
const MAX_WHAT: usize = 100;
/// More kinds of findings than a person reads.
const MAX_FINDINGS: usize = 200;

/// The report of an imported file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What was imported: `resnet18.onnx (pytorch 2.5)`.
    pub title: String,
    /// What there is now: `21 layers, 1.814 GMAC`.
    pub result: String,
    /// How much of it that is, where the file holds a model.
    pub coverage: Option<Coverage>,
    /// All that a person should know.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Notes that something happened at a place.
    pub fn note(&mut self, severity: Severity, what: &str, reason: &str, place: &str) {
        // What a file calls things may be anything.
        let what: String = visible(what).chars().take(MAX_WHAT).collect();
        let (reason, place) = (&*visible(reason), &*visible(place));
        let same = |known: &&mut Finding| known.severity == severity && known.what == what && known.reason == reason;
        let is_full = self.findings.len() >= MAX_FINDINGS;
        match self.findings.iter_mut().find(same) {
            Some(known) => {
                known.count += 1;
                if known.places.len() < MAX_PLACES && !place.is_empty() {
                    known.places.push(place.to_owned());
                }
            }
            None if !is_full => self.findings.push(Finding {
                severity,
                what,
                reason: reason.to_owned(),
                count: 1,
                places: if place.is_empty() { Vec::new() } else { vec![place.to_owned()] },
            }),
            None => {}
        }
    }

    /// Adds the report of another file.
    pub fn join(&mut self, other: Self) {
        if !self.title.is_empty() {
            self.title.push_str(", ");
        }
        self.title.push_str(&other.title);
        self.findings.extend(other.findings);
    }

    /// Notes all diagnostics of a document; returns their number in words: `2 mistakes`.
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

    /// The findings of one weight.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// Everything as lines of text.
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

impl fmt::Display for Finding {
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
