//! The one list of views. Tabs, keys, the help sheet, links, files, the command line and embedded views are made of it; what draws a
//! view is named in `app::shell::views`.

/// The views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// All points.
    #[default]
    Landscape,
    /// One point in depth.
    Schedule,
    /// One layer's loop nest.
    Mapping,
    /// Which layers run together.
    Fusion,
    /// Many cores.
    Cores,
    /// Memory hierarchies.
    Hierarchy,
    /// Two designs side by side.
    Compare,
    /// Published figures and tables.
    Gallery,
    /// Lessons and exercises.
    Lessons,
    /// A transformer: attention, whole models, generation.
    Attention,
    /// Very many designs along axes.
    Study,
}

/// The entry of a view in the list of views.
#[derive(Debug, Clone, Copy)]
pub struct ViewEntry {
    /// The view.
    pub tab: Tab,
    /// As the page calls it.
    pub title: &'static str,
    /// As addresses and files call it: the title in small letters.
    pub name: &'static str,
    /// The number that links call it by. It never changes, and none is given twice.
    pub code: u8,
    /// What it shows, for the help sheet.
    pub shows: &'static str,
    /// What it is called where a person chooses what to embed; `None` if it cannot be embedded.
    pub embedded: Option<&'static str>,
}

/// Every view, in the order of the tabs; the first nine have the keys 1 to 9.
pub const VIEWS: [ViewEntry; 11] = [
    ViewEntry {
        tab: Tab::Landscape,
        title: "Landscape",
        name: "landscape",
        code: 0,
        shows: "all tile sizes and storing modes",
        embedded: Some("Landscape: all points and the best"),
    },
    ViewEntry {
        tab: Tab::Schedule,
        title: "Schedule",
        name: "schedule",
        code: 1,
        shows: "the opened point in depth",
        embedded: Some("Schedule: one point in depth"),
    },
    ViewEntry {
        tab: Tab::Mapping,
        title: "Mapping",
        name: "mapping",
        code: 2,
        shows: "the loops of one layer",
        embedded: Some("Mapping: one layer's loop nest"),
    },
    ViewEntry {
        tab: Tab::Fusion,
        title: "Fusion",
        name: "fusion",
        code: 6,
        shows: "which layers run together",
        embedded: Some("Fusion: which layers run together"),
    },
    ViewEntry {
        tab: Tab::Cores,
        title: "Cores",
        name: "cores",
        code: 7,
        shows: "who computes what when",
        embedded: Some("Cores: who computes what when"),
    },
    ViewEntry {
        tab: Tab::Hierarchy,
        title: "Hierarchy",
        name: "hierarchy",
        code: 3,
        shows: "which memories",
        embedded: Some("Memory hierarchies"),
    },
    ViewEntry {
        tab: Tab::Compare,
        title: "Compare",
        name: "compare",
        code: 5,
        shows: "two designs",
        embedded: Some("Two designs side by side"),
    },
    ViewEntry {
        tab: Tab::Gallery,
        title: "Gallery",
        name: "gallery",
        code: 4,
        shows: "figures of the papers",
        embedded: None,
    },
    ViewEntry {
        tab: Tab::Lessons,
        title: "Lessons",
        name: "lessons",
        code: 8,
        shows: "lessons and exercises, yours too",
        embedded: Some("Lessons and exercises"),
    },
    ViewEntry {
        tab: Tab::Attention,
        title: "Attention",
        name: "attention",
        code: 9,
        shows: "transformers, fused and generating",
        embedded: Some("Attention: transformers, fused and generating"),
    },
    ViewEntry {
        tab: Tab::Study,
        title: "Study",
        name: "study",
        code: 10,
        shows: "very many designs along axes",
        embedded: None,
    },
];

impl Tab {
    /// All of them, with what the page calls them.
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
