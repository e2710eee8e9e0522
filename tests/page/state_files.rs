//! A state as a file: everything is restored, and errors have lines.

use fusescape::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape::gallery::find_entry;
use fusescape::hardware::Unroll;
use fusescape::lesson::{LessonSource, OpenLesson, find_step, lessons, step_name};
use fusescape::link::{from_link, to_link};
use fusescape::mapping::TemporalLoop;
use fusescape::multicore::{OrderRule, ScheduleObjective, Scheduler};
use fusescape::spec::{gallery_presets, is_state};
use fusescape::state::{
    Action, CoresField, FuseChoice, Half, HierarchyField, HierarchyObjective, MappingField, Metric, ObjectiveChoice,
    ScheduleField, StackChoice, State, Tab, TableField, TileChoice, ViewField,
};
use fusescape::workload::Dim;
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::each_of;

fn comes_back(state: &State, what: &str) -> String {
    let text = state.to_yaml();
    assert!(is_state(&text), "{text}");
    let read = State::from_yaml(&text).unwrap_or_else(|wrong| panic!("{what}: {wrong}\n{text}"));
    assert_eq!(read, *state, "{what}\n{text}");
    text
}

#[test]
fn every_entry_of_the_gallery_comes_back() {
    comes_back(&State::first(), "what the page opens with");
    for entry in gallery_presets() {
        let mut state = State::first();
        state.apply(Action::entry(&find_entry(entry.id).unwrap()));
        comes_back(&state, entry.id);
    }
}

#[test]
fn the_step_of_a_lesson_that_is_open_comes_back() {
    let steps = lessons().unwrap();
    let steps = steps.iter().flat_map(|(id, lesson)| (0..lesson.steps.len() as u32).map(|step| step_name(id, step)));
    for step in each_of(steps.collect(), 4) {
        let mut state = State::first();
        let open = find_step(&step).unwrap();
        let opens = open.open_step().unwrap().opens;
        state.apply(Action::step(open, opens, &state));
        let text = comes_back(&state, &step);
        assert!(text.contains(&format!("lesson: {step}\n")), "{text}");
        // The same after an edit.
        state.apply(Action::Schedule(ScheduleField::TilesX("4, 8".to_owned())));
        comes_back(&state, &step);
    }
    // A student's lesson, and one written by hand with its text.
    for source in [LessonSource::Preset("your-own".to_owned()), LessonSource::Text("title: of my own\n".to_owned())] {
        let open = OpenLesson { source, student: "Ada L.".to_owned(), step: 3, values: vec![1, 2] };
        let state = State { lesson: Some(Box::new(open)), ..State::first() };
        comes_back(&state, "a lesson of a student");
        assert_eq!(from_link(&to_link(&state)).unwrap().lesson, state.lesson);
    }
    let wrong = State::from_yaml("fusescape: 1\nlesson: why-fuse-11\n").unwrap_err().to_string();
    assert!(wrong.contains("line 2: lesson: `why-fuse-11` is not known here. Did you mean `why-fuse-1`?"), "{wrong}");
}

#[test]
fn everything_that_is_chosen_comes_back() {
    let mut state = State::first();
    let act = |state: &mut State, action: Action| {
        let before = state.clone();
        state.apply(action);
        assert_ne!(*state, before, "nothing changes");
        comes_back(state, "after an edit");
    };
    act(&mut state, Action::preset(Half::Hardware, "tpu-like-df").unwrap());
    let text = state.design.hardware.text.replace("1 MiB", "2 MiB");
    act(&mut state, Action::Take(Half::Hardware, text));
    act(&mut state, Action::Schedule(ScheduleField::TilesX("4, 60..960:20  x".to_owned())));
    act(&mut state, Action::Schedule(ScheduleField::TilesY(" \"'#: - ü\u{2028}".to_owned())));
    act(&mut state, Action::Mode(StoringMode::FullyCached, false));
    act(&mut state, Action::Pin);
    act(&mut state, Action::preset(Half::Workload, "resnet18").unwrap());
    act(&mut state, Action::Schedule(ScheduleField::Cuts("a,b; c".to_owned())));
    act(&mut state, Action::Schedule(ScheduleField::Fuse(FuseChoice::ByHand)));
    act(&mut state, Action::Schedule(ScheduleField::Objective(ObjectiveChoice::MemoryAccesses)));
    act(&mut state, Action::Schedule(ScheduleField::Memory("null".to_owned())));
    act(&mut state, Action::Weight(1, "a half".to_owned()));
    let rules = state.design.schedule.rules.with("truncate_bandwidth_ratio", true).unwrap();
    act(&mut state, Action::Schedule(ScheduleField::Rules(rules)));
    act(&mut state, Action::Schedule(ScheduleField::LpfLimit(9)));
    act(&mut state, Action::Schedule(ScheduleField::MostLayers("3".to_owned())));
    act(&mut state, Action::Schedule(ScheduleField::MostTiles("a: few".to_owned())));
    act(&mut state, Action::Hierarchy(HierarchyField::Pool("name: mine\n\n# open\n\n".to_owned())));
    act(&mut state, Action::Hierarchy(HierarchyField::ShowsPool(true)));
    act(&mut state, Action::Hierarchy(HierarchyField::Budget("1,2".to_owned())));
    act(&mut state, Action::Hierarchy(HierarchyField::Objective(HierarchyObjective::EnergyDelayProduct)));
    act(&mut state, Action::Hierarchy(HierarchyField::Layer(Some("conv: 1".to_owned()))));
    act(&mut state, Action::InTable(Half::Hardware, "meta-proto-like-df".to_owned(), true));
    act(&mut state, Action::InTable(Half::Workload, "a, b".to_owned(), true));
    act(&mut state, Action::InTable(Half::Workload, "resnet18".to_owned(), false));
    act(&mut state, Action::Table(TableField::Objective(HierarchyObjective::Latency)));
    for field in [
        CoresField::Preset(Some("tpu-quad".to_owned())),
        CoresField::Own("name: mine\n\n# open\n".to_owned()),
        CoresField::ShowsSystem(true),
        CoresField::Granularity(TileChoice::ByHand),
        CoresField::Rows("two: 2".to_owned()),
        CoresField::Tiles("OY 4; 'a': K 2".to_owned()),
        CoresField::Stacks(StackChoice::ByHand),
        CoresField::Ends("a, b".to_owned()),
        CoresField::Objective(ScheduleObjective::EnergyDelay),
        CoresField::Scheduler(Scheduler::Stream2023),
        CoresField::Order(Some(OrderRule::Earliest)),
        CoresField::Prefetches(true),
        CoresField::Allocation("conv: 0 1\nfc: 2".to_owned()),
    ] {
        act(&mut state, Action::Cores(field));
    }
    act(&mut state, Action::Pin);
    act(&mut state, Action::Cores(CoresField::Own("name: another\n".to_owned())));
    act(&mut state, Action::Cores(CoresField::Order(None)));
    act(&mut state, Action::Swap);
    act(&mut state, Action::Look(ViewField::Metric(Metric::WeightedSum)));
    let cuts = FuseDepth::Cuts(vec!["a".to_owned(), "[b".to_owned()]);
    let point = DepthFirstStrategy { tile: (u64::MAX, 7), mode: StoringMode::HCachedVRecompute, fuse: cuts };
    act(&mut state, Action::OpenPoint(point));
    act(&mut state, Action::Look(ViewField::Stack(2)));
    act(&mut state, Action::Look(ViewField::TileType(Some(0))));
    act(&mut state, Action::ShowText(Half::Workload, true));
    act(&mut state, Action::Look(ViewField::Tab(Tab::Compare)));
    act(&mut state, Action::Mapping(MappingField::Layer(Some("conv1".to_owned()))));
    let unroll = vec![Unroll { array_dim: 1.into(), dim: Dim::OX, limit: 16 }];
    let key = state.layer_key();
    act(&mut state, Action::Mapping(MappingField::Unroll(Some((key, unroll)))));
    let order = vec![TemporalLoop { dim: Dim::FX, size: 3 }, TemporalLoop { dim: Dim::K, size: 64 }];
    let mapping = fusescape::explore::TemporalMapping { order, ends: [vec![0, 2], vec![1], vec![]] };
    let subject = state.mapping_subject();
    act(&mut state, Action::Mapping(MappingField::Edited(Some((subject, mapping)))));
    let constraints = "name: Mine\nlayers: # none yet\n";
    act(&mut state, Action::Mapping(MappingField::Constraints(constraints.to_owned())));
}

#[test]
fn a_document_is_kept_to_the_letter_whatever_it_holds() {
    let mut random = Lcg(7);
    let pieces = [
        "name: x", "\n", "\n", " ", "  - a", "\t", "# ü", "\r\n", "\"", "'", "|", "%", "---\n", "...\n", "\u{feff}",
        "\u{0}", "🦀", "\u{85}",
    ];
    for round in 0..400 {
        let count = random.below(12);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        let mut state = State::first();
        state.apply(Action::Write(Half::Workload, text.clone()));
        comes_back(&state, &format!("round {round}: {text:?}"));
    }
}

/// Found beside fuzzing: numbers in files have the same limit as in links.
#[test]
fn what_a_file_counts_is_kept_by_links() {
    let file = "fusescape: 1
hierarchies: { max_levels: 4294967297, min_ratio: 18446744073709551615 }
view: { stack: 18446744073709551615, tile_type: 9999999999 }
mapping: { unroll: [4294967295 K 2], order: [K 4], ends_of_output: [1, 99999999999] }
";
    let state = State::from_yaml(file).unwrap();
    assert_eq!(from_link(&to_link(&state)), Ok(state.clone()));
    comes_back(&state, "a file of large numbers");
    let long = format!("fusescape: 1\nhardware: \"{}\"\n", "x".repeat(7 << 20));
    let state = State::from_yaml(&long).unwrap();
    assert!(from_link(&to_link(&state)) == Ok(state), "a document that is no document");
    let long = format!("fusescape: 1\nschedule: {{ cuts: \"{}\" }}\n", "a,".repeat(300_000));
    let wrong = State::from_yaml(&long).unwrap_err().to_string();
    assert!(wrong.contains("schedule.cuts: This text has 600000 bytes, more than 500000"), "{wrong}");
    let loops = vec!["K 1"; 1001].join(", ");
    let wrong = State::from_yaml(&format!("fusescape: 1\nmapping: {{ order: [{loops}] }}\n")).unwrap_err();
    assert!(wrong.to_string().contains("mapping.order: There are 1001 entries, more than 1000"), "{wrong}");
}

#[test]
fn a_file_written_by_hand_names_presets_and_leaves_out_what_is_usual() {
    let state = State::from_yaml("fusescape: 1\nhardware: tpu-like-df\nview: { tab: Mapping }\n").unwrap();
    let mut expected = State::first();
    expected.apply(Action::preset(Half::Hardware, "tpu-like-df").unwrap());
    expected.apply(Action::Look(ViewField::Tab(Tab::Mapping)));
    assert_eq!(to_link(&state), to_link(&expected));
}

#[test]
fn everything_wrong_is_told_at_once_with_its_line() {
    let text = "\
fusescape: 1
hardwear: tpu-like-df
schedule:
  modes: [fully-cashed]
  stacks: 3
  switched: [no_such_rule]
view:
  tab: Landscapes
  point: { tile: [4], mode: fully-cached }
mapping:
  order: [QX 3]
";
    let wrong = State::from_yaml(text).unwrap_err().to_string();
    for expected in [
        "line 2: hardwear: There is no field `hardwear` here. Did you mean `hardware`?",
        "line 4: schedule.modes[0]: `fully-cashed` is not known here. Did you mean `fully-cached`?",
        "line 5: schedule.stacks: `3` is not known here. Use one of automatic, single-layer, layer-by-layer, by hand.",
        "line 6: schedule.switched[0]: `no_such_rule` is not known here.",
        "line 8: view.tab: `Landscapes` is not known here. Did you mean `Landscape`?",
        "line 9: view.point.tile: A tile has a width and a height.",
        "line 11: mapping.order[0]: `QX 3` is no loop.",
    ] {
        assert!(wrong.contains(expected), "{expected}\nis not among\n{wrong}");
    }
    assert!(State::from_yaml("name: x\n").unwrap_err().to_string().contains("`fusescape` is missing"));
    assert!(State::from_yaml("fusescape: 99\n").unwrap_err().to_string().contains("newer version"));
    assert!(State::from_yaml("").unwrap_err().to_string().contains("empty"));
    assert!(!is_state("name: x\narray:\n  fusescape: 1\n") && is_state("# a\n\nfusescape : 1") && !is_state(""));
}
