//! Values in a file, with errors.

use fusescape_spec::closest;
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on lists such as layers or tile sizes.
const MOST_ITEMS: usize = 2000;
/// Limit on the length of a text other than a document, bytes, as in links: room for the cores of all layers of the
/// largest network.
const LONGEST_TEXT: usize = 500_000;

/// A text including its white space.
pub(super) fn text_of(reader: &mut Reader, place: &LocatedNode) -> Option<String> {
    text_up_to(reader, place, LONGEST_TEXT)
}

/// A text of at most `most` bytes.
pub(super) fn text_up_to(reader: &mut Reader, place: &LocatedNode, most: usize) -> Option<String> {
    let text = place.verbatim(reader)?;
    if text.len() > most {
        let reason = format!("This text has {} bytes, more than {most}", text.len());
        place.reject(reader, ValueError::new(reason, "Shorten it"));
        return None;
    }
    Some(text)
}

/// A count; limited by links and by the page's 32-bit integers.
pub(super) fn index(place: &LocatedNode, reader: &mut Reader) -> Option<usize> {
    place.count(reader).map(|number| number.min(u32::MAX.into()) as usize)
}

/// The valid items of a list.
pub(super) fn items<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    items_up_to(reader, place, MOST_ITEMS, read)
}

/// The valid items of a list with a limited length.
pub(super) fn items_up_to<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    most: usize,
    mut read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    place.list(reader, most).iter().filter_map(|item| read(reader, item)).collect()
}

/// The index of a name.
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
