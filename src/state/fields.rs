//! The fields of every form as one list, used by links and files.
//!
//! A form is declared with [`fields!`], one line per field: the kind of edit, type, baseline for links that leave it
//! out, kind, number in links, and name in files. The encoding of each kind is defined once for links (`link/kinds.rs`)
//! and once for files (`state/file/kinds.rs`).

use super::choice::AnyChoice;
use super::kind::{ActionKind, TypedField};
use fusescape_engine::depth_first::{DepthFirstStrategy, StoringMode};
use fusescape_engine::rules::Rules;

/// A form that links and files store field by field.
pub trait Form: Clone + 'static {
    /// In the order of writing.
    const FIELDS: &'static [FormField<Self>];

    /// The meaning of an empty link. It never changes, even if the page's default does.
    fn baseline() -> Self;

    /// The names of its fields in files.
    fn names() -> Vec<&'static str> {
        Self::FIELDS.iter().flat_map(|field| field.names).copied().collect()
    }
}

/// One field of a form.
pub struct FormField<F> {
    /// Number in links. It never changes, and is never reused.
    pub number: u32,
    /// Names in files; empty if files store it otherwise.
    pub names: &'static [&'static str],
    /// Access to the field, with its kind.
    pub slot: fn(&mut F) -> FieldRef<'_>,
}

/// A mutable field of a form, by kind.
pub enum FieldRef<'f> {
    /// A text as written.
    Text(&'f mut String),
    /// Sizes separated by spaces, as written.
    Sizes(&'f mut String),
    /// An optional name.
    Name(&'f mut Option<String>),
    /// One of a few values.
    Choice(&'f mut dyn AnyChoice),
    /// A list of names.
    Names(&'f mut Vec<String>),
    /// Some of the overlap storing modes.
    Modes(&'f mut Vec<StoringMode>),
    /// Weights of the objective, as written.
    Weights(&'f mut [String; 3]),
    /// Rules of the model.
    Rules(&'f mut Rules),
    /// Not negative, at most 32 bits.
    Count(&'f mut usize),
    /// A ratio of sizes.
    Ratio(&'f mut u64),
    Flag(&'f mut bool),
    /// Whether a text is shown; files list these together.
    Shown(&'f mut bool),
    /// An index, from 0; from 1 in files.
    Ordinal(&'f mut usize),
    /// An optional index.
    OptionalOrdinal(&'f mut Option<usize>),
    /// A point of a sweep.
    Point(&'f mut Option<DepthFirstStrategy>),
}

/// A field edited by keystrokes.
pub(super) fn typed(member: &'static str) -> ActionKind {
    ActionKind::Typing(TypedField::Member(member))
}

/// A field edited as a whole.
pub(super) fn chosen(_: &'static str) -> ActionKind {
    ActionKind::Edit
}

/// A field of the view only.
pub(super) fn shown(_: &'static str) -> ActionKind {
    ActionKind::Look
}

/// Declares a form, one line per field: the kind of edit ([`typed`], [`chosen`] or [`shown`]; none if it is only set
/// together with others), type, baseline, and kind, number and names. Fields without the latter are stored otherwise in
/// links and files.
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
            /// The kind of edit for undo and for the search.
            pub(super) fn kind(&self) -> $crate::ActionKind {
                match self {
                    $($(Self::$variant(_) => {
                        $crate::fields::$how(concat!(stringify!($form), ".", stringify!($member)))
                    })?)*
                }
            }
        }

        impl $form {
            /// Sets one field.
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
                    slot: |form| $crate::fields::FieldRef::$kind(&mut form.$member),
                },)?)*
            ];

            fn baseline() -> Self {
                Self { $($member: $baseline,)* }
            }
        }
    };
}
pub(super) use fields;
