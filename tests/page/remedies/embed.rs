//! Embedded views: refusals, and the effect of following their remedies. A text here is the query of the address, or a
//! message.

use super::{Case, Grown, Room, preset};
use fusescape::embed::{EmbedOptions, Reaction, answer};
use fusescape::spec::Diagnostics;
use fusescape::spec::edit::Outline;
use fusescape::state::State;

pub const ROOM: Room = Room {
    sources: &["src/embed"],
    no_remedies: &[
        "Comparison with single-layer and layer-by-layer",
        "Energy against latency",
        "These as text (YAML) and by files, too",
    ],
    tables: &[(address, ADDRESS, ADDRESS_CASES), (message, MESSAGE, MESSAGE_CASES), (message, LESSON, LESSON_CASES)],
    grown,
};

/// Options of an address, whose parameters are numbers of a preset.
fn address(text: &str) -> Result<(), Diagnostics> {
    let (options, mut wrong) = EmbedOptions::from_query(text);
    let document = Outline::read(preset("meta-proto-like-df")).unwrap();
    wrong.0.extend(options.parameters.iter().filter_map(|one| one.target(&document).err()).flat_map(|wrong| wrong.0));
    wrong.or(())
}

fn message(text: &str) -> Result<(), Diagnostics> {
    let refusal = match answer(text, &State::first()) {
        Reaction::Refuse(refusal) => refusal,
        Reaction::Tell(_) | Reaction::Show(..) => return Ok(()),
        Reaction::Ignore => panic!("this is no message: {text:.200}"),
    };
    let mut wrong = Diagnostics::default();
    for one in refusal["errors"].as_array().unwrap() {
        let [place, reason, remedy] = ["place", "reason", "remedy"].map(|part| one[part].as_str().unwrap());
        wrong.add(place, reason, remedy);
    }
    wrong.or(())
}

const ADDRESS: &str = "?view=landscape&controls=schedule,hardware.sram_32KB.size:4..256KiB&theme=dark";

const ADDRESS_CASES: &[Case] = &[
    ("view=landscape", "view=landscap", "Did you mean `landscape`?", "view=landscape"),
    ("theme=dark", "theme=x", "Use one of ", "theme=light"),
    ("&theme=dark", "&colour=dark", "Use `view`, `controls` and `theme`", "&theme=dark"),
    (".size:4..256KiB", ".size", "Write it like `hardware.sram.size:4..256KiB`", ".size:4..256KiB"),
    ("hardware.sram_32KB.size:", "sram_32KB.size:", "Write it like `hardware.sram.size", "hardware.sram_32KB.size:"),
    (".size:", ".siz:", "Did you mean `size`?", ".size:"),
    (".size:4..256KiB", ".x:4..256KiB", "Use one of size, width, read_energy, write_energy", ".read_energy:1..30pJ"),
    (":4..256KiB", ":4..256", "Write both with a unit, or one unit for both", ":4KiB..1MiB"),
    (":4..256KiB", ":256..4KiB", "`4..256KiB`, `16..512bit`, `1..30pJ`", ":4..256KiB"),
    ("sram_32KB", "sram_32K", "Did you mean `sram_32KB`?", "sram_32KB"),
];

const MESSAGE: &str = r#"{"fusescape":1,"type":"set","id":7,"hardware":"tpu-like","workload":"three-convs",
"metric":"edp","view":"mapping"}"#;

const MESSAGE_CASES: &[Case] = &[
    (r#""id":7"#, r#""id":[7]"#, "Use a number, or at most 64 characters", r#""id":"seven""#),
    (r#""metric":"#, r#""figure":"#, "Use fusescape, type, id, link, hardware, workload, view, metric", r#""metric":"#),
    (r#""type":"set""#, r#""type":"show""#, "Use `get` or `set`", r#""type":"get""#),
    (r#""hardware":"tpu-like""#, r#""hardware":7"#, "Send a string", r#""hardware":"eyeriss-like""#),
    (r#""hardware":"tpu-like""#, r#""hardware":"tpu-lik""#, "`tpu-like`", r#""hardware":"tpu-like""#),
    (r#""metric":"edp""#, r#""metric":"power""#, "Use energy, latency, edp", r#""metric":"energy""#),
    (r#""view":"mapping""#, r#""view":"map""#, "mapping", r#""view":"mapping""#),
];

const LESSON: &str = r#"{"fusescape":1,"type":"set","lesson":"even-uneven","student":"Ada"}"#;

const LESSON_CASES: &[Case] = &[
    (r#""lesson":"even-uneven","#, "", "Send `lesson`, too", r#""lesson":"even-uneven","#),
    (r#""even-uneven""#, r#""even-unevn""#, "`even-uneven`", r#""even-uneven""#),
];

fn grown() -> Vec<Grown> {
    let long = |length: usize| "a\\n".repeat(length);
    vec![
        (message, MESSAGE.replace("tpu-like", &long(1 << 20)), "Send a smaller one", MESSAGE.to_owned()),
        (message, LESSON.replace("even-uneven", &long(1 << 20)), "Send a smaller one", LESSON.to_owned()),
        (message, LESSON.replace("Ada", &"Ada".repeat(100)), "Send a shorter name", LESSON.to_owned()),
        (message, MESSAGE.replace("tpu-like", &long(2 << 20)), "Send less", MESSAGE.to_owned()),
    ]
}
