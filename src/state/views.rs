//! The one list of views. Tabs, keys, the help sheet, links, files, the command line and embedded views are made of it, and so are the
//! modules of views in the page and what draws each of them (`src/app/mod.rs`, `src/app/shell/views.rs`).

/// Hands all views to the macro of this name, in the order of the tabs; the first nine have the keys 1 to 9.
///
/// One line per view: its tab, which is its title, too; its module in the page, which is its name in addresses and files; the number that
/// links call it by, which never changes and is never given twice; what it is about; what it shows, for the help sheet; and what it is
/// called where a person chooses what to embed, or `None` if it cannot be embedded.
#[macro_export]
macro_rules! views {
    ($each:ident) => {
        $each! {
            Landscape landscape 0 Design "all tile sizes and storing modes" Some("Landscape: all points and the best");
            Schedule schedule 1 Point "the opened point in depth" Some("Schedule: one point in depth");
            Mapping mapping 2 Design "the loops of one layer" Some("Mapping: one layer's loop nest");
            Fusion fusion 6 Design "which layers run together" Some("Fusion: which layers run together");
            Cores cores 7 System "schedule on many cores" Some("Cores: schedule on many cores");
            Hierarchy hierarchy 3 Design "memory hierarchies" Some("Memory hierarchies");
            Compare compare 5 Pair "two designs" Some("Two designs side by side");
            Gallery gallery 4 Publications "figures of the papers" None;
            Lessons lessons 8 Publications "lessons and exercises, yours too" Some("Lessons and exercises");
            Attention attention 9 Transformer "transformers, fused and generating"
                Some("Attention: transformers, fused and generating");
            Study study 10 Design "very many designs along axes" None;
        }
    };
}

macro_rules! list {
    ($($tab:ident $name:ident $code:literal $subject:ident $shows:literal $embedded:expr;)*) => {
        /// The views.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Tab {
            $(#[doc = $shows] $tab,)*
        }

        /// Every view, in the order of the tabs; the first nine have the keys 1 to 9.
        pub const VIEWS: &[ViewEntry] = &[$(ViewEntry {
            tab: Tab::$tab,
            title: stringify!($tab),
            name: stringify!($name),
            code: $code,
            subject: ViewSubject::$subject,
            shows: $shows,
            embedded: $embedded,
        },)*];
    };
}

views!(list);

impl Default for Tab {
    fn default() -> Self {
        Self::Landscape
    }
}

/// The subject of a view, which decides what the page shows around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewSubject {
    /// The design at hand, as a whole or in part.
    Design,
    /// One point of the design at hand, whose account it needs.
    Point,
    /// One point of the pinned design, and one of the design at hand.
    Pair,
    /// The network of the design on a system of cores.
    System,
    /// A transformer on the accelerator of the design.
    Transformer,
    /// Nothing of the design at hand: documents of the program.
    Publications,
}

/// The entry of a view in the list of views.
#[derive(Debug, Clone, Copy)]
pub struct ViewEntry {
    pub tab: Tab,
    /// On the page.
    pub title: &'static str,
    /// In addresses and files: the title in lower case.
    pub name: &'static str,
    /// Number in links. It never changes, and is never reused.
    pub code: u8,
    /// What it is about.
    pub subject: ViewSubject,
    /// Description for the help dialog.
    pub shows: &'static str,
    /// Name in the dialog for embedding; `None` if it cannot be embedded.
    pub embedded: Option<&'static str>,
}

impl Tab {
    /// What the view is about.
    pub fn subject(self) -> ViewSubject {
        VIEWS.iter().find(|view| view.tab == self).map_or(ViewSubject::Design, |view| view.subject)
    }

    /// With their names on the page.
    pub const ALL: [(Self, &'static str); VIEWS.len()] = {
        let mut all = [(Self::Landscape, ""); VIEWS.len()];
        let mut index = 0;
        while index < VIEWS.len() {
            all[index] = (VIEWS[index].tab, VIEWS[index].title);
            index += 1;
        }
        all
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_titles_in_small_letters_and_codes_are_given_once() {
        for (index, view) in VIEWS.iter().enumerate() {
            assert_eq!(view.title.to_lowercase(), view.name);
            assert!(
                VIEWS[..index].iter().all(|other| other.code != view.code && other.tab != view.tab),
                "{}",
                view.title
            );
        }
    }
}
