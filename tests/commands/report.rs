//! The report of a design: its numbers equal those of the engine, and its instructions reproduce them.

use fusescape_link::from_link;
use fusescape_state::{Action, ScheduleField, State};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn fusescape(folder: &Path, arguments: &[&str]) -> String {
    let output = crate::program().current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of the table below a heading.
fn rows(report: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, rest) =
        report.split_once(&format!("## {heading}\n\n")).unwrap_or_else(|| panic!("no {heading} in\n{report}"));
    let lines = rest.lines().take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    lines.skip(2).map(cells).collect()
}

#[test]
fn its_numbers_are_those_of_the_point_and_it_says_how_to_get_them_again() {
    let folder = folder("report");
    let report = fusescape(&folder, &["report", "--workload", "fsrcnn-defines", "--site", "https://host.example/"]);
    assert!(report.starts_with("# FSRCNN (DeFiNES) on Meta-prototype-like DF\n"), "{report}");
    let version = fusescape(&folder, &["--version"]);
    let version = version.trim().strip_prefix("fusescape ").unwrap();
    let by = format!("Scheduled by Fusescape {version}: fully-cached 4 × 72, the best of 108.\n");
    assert!(report.contains(&by), "{report}");

    let code = report.split("```").nth(1).unwrap();
    let commands: Vec<&str> = code.trim().lines().collect();
    let words = |line: &str| -> Vec<String> { line.split(' ').skip(1).map(str::to_owned).collect() };
    let run = |line: &str, more: &[&str]| {
        let words = words(line);
        fusescape(&folder, &[&words.iter().map(String::as_str).collect::<Vec<_>>()[..], more].concat())
    };
    assert_eq!(run(commands[0], &["--site", "https://host.example/"]), report);
    run(commands[1], &[]);
    let point: Value = serde_json::from_str(&run(commands[2], &["--format", "json"])).unwrap();
    let account = &point["account"];

    let headline = rows(&report, "What it costs");
    assert_eq!(
        headline[0][..2],
        ["Energy".to_owned(), format!("{:.2} mJ", account["energy_pj"].as_f64().unwrap() / 1e9)]
    );
    assert_eq!(headline[0][2..], ["19.1 mJ (10.5×)", "19.1 mJ (10.5×)"]);
    assert_eq!(headline[1][1], format!("{:.1} Mcycles", account["latency_cycles"].as_f64().unwrap() / 1e6));
    let memories = rows(&report, "Energy and accesses by memory");
    let names: Vec<&str> = memories.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["dram", "sram_1MB_A", "sram_64KB", "sram_1MB_W", "sram_32KB", "rf_2B", "rf_1B", "MACs"]);
    let share: f64 =
        rows(&report, "Energy by cause").iter().map(|row| row[2].trim_end_matches(" %").parse::<f64>().unwrap()).sum();
    assert!((share - 100.0).abs() < 0.2, "{share}");
    let types = rows(&report, "Tile types");
    assert_eq!(types.len(), account["stacks"][0]["tile_types"].as_array().unwrap().len());

    let (_, link) = report.split_once("<https://host.example/#").unwrap();
    let mut expected = State::first();
    expected.apply(Action::preset(fusescape_state::Half::Workload, "fsrcnn-defines").unwrap());
    assert_eq!(from_link(link.split_once('>').unwrap().0).unwrap(), expected);
}

#[test]
fn a_point_that_was_opened_is_the_one_that_is_reported_and_a_file_serves_as_a_link_does() {
    let folder = folder("report-file");
    let mut state = State::first();
    state.apply(Action::Schedule(ScheduleField::TilesX("60 960".to_owned())));
    state.apply(Action::Schedule(ScheduleField::TilesY("72".to_owned())));
    let rules = state.design.schedule.rules.with("truncate_bandwidth_ratio", true).unwrap();
    state.apply(Action::Schedule(ScheduleField::Rules(rules)));
    let point = state.design.request().unwrap()[0].settings.strategies()[1].clone();
    state.apply(Action::OpenPoint(point));
    let name = "A `core` | with *signs*\\";
    let text = state.design.hardware.text.replace("name: Meta-prototype-like DF", &format!("name: '{name}'"));
    state.apply(Action::Take(fusescape_state::Half::Hardware, text));
    std::fs::write(folder.join("mine.yaml"), state.to_yaml()).unwrap();
    let report = fusescape(&folder, &["report", "mine.yaml"]);
    assert!(report.starts_with("# FSRCNN (DeFiNES) on A \\`core\\` \\| with \\*signs\\*\\\\\n"), "{report}");
    assert!(report.contains("fully-recompute 960 × 72, one of 6, not the best."), "{report}");
    assert!(
        report.contains("A mixture. Done as a published tool does it:\n\n- Fractional unrolling: fan-out truncated"),
        "{report}"
    );
    assert!(!report.contains("fusescape depth-first"), "no command says a mixture of rules");
    assert!(report.contains("own document, "));

    fusescape(&folder, &["link", "open", "mine.yaml", "--into", "again"]);
    let again = std::fs::read_to_string(folder.join("again/state.yaml")).unwrap();
    assert_eq!(State::from_yaml(&again).unwrap(), state);
    let link = fusescape(&folder, &["link", "make", "mine.yaml"]);
    assert_eq!(from_link(&link).unwrap(), state);
}
