//! Views by elements: the channels, columns and rows of each producer that a layer reads, each listed separately.

use fusescape_engine::depth_first::{FuseDepth, cut};
use fusescape_engine::hardware::Core;
use fusescape_engine::ids::TiVec;
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerId, LayerKind, Network, View};
use fusescape_spec::{MapAxis, find_preset, hardware_presets, read_workload, write_workload};
use std::collections::BTreeSet;

/// The part of one producer that a layer reads: for each position of its own input, that of the producer's output;
/// `None` for zeros and other producers.
#[derive(Debug, Clone)]
pub struct Seen {
    pub layer: LayerId,
    /// For each channel, the channels of the producer of which it is made.
    pub channels: Vec<Vec<u64>>,
    pub columns: Vec<Option<u64>>,
    pub rows: Vec<Option<u64>>,
}

impl Seen {
    pub fn channel_count(&self) -> u64 {
        self.channels.iter().flatten().collect::<BTreeSet<_>>().len() as u64
    }

    pub fn along(&self, columns: bool) -> &[Option<u64>] {
        if columns { &self.columns } else { &self.rows }
    }

    /// Columns of the producer's map from the first to the last that are read at all.
    pub fn width(&self) -> usize {
        let seen: BTreeSet<u64> = self.columns.iter().flatten().copied().collect();
        seen.first().zip(seen.last()).map_or(0, |(first, last)| (last - first + 1) as usize)
    }

    fn is_anything(&self) -> bool {
        let any = |axis: &[Option<u64>]| axis.iter().any(Option::is_some);
        self.channel_count() > 0 && any(&self.columns) && any(&self.rows)
    }
}

/// Channels, columns and rows of a layer's output.
fn map(network: &Network, id: LayerId) -> [usize; 3] {
    let shape = &network.layer(id).shape;
    [shape.output_channels(), shape.size(Dim::OX), shape.size(Dim::OY)].map(|size| size as usize)
}

/// The input that any reader of a layer's output has.
fn shown(network: &Network, id: LayerId) -> Vec<Seen> {
    let Some(view) = network.layer(id).view else {
        let [channels, columns, rows] = map(network, id).map(|size| 0..size as u64);
        let all = |range: std::ops::Range<u64>| range.map(Some).collect();
        let channels = channels.map(|channel| vec![channel]).collect();
        return vec![Seen { layer: id, channels, columns: all(columns), rows: all(rows) }];
    };
    let whole = map(network, id);
    let mut before = [0; 3];
    let mut all = Vec::new();
    for part in network.stored_inputs(id) {
        for seen in shown(network, part) {
            all.push(through(view, seen, before, whole));
        }
        before.iter_mut().zip(map(network, part)).for_each(|(before, size)| *before += size);
    }
    all
}

/// A list of `size` that has `list` at `at` and is empty otherwise.
fn placed<T: Clone>(list: Vec<T>, at: usize, size: usize, nothing: T) -> Vec<T> {
    let mut all = vec![nothing; size];
    all[at..at + list.len()].clone_from_slice(&list);
    all
}

fn repeated<T: Clone>(list: &[T], times: u64) -> Vec<T> {
    list.iter().flat_map(|item| vec![item.clone(); times as usize]).collect()
}

fn through(view: View, seen: Seen, before: [usize; 3], whole: [usize; 3]) -> Seen {
    let Seen { layer, channels, columns, rows } = seen;
    match view {
        View::Join(MapAxis::Channels) => {
            Seen { layer, channels: placed(channels, before[0], whole[0], Vec::new()), columns, rows }
        }
        View::Join(MapAxis::Columns) => {
            Seen { layer, channels, columns: placed(columns, before[1], whole[1], None), rows }
        }
        View::Join(MapAxis::Rows) => Seen { layer, channels, columns, rows: placed(rows, before[2], whole[2], None) },
        View::Part(ranges) => {
            let [of_channels, of_columns, of_rows] = ranges.map(|(first, end)| first as usize..end as usize);
            let (columns, rows) = (columns[of_columns].to_vec(), rows[of_rows].to_vec());
            Seen { layer, channels: channels[of_channels].to_vec(), columns, rows }
        }
        View::Scale(x, y) => Seen { layer, channels, columns: repeated(&columns, x), rows: repeated(&rows, y) },
        View::Blocks(x, y) => {
            let channels = channels.chunks((x * y) as usize).map(<[Vec<u64>]>::concat).collect();
            Seen { layer, channels, columns: repeated(&columns, x), rows: repeated(&rows, y) }
        }
        View::Padded(padding) => {
            let columns = placed(columns, padding.left as usize, whole[1], None);
            Seen { layer, channels, columns, rows: placed(rows, padding.top as usize, whole[2], None) }
        }
    }
}

/// The reads of each layer; for an input that it cuts down only the rest.
pub fn seen(network: &Network) -> TiVec<LayerId, Vec<Seen>> {
    let of = |id: LayerId| {
        let layer = network.layer(id);
        let (channels, (columns, rows)) = (layer.shape.input_channels() as usize, layer.input_size);
        let inputs = if layer.is_input() { Vec::new() } else { network.inputs(id) };
        let cut_down = |input: LayerId| {
            // Of a pair each map is read as a whole, also where the second has fewer channels.
            let is_pair = layer.shape.kind == LayerKind::Pairwise;
            let channels = if is_pair { map(network, input)[0] } else { channels };
            let is_addition = layer.shape.kind == LayerKind::Add;
            shown(network, input).into_iter().map(move |mut seen| {
                if is_addition {
                    // DeFiNES's ResNet18 adds maps that have fewer channels.
                    seen.channels.extend((seen.channels.len()..channels).map(|channel| vec![channel as u64]));
                }
                seen.channels.truncate(channels);
                seen.columns.truncate(columns as usize);
                seen.rows.truncate(rows as usize);
                seen
            })
        };
        inputs.into_iter().flat_map(cut_down).filter(Seen::is_anything).collect()
    };
    network.ids().map(of).collect()
}

fn network(layers: &str) -> Network {
    Network::from_text(&format!("name: views\nlayers:\n{layers}")).unwrap_or_else(|wrong| panic!("{wrong}\n{layers}"))
}

/// The mistakes reported for a network.
fn wrong(layers: &str) -> String {
    Network::from_text(&format!("name: views\nlayers:\n{layers}")).unwrap_err().to_string()
}

/// The layers of each stack without stated cuts.
fn stacks(network: &Network, rules: &Rules) -> Vec<Vec<String>> {
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let name = |&id: &LayerId| network.layer(id).name.clone();
    let stacks = cut(network, &core, &FuseDepth::Cuts(Vec::new()), rules).unwrap_or_else(|wrong| panic!("{wrong}"));
    stacks.iter().map(|stack| stack.layers().iter().map(name).collect()).collect()
}

const TWO: &str = "
  - { name: in, type: input, K: 4, size: 12 x 8 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 4, kernel: 1 x 1, from: in }
";

#[test]
fn stacks_reach_through_views_and_end_where_all_of_a_map_is_needed() {
    let through = [
        ("from: [a, b], join: channels", "K: 2", "c"),
        ("from: a, channels: 2..6", "K: 2, padding: 1", "c"),
        ("from: a, columns: 3..9, rows: 0..4", "K: 2", "c"),
        ("from: a, scale: 3 x 2", "K: 2", "c"),
        ("from: a, blocks: 2", "K: 2", "c"),
        ("from: a, padding: 2", "K: 2", "c"),
    ];
    for (shows, conv, last) in through {
        let reader = format!("  - {{ name: c, type: conv, {conv}, kernel: 3 x 3, from: view }}");
        let layers = format!("{TWO}  - {{ name: view, type: view, {shows} }}\n{reader}");
        let views = network(&layers);
        // The tool has no views. Its rules use the maps that the document states.
        for rules in [Rules::CORRECTED, Rules::ZIGZAG_3_9] {
            let stacks = stacks(&views, &rules);
            let with_last = stacks.iter().find(|stack| stack.contains(&last.to_owned())).unwrap();
            assert!(with_last.contains(&"a".to_owned()), "{shows}: {stacks:?}");
        }
        assert_eq!(views.needed_whole().count(), 0, "{shows}");
    }
    // Views that are read as weights, shown in another order, or read by no layer need all of their maps.
    let whole = [
        "  - { name: v, type: view, from: [a, b], join: channels }
  - { name: w, type: view, from: v, K: 1152, size: 1 x 1 }
  - { name: c, type: conv, K: 2, kernel: 1 x 1, from: w }",
        "  - { name: v, type: view, from: [a, b], join: channels }
  - { name: c, type: matmul, from: [in, v], groups: 2 }",
        "  - { name: v, type: view, from: [a, b], join: channels }",
    ];
    for rest in whole {
        let views = network(&format!("{TWO}{rest}"));
        let names: Vec<&str> = views.needed_whole().map(|id| views.layer(id).name.as_str()).collect();
        assert_eq!(names, ["a", "b"], "{rest}");
        assert!(stacks(&views, &Rules::CORRECTED).len() >= 2, "{rest}");
    }
}

#[test]
fn a_layer_reads_of_each_producer_what_views_show_of_it() {
    let views = network(&format!(
        "{TWO}  - {{ name: both, type: view, from: [a, b, in], join: channels }}
  - {{ name: some, type: view, from: both, channels: 6..14 }}
  - {{ name: large, type: view, from: some, scale: 2 }}
  - {{ name: framed, type: view, from: large, padding: {{ left: 1, right: 0, top: 0, bottom: 3 }} }}
  - {{ name: c, type: conv, K: 2, kernel: 3 x 3, from: framed }}"
    ));
    let of = |name: &str| views.ids().find(|&id| views.layer(id).name == name).unwrap();
    assert_eq!(views.layer(of("framed")).input_size, (25, 19));
    let reads: Vec<_> = views.reads(of("c")).iter().map(|read| (read.layer, read.channels.clone())).collect();
    assert_eq!(reads, [(of("a"), 6..8), (of("b"), 0..4), (of("in"), 0..2)]);
    let columns = views.reads(of("c"))[0].columns;
    assert_eq!((columns.from, columns.end, columns.source(1), columns.source(24)), (1, 25, 0, 11));
    assert_eq!(views.readers(of("a")), [of("c")]);
    // For systems that do not reach through views, these are as all other views.
    assert_eq!(views.inputs(of("c")), [of("framed")]);
    assert_eq!(views.stored().collect::<Vec<_>>(), [of("a"), of("b")]);
}

#[test]
fn views_that_do_not_fit_are_explained() {
    for (view, said) in [
        (
            "from: [a, in], join: rows",
            "joins rows of maps that differ otherwise: `a` is 8 x 12 x 8, `in` is 4 x 12 x 8",
        ),
        ("from: [a, b], scale: 2", "`v` shows 2 maps, of which only `join` makes one"),
        ("from: a, channels: 4..9", "`v` shows channels 4 to 9 of 8"),
        ("from: a, channels: 4..4", "`4..4` is not a range"),
        ("from: a, columns: five", "`five` is not a range"),
        ("from: a, scale: 0", "`v` shows a map of 8 x 0 x 0"),
        ("from: a, scale: 16777216", "`v` shows a map of 8 x 201326592 x 134217728"),
        ("from: a, blocks: 3", "Blocks of 3 x 3 do not divide the 8 channels"),
        ("from: a, join: depth", "`depth` is no axis of a feature map"),
        ("from: a, scale: 2, blocks: 2", "arranges its map in one way"),
        ("from: a, channels: 0..2, padding: 1", "arranges its map in one way"),
        ("from: a, scale: 2, K: 9", "has K 8, the document says otherwise"),
        ("from: a, scale: 2, size: 9 x 9", "has size 24 x 16, the document says otherwise"),
    ] {
        let found = wrong(&format!("{TWO}  - {{ name: v, type: view, {view} }}\n"));
        assert!(found.contains(said), "{view}: {found}");
    }
}

#[test]
fn views_of_views_stay_small_however_often_they_join() {
    let mut layers = TWO.to_owned();
    for level in 0..20 {
        let [from, half] =
            [level, level + 1].map(|level| if level == 0 { "a".to_owned() } else { format!("v{level}") });
        layers += &format!("  - {{ name: w{half}, type: view, from: [{from}, {from}], join: channels }}\n");
        layers += &format!("  - {{ name: {half}, type: view, from: w{half}, channels: 4..12 }}\n");
    }
    let views = network(&format!("{layers}  - {{ name: c, type: conv, K: 2, kernel: 3 x 3 }}"));
    assert!(views.reads(LayerId::from(views.len() - 1)).len() <= 8);
    // Beyond the limit on reads, maps are read from the highest memory.
    let mut layers = TWO.to_owned();
    for level in 0..21 {
        let from = if level == 0 { "b".to_owned() } else { format!("v{level}") };
        layers += &format!("  - {{ name: v{}, type: view, from: [{from}, {from}], join: channels }}\n", level + 1);
    }
    let views = network(&format!("{layers}  - {{ name: c, type: conv, K: 2, kernel: 1 x 1 }}"));
    assert!(views.needed_whole().count() == 1, "all of `b` is needed");
}

#[test]
fn views_are_written_as_they_are_read() {
    let text = format!(
        "name: views\nlayers:\n{TWO}  - {{ name: v, type: view, from: [a, b], join: channels }}
  - {{ name: p, type: view, channels: 1..5, rows: 0..4 }}
  - {{ name: s, type: view, scale: 2 x 3 }}
  - {{ name: d, type: view, blocks: 2 }}
  - {{ name: z, type: view, padding: 1 }}"
    );
    let (spec, wrong) = read_workload(&text).both();
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(read_workload(&write_workload(&spec)).both(), (spec, wrong));
}
