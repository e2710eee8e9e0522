//! `fusescape check-lesson`: checks that a lesson can be solved for all drawn values.

use super::{Failure, print};
use fusescape_command::files::read_text;
use fusescape_lesson::{LessonSource, MOST_BYTES, check as check_variants};
use fusescape_spec::lesson_presets;
use std::path::Path;

/// Computes the right answers of every step in every variant, or in a sample of them, and prints them.
pub fn check(lesson: &str, most: u64) -> Result<(), Failure> {
    let source = match lesson_presets().iter().find(|preset| preset.id == lesson) {
        Some(preset) => LessonSource::Preset(preset.id.to_owned()),
        None => LessonSource::Text(read_text(Path::new(lesson), MOST_BYTES)?),
    };
    let checked = check_variants(source.text(), most)?;
    for (index, right) in checked.right.iter().enumerate() {
        /// Limit on the answers shown; further ones are counted.
        const MOST_SHOWN: usize = 8;
        let shown = right.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join(" | ");
        let more = right.len().saturating_sub(MOST_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        print(&format!("step {}: {shown}{more}\n", index + 1))?;
    }
    let of = match checked.looked_at == checked.variants {
        true => format!("all {} variants", checked.variants),
        false => format!("a sample of {} of {} variants", checked.looked_at, checked.variants),
    };
    if checked.wrong.is_empty() {
        return print(&format!("Every step has one right answer in {of}.\n"));
    }
    let wrong = checked.wrong.iter().map(|(drawn, step, why)| match drawn.is_empty() {
        true => format!("step {step}: {why}"),
        false => format!("step {step} with {drawn}: {why}"),
    });
    let mut wrong: Vec<String> = wrong.collect();
    wrong.push(format!("{} steps cannot be solved in {of}.", checked.wrong.len()));
    Err(wrong.join("\n").into())
}
