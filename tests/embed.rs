//! Embedding: addresses and messages are read with all that is wrong with them, and nothing is changed by one that is wrong.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use fusescape::embed::{Answer, Control, EmbedOptions, EmbedTheme, EmbedView, answer, snippet, state_of};
use fusescape::link::{from_link, to_link};
use fusescape::state::{Action, Metric, State, Tab};
use serde_json::{Value, json};

#[test]
fn an_address_says_what_is_shown() {
    for view in EmbedView::ALL.map(|(view, ..)| view) {
        for controls in [vec![], vec![Control::Schedule], vec![Control::Hardware, Control::Network, Control::Schedule]]
        {
            for theme in EmbedTheme::ALL.map(|(theme, ..)| theme) {
                let options = EmbedOptions { view, controls: controls.clone(), theme };
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

#[test]
fn a_snippet_holds_the_state_and_cannot_break_out() {
    let options =
        EmbedOptions { view: EmbedView::Schedule, controls: vec![Control::Network], ..EmbedOptions::default() };
    let link = to_link(&State::first());
    let html = snippet("https://host/\"><script>/embed.html", &options, &link, 640);
    assert!(html.contains(&format!("?view=schedule&amp;controls=network#{link}\"")), "{html}");
    assert!(html.contains("&quot;>") && html.contains("title=\"Fusescape: Schedule"), "{html}");
}

fn sent(message: &Value) -> Answer {
    answer(&message.to_string(), &State::first())
}

fn errors(message: &Value) -> Vec<String> {
    match sent(message) {
        Answer::Refuse(refusal) => refusal["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|wrong| wrong["place"].as_str().unwrap().to_owned())
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_are_understood() {
    assert_eq!(sent(&json!({ "fusescape": 1, "type": "get", "id": 7 })), Answer::Tell(json!(7)));
    let mut entry = State::first();
    entry.apply(Action::OpenEntry("zigzag-fig-6"));
    let message = json!({ "fusescape": 1, "type": "set", "link": to_link(&entry), "metric": "edp", "view": "mapping" });
    let Answer::Show(state, view, id) = sent(&message) else { panic!("{message}") };
    assert_eq!((view, id, state.view.metric), (Some(EmbedView::Mapping), Value::Null, Metric::EnergyDelay));
    assert_eq!(state.design, entry.design);
    let message = json!({ "fusescape": 1, "type": "set", "hardware": "tpu-like", "workload": "name: own\nlayers: []\n", "view": "hierarchy" });
    let Answer::Show(state, ..) = sent(&message) else { panic!("{message}") };
    assert_eq!((state.design.hardware.preset, state.view.tab), (Some("tpu-like"), Tab::Hierarchy));
    assert_eq!(state.design.workload.text, "name: own\nlayers: []\n");

    let told = state_of(&state, EmbedView::Hierarchy, Value::Null, &json!("a"));
    assert_eq!(from_link(told["link"].as_str().unwrap()).unwrap().design, state.design);
    assert_eq!((&told["id"], &told["hardware"]), (&json!("a"), &json!(state.design.hardware.text)));
}

#[test]
fn what_is_wrong_is_said_all_at_once() {
    let message = json!({
        "fusescape": 1, "type": "set", "id": [], "link": "1xx", "hardware": "tpu-lik", "workload": 7, "metric": "joule", "view": "x", "more": 1,
    });
    assert_eq!(errors(&message), ["id", "more", "link", "hardware", "workload", "metric", "view"]);
    assert_eq!(errors(&json!({ "fusescape": 1 })), ["type"]);
    assert_eq!(errors(&json!({ "fusescape": 1, "type": "set", "hardware": " ".repeat(2 << 20) })), ["hardware"]);
    assert_eq!(errors(&json!({ "fusescape": 1, "type": "set", "hardware": " ".repeat(5 << 20) })), [""]);
    let nested = format!("{{\"fusescape\": 1, \"type\": {}", "[".repeat(100_000));
    for foreign in
        ["", "7", "[]", "{}", "{\"fusescape\": 2, \"type\": \"get\"}", "{\"type\": \"get\"}", nested.as_str()]
    {
        assert_eq!(answer(foreign, &State::first()), Answer::Ignore);
    }
}
