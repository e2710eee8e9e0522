//! Every form's fields as one list, by which links and files keep them.
//!
//! A form is declared with [`fields!`], a line a member: how a person sets it, what a link means that leaves it out, its
//! kind, its number in links, and its name in files. How a kind is written and read is said once for links
//! (`link/kinds.rs`) and once for files (`state/file/kinds.rs`).

use super::choice::AnyChoice;
use super::kind::{Field, Kind};
use fusescape_engine::depth_first::{DepthFirstStrategy, StoringMode};
use fusescape_engine::rules::Rules;

/// A form whose members links and files keep one by one.
pub trait Form: Clone + 'static {
    /// In the order in which they are written.
    const FIELDS: &'static [FormField<Self>];

    /// What an empty link means. It never changes, whatever the page opens with.
    fn baseline() -> Self;

    /// Names that files know.
    fn names() -> Vec<&'static str> {
        Self::FIELDS.iter().flat_map(|field| field.names).copied().collect()
    }
}

/// One member of a form.
pub struct FormField<F> {
    /// Its number in links. It never changes, and none is given twice.
    pub number: u32,
    /// Its names in files; none where files keep it otherwise.
    pub names: &'static [&'static str],
    /// Where it stands, and what kind it is of.
    pub slot: fn(&mut F) -> Slot<'_>,
}

/// A member of a form, by its kind.
pub enum Slot<'f> {
    /// A text as written.
    Text(&'f mut String),
    /// Sizes with blanks between them, as written.
    Sizes(&'f mut String),
    /// The name of something that may be left open.
    Name(&'f mut Option<String>),
    /// One of a few.
    Choice(&'f mut dyn AnyChoice),
    /// Names of several things.
    Names(&'f mut Vec<String>),
    /// Some of the overlap storing modes.
    Modes(&'f mut Vec<StoringMode>),
    /// Weights of a sum, as written.
    Weights(&'f mut [String; 3]),
    /// Rules of the model.
    Rules(&'f mut Rules),
    /// A number of something.
    Count(&'f mut usize),
    /// A ratio of sizes.
    Ratio(&'f mut u64),
    /// Yes or no.
    Flag(&'f mut bool),
    /// Whether a text is shown; files list these together.
    Shown(&'f mut bool),
    /// Which of several, from 0; people count from 1.
    Ordinal(&'f mut usize),
    /// Which of several, if it is said.
    OptionalOrdinal(&'f mut Option<usize>),
    /// A point of a sweep.
    Point(&'f mut Option<DepthFirstStrategy>),
}

/// A member that is filled in letter by letter.
pub(super) fn typed(member: &'static str) -> Kind {
    Kind::Typing(Field::Member(member))
}

/// A member that has its next value at once.
pub(super) fn chosen(_: &'static str) -> Kind {
    Kind::Edit
}

/// A member that says what is looked at.
pub(super) fn shown(_: &'static str) -> Kind {
    Kind::Look
}

/// Declares a form, a member a line: how a person sets it ([`typed`], [`chosen`] or [`shown`]; nothing: with others at
/// once), its type, its baseline, and its kind, number and names. Links and files keep members without these otherwise.
macro_rules! fields {
    ($(#[$attribute:meta])* $form:ident set by $field:ident {
        $($(#[$about:meta])* $member:ident $(($how:ident $variant:ident))?: $type:ty = $baseline:expr
            $(=> $kind:ident, $number:literal, [$($name:literal),*])?;)*
    }) => {
        $(#[$attribute])*
        pub struct $form {
            $($(#[$about])* pub $member: $type,)*
        }

        #[doc = concat!("The next value of a member of [`", stringify!($form), "`].")]
        #[derive(Debug, Clone)]
        pub enum $field {
            $($(#[doc = concat!("Of [`", stringify!($form), "::", stringify!($member), "`].")] $variant($type),)?)*
        }

        impl $field {
            /// What setting it means for undo and for the search.
            pub(super) fn kind(&self) -> $crate::Kind {
                match self {
                    $($(Self::$variant(_) => {
                        $crate::fields::$how(concat!(stringify!($form), ".", stringify!($member)))
                    })?)*
                }
            }
        }

        impl $form {
            /// Sets one member, and nothing else.
            pub(super) fn set(&mut self, field: $field) {
                match field {
                    $($($field::$variant(next) => self.$member = next,)?)*
                }
            }
        }

        impl $crate::fields::Form for $form {
            const FIELDS: &'static [$crate::fields::FormField<Self>] = &[
                $($($crate::fields::FormField {
                    number: $number,
                    names: &[$($name),*],
                    slot: |form| $crate::fields::Slot::$kind(&mut form.$member),
                },)?)*
            ];

            fn baseline() -> Self {
                Self { $($member: $baseline,)* }
            }
        }
    };
}
pub(super) use fields;
