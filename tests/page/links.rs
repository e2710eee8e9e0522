//! Links: short, permanent, and untrusted.

use fusescape::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape::gallery::find_entry;
use fusescape::lesson::{find_step, step_name};
use fusescape::link::{fingerprint, from_link, frozen_texts, to_draft, to_link};
use fusescape::multicore::{OrderRule, ScheduleObjective, Scheduler};
use fusescape::rules::Rules;
use fusescape::search::Strategy;
use fusescape::spec::{gallery_presets, hardware_presets, system_presets, workload_presets};
use fusescape::state::{
    Action, CoresField, FuseChoice, Half, HierarchyField, MappingField, Metric, ObjectiveChoice, ScheduleField,
    StackChoice, State, Tab, TileChoice, ViewField,
};
use fusescape_test_support::links::sealed;
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/links")
}

fn after(actions: impl IntoIterator<Item = Action>) -> State {
    let mut state = State::first();
    actions.into_iter().for_each(|action| state.apply(action));
    state
}

fn hex(bytes: [u8; 4]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_text_that_a_link_ever_named_is_kept() {
    let list = std::fs::read_to_string(folder().join("frozen.txt")).unwrap();
    let kept: Vec<String> = frozen_texts().iter().map(|frozen| hex(fingerprint(frozen.text))).collect();
    let listed: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let lost: Vec<&str> = list.lines().filter(|line| !kept.iter().any(|hash| line.starts_with(hash))).collect();
    assert!(
        lost.is_empty(),
        "Links name texts that are gone: {lost:#?}\nThese presets have changed. Put the old text (`git show HEAD:presets/...`) into \
         presets/retired/ under the name of the preset and this hash, and a line into RETIRED in src/link/frozen.rs."
    );
    let frozen = frozen_texts();
    let new = frozen.iter().zip(&kept).filter(|(_, hash)| !listed.contains(&hash.as_str()));
    let new: Vec<String> = new.map(|(frozen, hash)| format!("{hash} {}", frozen.preset.unwrap_or("retired"))).collect();
    assert!(new.is_empty(), "Links can name new presets now. Append to tests/links/frozen.txt:\n{}", new.join("\n"));
    let mut hashes = kept.clone();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), kept.len(), "two texts have the same hash: change one of them by a blank");
}

#[test]
fn links_of_every_version_open() {
    let links = std::fs::read_to_string(folder().join("links.txt")).unwrap();
    let mut seen = 0;
    for line in links.lines() {
        let (name, link) = line.split_once(' ').unwrap();
        let state = from_link(link).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let expected = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap_or_default();
        // A preset that was retired since is a document written by hand.
        assert_eq!(expected, expectation(&state), "{name}");
        seen += 1;
    }
    assert!(seen >= 8, "{seen} links");
}

/// The effective state, with documents by their hashes.
fn expectation(state: &State) -> String {
    let texts = [&state.design.hardware.text, &state.design.workload.text, &state.hierarchy.pool];
    let hashes = texts.map(|text| hex(fingerprint(text))).join(" ");
    let lines: Vec<String> =
        state.describe().lines().filter(|line| !line.starts_with("hardware: ")).map(str::to_owned).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.starts_with("workload: ")).collect();
    format!("documents: {hashes}\n{}\n", lines.join("\n"))
}

#[test]
fn gallery_items_are_short() {
    for entry in gallery_presets() {
        let state = after([Action::entry(&find_entry(entry.id).unwrap())]);
        let link = to_link(&state);
        println!("{:4} {} {link}", link.len(), entry.id);
        // An entry with an allocation to many cores needs more.
        let most = if state.cores.allocation.is_empty() { 120 } else { 200 };
        assert!(link.len() <= most, "{}: {} characters", entry.id, link.len());
        assert_eq!(from_link(&link).unwrap(), state, "{}", entry.id);
    }
}

#[test]
fn steps_of_lessons_are_short_and_lead_back() {
    let all = fusescape::lesson::lessons().unwrap();
    for id in all.iter().flat_map(|(id, lesson)| (0..lesson.steps.len() as u32).map(|step| step_name(id, step))) {
        let open = find_step(&id).unwrap();
        let state = after([Action::step(open.clone(), open.open_step().unwrap().opens, &State::first())]);
        assert_eq!(state.lesson.as_deref(), Some(&open));
        let link = to_link(&state);
        println!("{:4} {id} {link}", link.len());
        // A document with changed values, or a mapping, is part of the link.
        let is_changed = state.design.hardware.own.is_some() || state.own_mapping().is_some();
        let most = if is_changed { 240 } else { 120 };
        assert!(link.len() <= most, "{id}: {} characters", link.len());
        assert_eq!(from_link(&link).unwrap(), state, "{id}");
    }
}

/// Written without a preset as a base.
const FROM_SCRATCH: &str = "\
# A small accelerator of our own, for a course.
name: Classroom core

array:
  dimensions: { Rows: 16, Columns: 24 }
  mac_energy: 0.21 pJ

memories:
  - name: weight_reg
    size: 16 bit
    operands: [W]
    width: 16 bit
    granularity: 8 bit
    read_energy: 0.013 pJ
    write_energy: 0.019 pJ
    ports: { r_port_1: [W.read_to_low], w_port_1: [W.write_from_high] }
    shared_over: []

  - name: acc
    size: 96 B
    operands: [O]
    width: 24 bit
    granularity: 24 bit
    read_energy: 0.034 pJ
    write_energy: 0.041 pJ
    ports:
      r_port_1: [O.read_to_low, O.read_to_high]
      w_port_1: [O.write_from_low, O.write_from_high]
    shared_over: [Rows]

  - name: shared_buffer
    size: 192 KiB
    operands: [W, I, O]
    width: 384 bit
    granularity: 48 bit
    read_energy: 31.7 pJ
    write_energy: 36.2 pJ
    ports:
      rw_port_1: [W.write_from_high, I.write_from_high, O.read_to_high, O.write_from_high]
      r_port_1: [W.read_to_low, I.read_to_low, O.read_to_low]
      w_port_1: [O.write_from_low]
    shared_over: all

  - name: lpddr
    size: 4 GiB
    operands: [W, I, O]
    width: 128 bit
    granularity: 64 bit
    read_energy: 812 pJ
    write_energy: 940 pJ
    ports: { rw_port_1: [W.read_to_low, I.read_to_low, O.read_to_low, O.write_from_low] }
    shared_over: all

unroll:
  conv: { Rows: C, Columns: K }
  depthwise: { Columns: G }
";

#[test]
fn what_a_person_changes_costs_a_few_characters() {
    let preset = hardware_presets().iter().find(|preset| preset.id == "meta-proto-like-df").unwrap();
    let edited = preset.text.replacen("size: 32 KiB", "size: 48 KiB", 1);
    assert_ne!(edited, preset.text);
    let link = to_link(&after([Action::Write(Half::Hardware, edited)]));
    println!("one number: {} {link}", link.len());
    assert!(link.len() <= 48, "one number takes {} characters", link.len());

    fusescape::hardware::Core::from_text(FROM_SCRATCH).unwrap();
    let link = to_link(&after([Action::Write(Half::Hardware, FROM_SCRATCH.to_owned())]));
    println!("from scratch: {} of {} {link}", link.len(), FROM_SCRATCH.len());
    assert!(link.len() <= 550, "an accelerator of one's own takes {} characters", link.len());
}

/// Edits of all kinds, including invalid ones.
fn random_action(random: &mut Lcg, state: &State) -> Action {
    let half = random.of(&[Half::Hardware, Half::Workload]);
    let presets = if half == Half::Hardware { hardware_presets() } else { workload_presets() };
    let words = ["", "4", "1 4 16", "007 1", "ü→ x", "10..960:10", "L2, map3"];
    let word = |random: &mut Lcg| random.of(&words).to_owned();
    match random.below(34) {
        0 | 1 => Action::PickPreset(half, &presets[random.below(presets.len() as u64) as usize]),
        2..=5 => Action::Write(half, scribbled(random, &state.design.document(half).text)),
        6 => Action::Schedule(ScheduleField::TilesX(word(random))),
        7 => Action::Schedule(ScheduleField::TilesY(word(random))),
        8 => Action::Mode(random.of(&StoringMode::ALL), random.below(2) > 0),
        9 => Action::Schedule(ScheduleField::Fuse(random.of(&FuseChoice::ALL).0)),
        10 => Action::Schedule(ScheduleField::Cuts(word(random))),
        11 => Action::Schedule(ScheduleField::Objective(random.of(&ObjectiveChoice::ALL).0)),
        12 => Action::Weight(random.below(3) as usize, word(random)),
        13 => Action::Schedule(ScheduleField::Strategy(random.of(&[Strategy::Loma, Strategy::Exact]))),
        14 => Action::Schedule(ScheduleField::LpfLimit(3 + random.below(8) as usize)),
        15 => Action::Schedule(ScheduleField::Rules(random.of(&Rules::SETS).1)),
        16 => {
            let switches = Rules::CORRECTED.switches();
            let (name, ..) = switches[random.below(switches.len() as u64) as usize];
            Action::Schedule(ScheduleField::Rules(state.design.schedule.rules.with(name, random.below(2) > 0).unwrap()))
        }
        17 => Action::Hierarchy(HierarchyField::Pool(scribbled(random, &state.hierarchy.pool))),
        18 => Action::Hierarchy(HierarchyField::Budget(word(random))),
        19 => Action::Look(ViewField::Tab(random.of(&Tab::ALL).0)),
        20 => Action::Look(ViewField::Metric(random.of(&Metric::ALL))),
        21 => Action::OpenPoint(DepthFirstStrategy {
            tile: (random.of(&[1, 60, u64::MAX]), random.below(1 << 40)),
            mode: random.of(&StoringMode::ALL),
            fuse: [FuseDepth::Automatic, FuseDepth::LayerByLayer, FuseDepth::Cuts(vec![word(random)])]
                [random.below(3) as usize]
                .clone(),
        }),
        22 => Action::Mapping(MappingField::Layer(Some(word(random)))),
        26 => Action::Mapping(MappingField::Constraints(word(random))),
        27 => Action::Schedule(ScheduleField::MostLayers(word(random))),
        28 => Action::Schedule(ScheduleField::MostTiles(word(random))),
        29..=32 => {
            let text = word(random);
            Action::Cores(random_cores(random, state, text))
        }
        23 => Action::Pin,
        24 => Action::Swap,
        25 => Action::Unpin,
        _ => {
            let entry = &gallery_presets()[random.below(gallery_presets().len() as u64) as usize];
            Action::entry(&find_entry(entry.id).unwrap())
        }
    }
}

fn random_cores(random: &mut Lcg, state: &State, word: String) -> CoresField {
    let systems = system_presets();
    match random.below(14) {
        0 => CoresField::Preset(Some(systems[random.below(systems.len() as u64) as usize].id.to_owned())),
        1 => CoresField::Own(scribbled(random, state.cores.system())),
        2 => CoresField::Preset(None),
        3 => CoresField::ShowsSystem(random.below(2) > 0),
        4 => CoresField::Granularity(random.of(&TileChoice::ALL).0),
        5 => CoresField::Rows(word),
        6 => CoresField::Tiles(word),
        7 => CoresField::Stacks(random.of(&StackChoice::ALL).0),
        8 => CoresField::Ends(word),
        9 => CoresField::Objective(random.of(&ScheduleObjective::ALL)),
        10 => CoresField::Scheduler(random.of(&Scheduler::ALL)),
        11 => CoresField::Prefetches(random.below(2) > 0),
        12 => CoresField::Order(random.of(&[
            None,
            Some(OrderRule::Deepest),
            Some(OrderRule::Slots),
            Some(OrderRule::Earliest),
        ])),
        _ => CoresField::Allocation(word),
    }
}

/// A text with some lines copied, dropped, or changed.
fn scribbled(random: &mut Lcg, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // A text equal to a preset would come back as that preset.
    lines.push("# by hand\n".to_owned());
    for _ in 0..=random.below(4) {
        let place = random.below(lines.len() as u64 + 1) as usize;
        match random.below(4) {
            0 => lines.insert(place, format!("# {} ünïcödé ☂\n", random.below(1 << 30))),
            1 => lines.extend(lines.get(place).cloned()),
            2 if place < lines.len() => drop(lines.remove(place)),
            _ => lines.iter_mut().skip(place).take(1).for_each(|line| *line = line.replace('1', "273")),
        }
    }
    if lines.concat() == text {
        lines.push("# by hand again\n".to_owned());
    }
    lines.concat()
}

#[test]
fn whatever_is_entered_comes_back() {
    for seed in 0..sample_or_all(15, 60) {
        let mut random = Lcg(seed);
        let mut state = State::first();
        for _ in 0..12 {
            let action = random_action(&mut random, &state);
            state.apply(action);
            let back = from_link(&to_draft(&state)).unwrap();
            // A mapping by hand for another layer is dropped.
            state.mapping = if state.own_mapping().is_none() { back.mapping.clone() } else { state.mapping };
            assert_eq!(back, state, "seed {seed}");
            let linked = from_link(&to_link(&state)).unwrap();
            let mut shown = state.clone();
            shown.pinned.iter_mut().for_each(|pinned| pinned.design.forget_own());
            assert_eq!(linked.keeping_own(&state), shown, "seed {seed}");
            assert_eq!(to_link(&linked), to_link(&state));
        }
    }
}

#[test]
fn texts_of_all_kinds_come_back() {
    let cases = ["", "\n", "ä", "a: {", "name: x\r\nmemories:\t[]\n", "\u{0}\u{feff}", &"ab".repeat(40_000)];
    for text in cases {
        let state = after([Action::Write(Half::Hardware, text.to_owned())]);
        let link = to_link(&state);
        assert_eq!(from_link(&link).unwrap(), state, "{text:?}");
        assert!(text.len() < 1000 || link.len() < 400, "{} characters", link.len());
    }
    // Beyond the limit on documents, and on texts that are compared.
    let large: String = (0..200_000).map(|number| format!("{number},")).collect();
    let state = after([Action::Write(Half::Workload, large)]);
    assert_eq!(from_link(&to_link(&state)).unwrap(), state);
}

#[test]
fn wrong_links_are_called_wrong() {
    let good = to_link(&after([Action::entry(&find_entry("zigzag-fig-6").unwrap())]));
    assert!(from_link(&format!("https://host/page/#{good}\n")).is_ok());
    let reason = |link: &str| from_link(link).unwrap_err().0[0].reason.clone();
    for (link, expected) in [
        (String::new(), "This is no link"),
        ("hello".to_owned(), "This is no link"),
        (format!("2{}", &good[1..]), "newer version"),
        ("1".to_owned(), "damaged"),
        ("1!!!!".to_owned(), "damaged"),
        (good[..good.len() - 1].to_owned(), "damaged"),
        (good[..good.len() / 2].to_owned(), "damaged"),
        (format!("{good}AA"), "damaged"),
        ("1".repeat(9 << 20), "more than"),
    ] {
        let found = reason(&link);
        assert!(found.contains(expected), "{}: {found}", link.chars().take(50).collect::<String>());
    }
}

/// Found by fuzzing: the text of the system is shown, pinned, then hidden.
#[test]
fn what_a_link_pins_is_pinned_as_the_page_pins_it() {
    let state = from_link(&sealed(&[47, 1, 32, 47, 0])).unwrap();
    assert!(!state.cores.shows_system && !state.pinned.as_ref().unwrap().cores.shows_system);
    assert_eq!(from_link(&to_draft(&state)).unwrap(), state);
}

#[test]
fn no_link_does_harm() {
    let good = to_link(&after([
        Action::entry(&find_entry("zigzag-fig-6").unwrap()),
        Action::Write(Half::Hardware, FROM_SCRATCH.to_owned()),
    ]));
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut random = Lcg(1);
    let mut opened = 0;
    for _ in 0..4000 {
        let mut letters: Vec<u8> = good.bytes().collect();
        for _ in 0..=random.below(3) {
            let place = 1 + random.below(letters.len() as u64 - 1) as usize;
            letters[place] = random.of(LETTERS);
        }
        opened += usize::from(from_link(std::str::from_utf8(&letters).unwrap()).is_ok());
    }
    assert!(opened < 40, "{opened} of 4000 damaged links opened");
}
