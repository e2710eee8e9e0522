//! Two lists of diagnostics about one text: that of reading it and that of validating the document.

use super::Diagnostics;
use super::diagnostic::{MAX_DIAGNOSTICS, more};
use super::tree::{self, Node};
use crate::sorting::sort_by_key;

/// Parts that cannot be judged while something could not be read: a path, and the paths that depend on it.
///
/// `*` stands for any name, `[*]` for any item; in the dependent paths `[=]` stands for the item of the first.
pub type Consequences = [(&'static str, &'static [&'static str])];

/// Everything that is wrong with `text`, in its order and each thing once.
///
/// Validation cannot judge parts that could not be read, nor those that depend on them.
pub fn merge(text: &str, read: Diagnostics, validated: Diagnostics, consequences: &Consequences) -> Diagnostics {
    let (root, _) = tree::parse(text);
    let mut all = read.0.clone();
    for mut found in validated.0 {
        if read.0.iter().any(|cause| explains(&cause.path, &found.path, consequences)) {
            continue;
        }
        let shared = as_written(&found.path, &root);
        // Validation knows the line within a text better.
        found.line.get_or_insert_with(|| root.find(shared.as_deref().unwrap_or(&found.path)).0);
        if let Some(path) = shared {
            // One `width` stands for two widths: mistakes in both are reported once.
            if all.iter().any(|other| other.path == path) {
                continue;
            }
            found.path = path;
        }
        all.push(found);
    }
    sort_by_key(&mut all, |diagnostic| diagnostic.line.unwrap_or(usize::MAX));
    if all.len() > MAX_DIAGNOSTICS {
        all.truncate(MAX_DIAGNOSTICS);
        all.push(more());
    }
    Diagnostics(all)
}

/// `memories[0].width` for `memories[0].read_width`, where that is the field of the document.
fn as_written(path: &str, root: &Node) -> Option<String> {
    let (parent, name) = path.rsplit_once('.')?;
    let name = name.strip_prefix("read_").or_else(|| name.strip_prefix("write_"))?;
    let shared = format!("{parent}.{name}");
    (!root.find(path).1 && root.find(&shared).1).then_some(shared)
}

/// Whether an unreadable part at `cause` makes a complaint about `path` pointless.
fn explains(cause: &str, path: &str, consequences: &Consequences) -> bool {
    let inside = path.strip_prefix(cause).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    if cause.is_empty() || inside {
        return true;
    }
    // One item of a list speaks for the list: `memories[2].operands[1]` for `memories[2].operands`.
    let list = if cause.ends_with(']') { cause.rsplit_once('[').map_or(cause, |(list, _)| list) } else { cause };
    let item = cause.find('[').zip(cause.find(']')).and_then(|(start, end)| cause.get(start..=end)).unwrap_or("");
    consequences
        .iter()
        .filter(|(pattern, _)| fits(pattern, list))
        .flat_map(|(_, dependents)| *dependents)
        .any(|dependent| fits(&dependent.replace("[=]", item), path))
}

/// Whether `path` fits the pattern: `*` is any name, `[*]` any index.
fn fits(pattern: &str, path: &str) -> bool {
    let any_item = |pattern: &str, part: &str| {
        pattern.strip_suffix("[*]").and_then(|name| part.strip_prefix(name)).is_some_and(|rest| rest.starts_with('['))
    };
    pattern.split('.').count() == path.split('.').count()
        && pattern
            .split('.')
            .zip(path.split('.'))
            .all(|(pattern, part)| pattern == "*" || pattern == part || any_item(pattern, part))
}
