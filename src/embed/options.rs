//! Options of an embedded view, from its address:
//! `embed.html?view=landscape&controls=hardware,schedule&theme=dark#LINK`.

use super::parameter::Parameter;
use fusescape_spec::{Diagnostics, closest};
use fusescape_state::{Tab, VIEWS, ViewEntry};

/// A view that can be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedView {
    /// A view of the page.
    View(Tab),
    /// A part of the landscape: single-layer, layer-by-layer and depth-first side by side.
    Comparison,
    /// A part of the landscape: energy against latency.
    TradeOff,
}

impl Default for EmbedView {
    fn default() -> Self {
        Self::View(Tab::Landscape)
    }
}

/// A part of the design that can be changed in an embedded view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The card of the hardware.
    Hardware,
    /// The card of the network.
    Network,
    /// The card of the schedule.
    Schedule,
    /// Documents as text and as files, on the cards and in the view.
    Text,
}

/// The theme of an embedded view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmbedTheme {
    /// As the system is set.
    #[default]
    Auto,
    Light,
    Dark,
}

impl EmbedView {
    /// Parts of the landscape that can be embedded alone: name in addresses, and title.
    const PARTS: [(Self, &'static str, &'static str); 2] = [
        (Self::Comparison, "comparison", "Comparison with single-layer and layer-by-layer"),
        (Self::TradeOff, "trade-off", "Energy against latency"),
    ];

    /// With their names in addresses and titles. The parts of the landscape follow it.
    pub const ALL: [(Self, &'static str, &'static str); embeddable() + Self::PARTS.len()] = {
        let mut all = [Self::PARTS[0]; embeddable() + Self::PARTS.len()];
        let (mut index, mut place) = (0, 0);
        while index < VIEWS.len() {
            let ViewEntry { tab, name, embedded, .. } = VIEWS[index];
            if let Some(title) = embedded {
                all[place] = (Self::View(tab), name, title);
                place += 1;
            }
            if matches!(tab, Tab::Landscape) {
                (all[place], all[place + 1]) = (Self::PARTS[0], Self::PARTS[1]);
                place += 2;
            }
            index += 1;
        }
        all
    };

    /// Name in addresses.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(view, ..)| *view == self).map_or("", |(_, name, _)| name)
    }

    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(view, ..)| *view == self).map_or("", |(_, _, title)| title)
    }

    /// The tab of the page that shows it.
    pub fn tab(self) -> Tab {
        match self {
            Self::View(tab) => tab,
            Self::Comparison | Self::TradeOff => Tab::Landscape,
        }
    }

    /// The embedded view for a tab of the page.
    pub fn of(tab: Tab) -> Self {
        let is_embeddable = VIEWS.iter().any(|view| view.tab == tab && view.embedded.is_some());
        if is_embeddable { Self::View(tab) } else { Self::default() }
    }
}

/// Number of views of the page that can be embedded.
const fn embeddable() -> usize {
    let (mut index, mut count) = (0, 0);
    while index < VIEWS.len() {
        count += VIEWS[index].embedded.is_some() as usize;
        index += 1;
    }
    count
}

impl Control {
    /// With their names in addresses and titles.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Hardware, "hardware", "Hardware"),
        (Self::Network, "network", "Network"),
        (Self::Schedule, "schedule", "Schedule"),
        (Self::Text, "text", "These as text (YAML) and by files, too"),
    ];
}

impl EmbedTheme {
    /// With their names in addresses and titles.
    pub const ALL: [(Self, &'static str, &'static str); 3] =
        [(Self::Auto, "auto", "as the reader's system"), (Self::Light, "light", "light"), (Self::Dark, "dark", "dark")];
}

/// The options of an embedded view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedOptions {
    pub view: EmbedView,
    /// Cards beside the view, in the order of [`Control::ALL`].
    pub controls: Vec<Control>,
    /// Sliders beside the view.
    pub parameters: Vec<Parameter>,
    pub theme: EmbedTheme,
}

impl EmbedOptions {
    /// Parses a query. An invalid part keeps its default, and is reported.
    pub fn from_query(query: &str) -> (Self, Diagnostics) {
        let mut options = Self::default();
        let mut wrong = Diagnostics::default();
        for part in query.trim_start_matches('?').split('&').filter(|part| !part.is_empty()).take(16) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name {
                "view" => options.view = pick("view", value, &EmbedView::ALL, &mut wrong).unwrap_or_default(),
                "theme" => options.theme = pick("theme", value, &EmbedTheme::ALL, &mut wrong).unwrap_or_default(),
                "controls" => {
                    let value = [("%2C", ","), ("%3A", ":"), ("%2c", ","), ("%3a", ":")]
                        .iter()
                        .fold(value.to_owned(), |value, (coded, letter)| value.replace(coded, letter));
                    let words = value.split(',').filter(|word| !word.is_empty()).take(16);
                    let (figures, cards): (Vec<&str>, Vec<&str>) = words.partition(|word| Parameter::is_meant(word));
                    options.parameters = figures.iter().filter_map(|word| Parameter::read(word, &mut wrong)).collect();
                    let wanted: Vec<Control> =
                        cards.iter().filter_map(|word| pick("controls", word, &Control::ALL, &mut wrong)).collect();
                    let all = Control::ALL.iter().map(|(control, ..)| *control);
                    options.controls = all.filter(|control| wanted.contains(control)).collect();
                }
                _ => {
                    let name: String = name.chars().take(40).collect();
                    wrong.add(name, "There is no such option", "Use `view`, `controls` and `theme`");
                }
            }
        }
        (options, wrong)
    }

    /// The query; options with default values are left out.
    pub fn query(&self) -> String {
        let mut query = format!("view={}", self.view.name());
        let named = Control::ALL.iter().filter(|(control, ..)| self.controls.contains(control));
        let cards = named.map(|(_, name, _)| (*name).to_owned());
        let controls: Vec<String> = cards.chain(self.parameters.iter().map(Parameter::word)).collect();
        if !controls.is_empty() {
            query += &format!("&controls={}", controls.join(","));
        }
        if let Some((_, name, _)) = EmbedTheme::ALL.iter().skip(1).find(|(theme, ..)| *theme == self.theme) {
            query += &format!("&theme={name}");
        }
        query
    }
}

/// The value with this name.
fn pick<T: Copy>(
    place: &str,
    word: &str,
    all: &[(T, &'static str, &'static str)],
    wrong: &mut Diagnostics,
) -> Option<T> {
    let found = all.iter().find(|(_, name, _)| *name == word);
    if found.is_none() {
        let word: String = word.chars().take(40).collect();
        let names: Vec<&str> = all.iter().map(|(_, name, _)| *name).collect();
        let remedy = closest(&word, names.iter().copied())
            .map_or_else(|| format!("Use one of {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
        wrong.add(place, format!("`{word}` cannot be used here"), remedy);
    }
    found.map(|(value, ..)| *value)
}

/// The HTML that embeds a view in another page; `address` is that of `embed.html`, `link` is the state.
pub fn snippet(address: &str, options: &EmbedOptions, link: &str, height: u32) -> String {
    let address = format!("{address}?{}#{link}", options.query()).replace('&', "&amp;").replace('"', "&quot;");
    let title = options.view.title();
    format!(
        "<iframe src=\"{address}\"\n  title=\"Fusescape: {title}\" width=\"100%\" height=\"{height}\"\n  \
         style=\"border: 0\" loading=\"lazy\" allow=\"clipboard-write\"></iframe>\n"
    )
}

/// A script to place right after that HTML: it sets the height of the view to that of its content. It only accepts
/// messages from the view's window and from the origin of `address`.
pub fn resize_script(address: &str) -> String {
    let end = address.match_indices('/').nth(2).map_or(address.len(), |(end, _)| end);
    let origin: String = address[..end].chars().filter(|letter| !matches!(letter, '\'' | '\\' | '<')).collect();
    format!(
        "<script>\n  {{\n    const view = document.currentScript.previousElementSibling;\n    \
         addEventListener('message', ({{ origin, source, data }}) => {{\n      \
         if (origin !== '{origin}' || source !== view.contentWindow) return;\n      \
         if (data?.fusescape === 1 && data.type === 'resize') view.style.height = `${{data.height}}px`;\n    \
         }});\n  }}\n</script>\n"
    )
}
