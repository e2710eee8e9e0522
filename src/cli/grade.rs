//! `fusescape grade`: marks of receipts as CSV. Marks and numbers in a receipt are ignored.

use super::{Failure, Incomplete, print, tell};
use fusescape_command::files::{read_text, shown};
use fusescape_lesson::{Graded, Grader, LessonSource, MOST_BYTES, Receipt, mistakes};
use fusescape_spec::visible;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthChar;

/// Grades receipts, and prints one line per receipt, in the order of the files.
pub fn grade(receipts: &[PathBuf], lesson: Option<&Path>) -> Result<(), Failure> {
    let own = lesson.map(|lesson| read_text(lesson, MOST_BYTES)).transpose()?.map(LessonSource::Text);
    if let Some(own) = &own {
        mistakes(own.text()).or(())?;
    }
    let files = files_of(receipts)?;
    let mut graders: HashMap<String, Grader> = HashMap::new();
    // By normalised names: the names as written, with the number of their receipts.
    let mut students: HashMap<(String, String), Vec<(String, usize)>> = HashMap::new();
    let mut rows = Vec::new();
    for file in &files {
        let name = shown(file).to_string();
        let receipt = read_text(file, MOST_BYTES).map_err(|wrong| wrong.to_string());
        let receipt = receipt.and_then(|text| Receipt::from_json(&text).map_err(|wrong| wrong.to_string()));
        let row = receipt.and_then(|receipt| {
            let source = own.clone().or_else(|| receipt.preset()).ok_or_else(|| {
                "The receipt is of a lesson that does not come with the program: name it with `--lesson FILE`"
                    .to_owned()
            })?;
            let grader = graders.entry(source.key()).or_default();
            let mut graded = grader.grade(&source, &receipt).map_err(|wrong| wrong.to_string())?;
            let student = receipt.student.trim();
            let alike = students.entry((source.key(), looks(student))).or_default();
            if let Some((_, receipts)) = alike.iter_mut().find(|(known, _)| known == student) {
                *receipts += 1;
                graded.remarks.push(format!("receipt {receipts} of this student"));
            } else {
                if let Some((other, _)) = alike.first() {
                    let other = visible(other);
                    graded.remarks.push(format!("`{}` looks like `{other}` of another receipt", visible(student)));
                }
                alike.push((student.to_owned(), 1));
            }
            Ok((receipt, graded))
        });
        rows.push((name, row));
    }
    let steps = rows.iter().filter_map(|(_, row)| Some(row.as_ref().ok()?.1.steps.len())).max().unwrap_or(0);
    let mut text = "file,lesson,student,marks,of".to_owned();
    (1..=steps).for_each(|step| text += &format!(",step {step}"));
    text += ",remarks\n";
    for (name, row) in &rows {
        text += &match row {
            Ok((receipt, graded)) => line(name, receipt, graded, steps),
            Err(wrong) => [cell(name), ",,,,".to_owned(), ",".repeat(steps), ",".to_owned(), cell(wrong)].concat(),
        };
        text.push('\n');
    }
    print(&text)?;
    match rows.iter().filter(|(_, row)| row.is_err()).count() {
        0 => Ok(()),
        wrong => Err(Incomplete(format!("{wrong} of {} files could not be graded.", rows.len())).into()),
    }
}

/// A normalised name: names that differ only in case, spaces or invisible characters may belong to one student.
fn looks(name: &str) -> String {
    let seen = |word: &str| word.chars().filter(|c| c.width().is_some_and(|width| width > 0)).collect::<String>();
    name.split_whitespace().map(seen).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The given files, and those in given folders, by name. A remark lists files in folders that were left out.
fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut left_out = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
            let mut found = entries.collect::<Result<Vec<_>, _>>()?;
            found.sort();
            let is_receipt = |file: &PathBuf| file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
            left_out.extend(found.extract_if(.., |file| !is_receipt(file)).map(|file| shown(&file).to_string()));
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    if !left_out.is_empty() {
        tell(&format!("left out, as names of receipts end in .json: {}", left_out.join(", ")));
    }
    Ok(files)
}

fn line(name: &str, receipt: &Receipt, graded: &Graded, steps: usize) -> String {
    let (marks, of) = graded.steps.iter().fold((0.0, 0.0), |(marks, of), step| (marks + step.marks, of + step.of));
    let mut cells = vec![cell(name), cell(&graded.title), cell(receipt.student.trim()), number(marks), number(of)];
    cells.extend((0..steps).map(|step| graded.steps.get(step).map_or(String::new(), |step| number(step.marks))));
    cells.push(cell(&graded.remarks.join("; ")));
    cells.join(",")
}

/// Marks, rounded to a hundredth.
fn number(marks: f64) -> String {
    let text = format!("{marks:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text as a CSV cell that no spreadsheet takes for a formula.
fn cell(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let text = if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
