//! Figures beside their goals and those of the previously measured commit: one line each, and all of a subject as JSON
//! in `target/bench/`.

use serde_json::{Value, json};
use std::process::Command;

/// The goal of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// At most `must`, better at most `stretch`.
    AtMost { must: f64, stretch: f64 },
    /// At least this.
    AtLeast(f64),
    /// For information only.
    None,
}

impl Goal {
    /// A goal without a better one.
    pub fn at_most(must: f64) -> Self {
        Self::AtMost { must, stretch: must }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost { must, stretch } if must == stretch => format!("at most {must}"),
            Self::AtMost { must, stretch } => format!("at most {must}, better {stretch}"),
            Self::AtLeast(must) => format!("at least {must}"),
            Self::None => String::new(),
        }
    }

    fn verdict(self, value: f64) -> &'static str {
        match self {
            Self::AtMost { must, stretch } if value <= stretch && stretch < must => "better than asked",
            Self::AtMost { must, .. } if value <= must => "met",
            Self::AtLeast(must) if value >= must => "met",
            Self::None => "",
            Self::AtMost { .. } | Self::AtLeast(_) => "MISSED",
        }
    }

    fn json(self) -> Value {
        match self {
            Self::AtMost { must, stretch } => json!({ "at_most": must, "stretch": stretch }),
            Self::AtLeast(must) => json!({ "at_least": must }),
            Self::None => Value::Null,
        }
    }
}

/// The figures of one subject.
pub struct Report {
    subject: &'static str,
    load: Option<f64>,
    commit: String,
    before: Value,
    figures: Vec<Value>,
}

impl Report {
    /// A report without figures.
    pub fn new(subject: &'static str) -> Self {
        let load = load();
        println!("\n{subject}, native; load before: {}", load.map_or("unknown".to_owned(), |load| load.to_string()));
        let commit = commit();
        Self { subject, load, before: earlier(subject, &commit), commit, figures: Vec::new() }
    }

    /// Prints and records a figure; `details` is an object with its parts.
    pub fn figure(&mut self, what: &str, value: f64, unit: &str, goal: Goal, details: Value) {
        assert!(value.is_finite(), "{what}: {value} cannot be");
        let shown = |value: f64| if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") };
        let against = match goal {
            Goal::None => String::new(),
            _ => format!(" ({}: {})", goal.text(), goal.verdict(value)),
        };
        let old = self.before["figures"].as_array().into_iter().flatten().find(|figure| figure["what"] == what);
        let was = old.and_then(|figure| {
            Some(format!(", {} at {}", shown(figure["value"].as_f64()?), self.before["commit"].as_str()?))
        });
        println!("  {what}: {} {unit}{}{against}", shown(value), was.unwrap_or_default());
        let entries = details.as_object().into_iter().flatten();
        let (lists, facts): (Vec<_>, Vec<_>) = entries.partition(|(_, value)| value.is_array());
        if !facts.is_empty() {
            let facts: Vec<String> = facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
            println!("      {}", facts.join(", "));
        }
        for (name, list) in lists {
            for item in list.as_array().into_iter().flatten() {
                println!("      {name}: {}", item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            }
        }
        let verdict = goal.verdict(value);
        self.figures.push(
            json!({ "what": what, "value": value, "unit": unit, "goal": goal.json(), "verdict": verdict, "details": details }),
        );
    }

    /// Writes all figures to `target/bench/native-<subject>.json`.
    pub fn write(self) {
        std::fs::create_dir_all(DIRECTORY).unwrap();
        let all = json!({
            "commit": self.commit,
            "subject": self.subject,
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
            "load_before": self.load,
            "figures": self.figures,
        });
        let name = format!("native-{}.json", self.subject);
        std::fs::write(format!("{DIRECTORY}/{name}"), serde_json::to_string_pretty(&all).unwrap()).unwrap();
        println!("  written to target/bench/{name}");
    }
}

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench");

/// The measured commit, with a mark if files differ from it.
fn commit() -> String {
    let described =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    described.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The figures of the previously measured commit: the last file, or the one that it has put aside.
fn earlier(subject: &str, commit: &str) -> Value {
    let [file, aside] = ["", ".before"].map(|which| format!("{DIRECTORY}/native-{subject}{which}.json"));
    let read = |file: &str| -> Value {
        std::fs::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    };
    let last = read(&file);
    if last["commit"].is_null() || last["commit"] == commit {
        return read(&aside);
    }
    std::fs::copy(file, aside).unwrap();
    last
}

/// Average number of running or waiting processes in the last minute, if the system reports it.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
