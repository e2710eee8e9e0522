//! `fusescape gallery`: published figures and tables, recomputed.

use super::{Failure, print};
use fusescape_gallery::{Claim, ClaimEvaluator, Entry, Finding, entries, fidelity_counts};
use fusescape_spec::{find_preset, gallery_presets};
use rayon::prelude::*;

const COLUMNS: usize = 5;

/// Computes one entry, or all, and prints published numbers beside ours.
pub fn run(id: Option<&str>) -> Result<(), Failure> {
    let id = id.map(|id| find_preset(gallery_presets(), id).map(|preset| preset.id)).transpose()?;
    let wanted: Vec<Entry> = entries()?.into_iter().filter(|entry| id.is_none_or(|id| id == entry.id)).collect();
    let tables: Vec<(String, usize)> = wanted.par_iter().map(table).collect();
    for (text, _) in &tables {
        print(text)?;
    }
    print(&format!("{}\n", fidelity_counts(wanted.iter().flat_map(|entry| &entry.claims))))?;
    match tables.iter().map(|(_, wrong)| wrong).sum() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} claims do not hold as the gallery says; they are marked with `!`.").into()),
    }
}

/// The table of an entry, and the number of claims that do not hold.
fn table(entry: &Entry) -> (String, usize) {
    let mut evaluator = ClaimEvaluator::default();
    let header = ["", "published", "ours", "deviation", "fidelity"].map(str::to_owned);
    let found: Vec<_> = entry.claims.iter().map(|claim| (claim, evaluator.find(entry, claim))).collect();
    let rows: Vec<[String; COLUMNS]> = found.iter().map(|(claim, found)| row(claim, found)).collect();
    let width =
        |column: usize| std::iter::once(&header).chain(&rows).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let [what, published, ours, deviation, fidelity] = row;
        let line = format!(
            "  {what:<0$}  {published:>1$}  {ours:>2$}  {deviation:>3$}  {fidelity}",
            widths[0], widths[1], widths[2], widths[3]
        );
        line.trim_end().to_owned() + "\n"
    };
    let mut text = format!("{} ({}, {}; {})\n{}", entry.title, entry.paper, entry.place, entry.id, line(&header));
    for (row, (claim, found)) in rows.iter().zip(&found) {
        text += &line(row);
        if let Err(reason) = found {
            text += &format!("      {reason}\n");
        }
        if !claim.why.is_empty() {
            text += &format!("      {}\n", claim.why);
        }
    }
    (text + "\n", found.iter().filter(|(_, found)| !found.as_ref().is_ok_and(|found| found.holds)).count())
}

fn row(claim: &Claim, found: &Result<Finding, String>) -> [String; COLUMNS] {
    let (ours, deviation, mark) = match found {
        Ok(found) => (claim.text_of_ours(found.ours), found.departure_text(claim), if found.holds { ' ' } else { '!' }),
        Err(_) => ("–".to_owned(), String::new(), '!'),
    };
    let what = format!("{mark} {}{}", if claim.is_variation { "  " } else { "" }, claim.what);
    [what, claim.published_text(), ours, deviation, claim.fidelity.name().to_owned()]
}
