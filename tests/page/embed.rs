//! Embedding: addresses and messages are read with all their errors, and an invalid one changes nothing.

use fusescape::embed::{
    Control, EmbedOptions, EmbedTheme, EmbedView, Parameter, Reaction, answer, resize_script, snippet, state_of,
};
use fusescape::gallery::find_entry;
use fusescape::link::{from_link, to_link};
use fusescape::spec::edit::Outline;
use fusescape::spec::{find_preset, hardware_presets};
use fusescape::state::{Action, Half, Metric, State, Tab};
use serde_json::{Value, json};

#[test]
fn an_address_says_what_is_shown() {
    for view in EmbedView::ALL.map(|(view, ..)| view) {
        for controls in [vec![], vec![Control::Schedule], Control::ALL.map(|(control, ..)| control).to_vec()] {
            for theme in EmbedTheme::ALL.map(|(theme, ..)| theme) {
                let parameters = if controls.is_empty() { vec![sram()] } else { Vec::new() };
                let options = EmbedOptions { view, controls: controls.clone(), parameters, theme };
                let (back, wrong) = EmbedOptions::from_query(&format!("?{}", options.query()));
                assert_eq!((back, wrong.is_empty()), (options, true));
            }
        }
    }
    let (options, wrong) = EmbedOptions::from_query("?view=landscap&controls=schedule,hardwear,hardware&theme&x=1");
    assert_eq!(options.controls, [Control::Hardware, Control::Schedule]);
    let places: Vec<&str> = wrong.0.iter().map(|wrong| wrong.path.as_str()).collect();
    assert_eq!(places, ["view", "controls", "theme", "x"]);
    assert!(wrong.0[0].remedy.contains("`landscape`"), "{wrong}");
}

fn sram() -> Parameter {
    Parameter { memory: "sram_64KB".into(), field: "size", from: "4 KiB".into(), to: "256 KiB".into() }
}

#[test]
fn an_address_names_single_figures_that_can_be_changed() {
    for words in ["hardware.sram_64KB.size:4..256KiB", "hardware.sram_64KB.size%3A4KiB..256KiB%2Chardware"] {
        let (options, wrong) = EmbedOptions::from_query(&format!("controls={words}"));
        assert_eq!((options.parameters, wrong.is_empty()), (vec![sram()], true), "{words}");
        assert_eq!(options.controls.len(), usize::from(words.ends_with("hardware")));
    }
    // All errors at once, each with a remedy; valid parts are taken.
    let words = "hardware.a.siz:1..2KiB,hardware.a.size,network.batch:1..2,hardware.a.size:4..x,hardware.a.size:8..4KiB,\
                 hardware.a.b.width:1..8bit";
    let (options, wrong) = EmbedOptions::from_query(&format!("controls={words}"));
    let remedies: Vec<&str> = wrong.0.iter().map(|one| one.remedy.as_str()).collect();
    assert_eq!(remedies.len(), 5, "{wrong}");
    for (remedy, part) in
        remedies.iter().zip(["`size`", "size:4..256KiB", "size:4..256KiB", "with a unit", "with a unit"])
    {
        assert!(remedy.contains(part), "{remedy}");
    }
    assert!(wrong.0.iter().all(|one| one.path == "controls"), "{wrong}");
    // A memory's name may contain a dot.
    assert_eq!(options.parameters.iter().map(|one| (&*one.memory, one.field)).collect::<Vec<_>>(), [("a.b", "width")]);
}

#[test]
fn a_figure_of_an_address_is_found_in_the_document() {
    let document = Outline::read(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let parameter = |memory: &str| Parameter { memory: memory.into(), ..sram() };
    let name = document.value("memories[1].name").unwrap();
    assert_eq!(parameter(&name).target(&document).unwrap().path(&document), "memories[1].size");
    let wrong = parameter(&format!("{name}x")).target(&document).unwrap_err();
    assert_eq!(wrong.0[0].remedy, format!("Did you mean `{name}`?"));
}

#[test]
fn a_snippet_holds_the_state_and_cannot_break_out() {
    let options = EmbedOptions {
        view: EmbedView::View(Tab::Schedule),
        controls: vec![Control::Network],
        ..EmbedOptions::default()
    };
    let link = to_link(&State::first());
    let html = snippet("https://host/\"><script>/embed.html", &options, &link, 640);
    assert!(html.contains(&format!("?view=schedule&amp;controls=network#{link}\"")), "{html}");
    assert!(html.contains("&quot;>") && html.contains("title=\"Fusescape: Schedule"), "{html}");
}

#[test]
fn the_script_beside_a_snippet_trusts_the_page_s_own_origin_only() {
    for (address, origin) in [
        ("https://host.org:8443/courses/embed.html", "'https://host.org:8443'"),
        ("http://localhost", "'http://localhost'"),
        ("https://it's</script>/embed.html", "'https://its'"),
    ] {
        let script = resize_script(address);
        assert!(script.contains(&format!("origin !== {origin}")), "{script}");
        assert_eq!(script.matches('<').count(), 2, "{script}");
    }
}

fn sent(message: &Value) -> Reaction {
    answer(&message.to_string(), &State::first())
}

fn errors(message: &Value) -> Vec<String> {
    match sent(message) {
        Reaction::Refuse(refusal) => refusal["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|wrong| wrong["place"].as_str().unwrap().to_owned())
            .collect(),
        other => panic!("{other:?}"),
    }
}

const OWN: &str = "\
name: own
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 1, size: 32 x 16 }
  - { name: extract, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
";

#[test]
fn messages_are_understood() {
    assert_eq!(sent(&json!({ "fusescape": 1, "type": "get", "id": 7 })), Reaction::Tell(json!(7)));
    let mut entry = State::first();
    entry.apply(Action::entry(&find_entry("zigzag-fig-6").unwrap()));
    let message = json!({ "fusescape": 1, "type": "set", "link": to_link(&entry), "metric": "edp", "view": "mapping" });
    let Reaction::Show(state, view, id) = sent(&message) else { panic!("{message}") };
    assert_eq!((view, id, state.view.metric), (Some(EmbedView::View(Tab::Mapping)), Value::Null, Metric::EnergyDelay));
    assert_eq!(state.design, entry.design);
    let message =
        json!({ "fusescape": 1, "type": "set", "hardware": "tpu-like", "workload": OWN, "view": "hierarchy" });
    let Reaction::Show(state, ..) = sent(&message) else { panic!("{message}") };
    assert_eq!((state.design.hardware.preset, state.view.tab), (Some("tpu-like"), Tab::Hierarchy));
    assert_eq!(state.design.workload.text, OWN);

    let told = state_of(&state, EmbedView::View(Tab::Hierarchy), Value::Null, &json!("a"));
    assert_eq!(from_link(told["link"].as_str().unwrap()).unwrap().design, state.design);
    assert_eq!((&told["id"], &told["hardware"]), (&json!("a"), &json!(state.design.hardware.text)));
    // A document that was sent is taken back unchanged: a preset stays one.
    let back = json!({ "fusescape": 1, "type": "set", "hardware": told["hardware"], "workload": told["workload"] });
    let Reaction::Show(again, ..) = sent(&back) else { panic!("{back}") };
    assert_eq!(again.design, state.design);
}

#[test]
fn a_broken_document_is_refused_with_every_place() {
    let hardware = find_preset(Half::Hardware.presets(), "tpu-like").unwrap().text;
    let broken = hardware.replacen("memories:", "memoriez:", 1);
    assert_ne!(broken, hardware);
    let message = json!({ "fusescape": 1, "type": "set", "hardware": broken, "workload": "name: own\nlayers: 7\n" });
    let Reaction::Refuse(refusal) = sent(&message) else { panic!("{message}") };
    let errors = refusal["errors"].as_array().unwrap();
    let lines = |document: &str| -> Vec<&Value> {
        let of = errors.iter().filter(|wrong| wrong["place"].as_str().unwrap().starts_with(document));
        of.map(|wrong| &wrong["line"]).collect()
    };
    assert!(!lines("hardware.").is_empty(), "{errors:?}");
    assert_eq!(lines("workload.layers"), [&json!(2)], "{errors:?}");
    assert!(errors.iter().all(|wrong| !wrong["reason"].as_str().unwrap().is_empty()), "{errors:?}");

    // The content of a link is opened unchanged, and the current design may have errors while another part of it is
    // set.
    let mut draft = State::first();
    draft.apply(Action::Take(Half::Hardware, broken.clone()));
    let message = json!({ "fusescape": 1, "type": "set", "link": to_link(&draft), "metric": "macs" });
    let Reaction::Show(state, ..) = sent(&message) else { panic!("{message}") };
    assert_eq!(state.design.hardware.text, broken);
    let message = json!({ "fusescape": 1, "type": "set", "workload": "resnet18" });
    assert!(matches!(answer(&message.to_string(), &draft), Reaction::Show(..)));
}

#[test]
fn what_is_wrong_is_said_all_at_once() {
    let message = json!({
        "fusescape": 1, "type": "set", "id": [], "link": "1xx", "hardware": "tpu-lik", "workload": 7, "metric": "joule",
        "view": "x", "more": 1,
    });
    assert_eq!(errors(&message), ["id", "more", "link", "hardware", "workload", "metric", "view"]);
    assert_eq!(errors(&json!({ "fusescape": 1 })), ["type"]);
    assert_eq!(errors(&json!({ "fusescape": 1, "type": "set", "hardware": " ".repeat(2 << 20) })), ["hardware"]);
    assert_eq!(errors(&json!({ "fusescape": 1, "type": "set", "hardware": " ".repeat(5 << 20) })), [""]);
    let nested = format!("{{\"fusescape\": 1, \"type\": {}", "[".repeat(100_000));
    for foreign in
        ["", "7", "[]", "{}", "{\"fusescape\": 2, \"type\": \"get\"}", "{\"type\": \"get\"}", nested.as_str()]
    {
        assert_eq!(answer(foreign, &State::first()), Reaction::Ignore);
    }
}
