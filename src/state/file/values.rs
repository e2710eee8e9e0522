//! Values out of a file, noting what is wrong.

use fusescape_spec::closest;
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// More layers or tile sizes than anybody names.
const MOST_ITEMS: usize = 2000;
/// Longest text that is no document, bytes, as links keep it: cores of all layers of the largest network fit.
const LONGEST_TEXT: usize = 500_000;

/// A text with all its blanks.
pub(super) fn text_of(reader: &mut Reader, place: &LocatedNode) -> Option<String> {
    text_up_to(reader, place, LONGEST_TEXT)
}

/// A text of so many bytes at most.
pub(super) fn text_up_to(reader: &mut Reader, place: &LocatedNode, most: usize) -> Option<String> {
    let text = place.verbatim(reader)?;
    if text.len() > most {
        let reason = format!("This text has {} bytes, more than {most}", text.len());
        place.reject(reader, ValueError::new(reason, "Shorten it"));
        return None;
    }
    Some(text)
}

/// A number of something that is counted; none is larger than links keep, and than the page can count to.
pub(super) fn index(place: &LocatedNode, reader: &mut Reader) -> Option<usize> {
    place.count(reader).map(|number| number.min(u32::MAX.into()) as usize)
}

/// The items of a list that can be read.
pub(super) fn items<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    items_up_to(reader, place, MOST_ITEMS, read)
}

/// Those of a list of so many at most.
pub(super) fn items_up_to<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    most: usize,
    mut read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    place.list(reader, most).iter().filter_map(|item| read(reader, item)).collect()
}

/// The place of what has this name.
pub(super) fn index_of(reader: &mut Reader, place: &LocatedNode, names: &[&str]) -> Option<usize> {
    place.value(reader, "a name", |text| {
        names.iter().position(|name| *name == text).ok_or_else(|| {
            let meant = closest(text, names.iter().copied());
            let remedy = meant
                .map_or_else(|| format!("Use one of {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
            ValueError::new(format!("`{text}` is not known here"), remedy)
        })
    })
}
