//! Two lists of diagnostics about one text: that of reading it and that of validating what was read.

use super::tree::{self, Node};
use super::{Diagnostic, Diagnostics};

/// What cannot be judged while something could not be read: a path, and the paths that depend on it.
///
/// In both, `[*]` stands for any item; in the dependent paths `[=]` stands for the same item.
pub(crate) type Consequences = [(&'static str, &'static [&'static str])];

/// Everything that is wrong with `text`, in its order and each thing once.
///
/// Validation says nothing of value about what could not be read, nor about what depends on it.
pub(crate) fn merge(text: &str, read: Diagnostics, validated: Diagnostics, consequences: &Consequences) -> Diagnostics {
    let (root, _) = tree::parse(text);
    let mut all = read.0.clone();
    for mut found in validated.0 {
        if read.0.iter().any(|cause| explains(&cause.path, &found.path, consequences)) {
            continue;
        }
        let shared = as_written(&found.path, &root);
        found.line = Some(root.line_of(shared.as_deref().unwrap_or(&found.path)));
        if let Some(path) = shared {
            // One `width` stands for two widths: what is wrong with both is said once.
            if all.iter().any(|other| other.path == path) {
                continue;
            }
            found.path = path;
        }
        all.push(found);
    }
    all.sort_by_key(|diagnostic: &Diagnostic| diagnostic.line);
    Diagnostics(all)
}

/// `memories[0].width` for `memories[0].read_width`, where that is what the document says.
fn as_written(path: &str, root: &Node) -> Option<String> {
    let (parent, name) = path.rsplit_once('.')?;
    let name = name.strip_prefix("read_").or_else(|| name.strip_prefix("write_"))?;
    let shared = format!("{parent}.{name}");
    (!root.has(path) && root.has(&shared)).then_some(shared)
}

/// Whether what could not be read at `cause` makes a complaint about `path` pointless.
fn explains(cause: &str, path: &str, consequences: &Consequences) -> bool {
    let inside = |outer: &str| path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    if cause.is_empty() || inside(cause) {
        return true;
    }
    let item = cause.find('[').and_then(|start| Some(&cause[start..=start + cause[start..].find(']')?])).unwrap_or("");
    consequences
        .iter()
        .filter(|(pattern, _)| fits(pattern, cause))
        .flat_map(|(_, dependents)| *dependents)
        .any(|dependent| fits(&dependent.replace("[=]", item), path))
}

/// Whether `path` is as `pattern` says, where `[*]` is any index; indices at the very end do not matter.
fn fits(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut parts) = (pattern.split('.'), path.split('.'));
    loop {
        match (patterns.next(), parts.next()) {
            (None, None) => return true,
            (Some(pattern), Some(part)) if pattern == part => {}
            (Some(pattern), Some(part)) => {
                let name = part.split('[').next().unwrap_or(part);
                if name != pattern.trim_end_matches("[*]") || (pattern.ends_with(']') && !pattern.ends_with("[*]")) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}
