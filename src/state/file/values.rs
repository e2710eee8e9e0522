//! Values out of a file, noting what is wrong.

use crate::spec::closest;
use crate::spec::reader::{Place, Reader, Wrong};

/// More layers or tile sizes than anybody names.
const MOST_ITEMS: usize = 2000;
/// Longest text that is no document, bytes, as links keep it: cores of all layers of the largest network fit.
const LONGEST_TEXT: usize = 500_000;

/// A text with all its blanks.
pub(super) fn text_of(reader: &mut Reader, place: &Place) -> Option<String> {
    text_up_to(reader, place, LONGEST_TEXT)
}

/// A text of so many bytes at most.
pub(super) fn text_up_to(reader: &mut Reader, place: &Place, most: usize) -> Option<String> {
    let text = place.verbatim(reader)?;
    if text.len() > most {
        let reason = format!("This text has {} bytes, more than {most}", text.len());
        place.complain(reader, Wrong::new(reason, "Shorten it"));
        return None;
    }
    Some(text)
}

/// A number of something that is counted; none is larger than links keep, and than the page can count to.
pub(super) fn index(place: &Place, reader: &mut Reader) -> Option<usize> {
    place.count(reader).map(|number| number.min(u32::MAX.into()) as usize)
}

/// The items of a list that can be read.
pub(super) fn items<'t, T>(
    reader: &mut Reader,
    place: &Place<'t>,
    read: impl FnMut(&mut Reader, &Place<'t>) -> Option<T>,
) -> Vec<T> {
    items_up_to(reader, place, MOST_ITEMS, read)
}

/// Those of a list of so many at most.
pub(super) fn items_up_to<'t, T>(
    reader: &mut Reader,
    place: &Place<'t>,
    most: usize,
    mut read: impl FnMut(&mut Reader, &Place<'t>) -> Option<T>,
) -> Vec<T> {
    place.list(reader, most).iter().filter_map(|item| read(reader, item)).collect()
}

/// The place of what has this name.
pub(super) fn index_of(reader: &mut Reader, place: &Place, names: &[&str]) -> Option<usize> {
    place.value(reader, "a name", |text| {
        names.iter().position(|name| *name == text).ok_or_else(|| {
            let meant = closest(text, names.iter().copied());
            let remedy = meant
                .map_or_else(|| format!("Use one of {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
            Wrong::new(format!("`{text}` is not known here"), remedy)
        })
    })
}
