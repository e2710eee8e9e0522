//! Optimus: networks, costs of groups, and schemes, by an independent reading of the paper.

use crate::Report;
use fusescape_engine::fusion::{
    FeatureMap, Group, GroupCost, Ideals, MapId, OnlineFusion, Operator, OperatorGraph, OperatorId, OperatorKind,
    PaperNetwork, ParameterLoading, Residency, Scheme, Setting, Throughput, algorithm1, baselines, is_convex,
    memory_cost, prior_cost,
};
use fusescape_test_support::fusion::{is_scheme, relaxed_cost};
use fusescape_test_support::{integer, reference, text};
use serde_json::Value;

/// Our networks against theirs, operator by operator.
pub fn networks() -> Report {
    let mut report = Report::new();
    for theirs in reference("optimus/networks.json")["nets"].as_array().unwrap() {
        let name = text(&theirs["name"]);
        // Variants without their last layers, or with operators merged that the paper may have merged, are only in the
        // reference data.
        let Some(ours) = PaperNetwork::ALL.into_iter().find(|network| network.name() == name) else { continue };
        report.cases += 1;
        let (ours, theirs) = (ours.graph(), graph(theirs));
        report.same(&ours.len(), &theirs.len(), || format!("{name}: operators"));
        for (id, (ours, theirs)) in ours.operators().iter().zip(theirs.operators()).enumerate() {
            let ours = Operator { name: theirs.name.clone(), ..ours.clone() };
            report.same(&ours, theirs, || format!("{name}: operator {id}"));
        }
    }
    report
}

/// Groups that were computed by hand, step by step.
pub fn groups() -> Report {
    let mut report = Report::new();
    for case in reference("optimus/cases.json")["hand"].as_array().unwrap() {
        let (graph, setting) = (graph(case), setting(case));
        for theirs in case["groups"].as_array().unwrap() {
            report.cases += 1;
            let what = format!("{}, {}", text(&case["name"]), theirs["group"]);
            let group = Group::new(&graph, &ids(&theirs["group"]));
            let map_name = |map: &MapId| map.writer().map_or("input", |writer| graph.operators()[writer].name.as_str());
            let maps = |maps: Vec<MapId>| maps.into_iter().map(|map| map.index() as i64 - 1).collect::<Vec<_>>();
            let theirs_ids =
                |key: &str| theirs[key].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
            report.same(&maps(group.external_inputs().collect()), &theirs_ids("external_inputs"), || what.clone());
            report.same(&maps(group.outputs().collect()), &theirs_ids("outputs"), || what.clone());
            let border = integer(&theirs["ifmap_elems_per_image"]) + integer(&theirs["ofmap_elems_per_image"]);
            report.same(&group.border(), &border, || format!("{what}: border"));
            report.same(&group.parameters(), &integer(&theirs["params"]), || format!("{what}: parameters"));
            report.same(&setting.capacity(), &integer(&theirs["B_c_elems"]), || format!("{what}: capacity"));
            let most = group.most_tiles(setting.throughput);
            report.same(&most, &integer(&theirs["N_max"]), || format!("{what}: most tiles"));
            for (map, (columns, rows)) in group.maps().iter().zip(group.pixel()) {
                let area = integer(&theirs["area_1x1"][map_name(map)]);
                report.same(&(columns * rows), &area, || format!("{what}: pixels of {}", map_name(map)));
            }
            let decision = group.isoa(most, setting.throughput);
            report
                .same(&decision.price.0, &integer(&theirs["min_1x1_buffer"]), || format!("{what}: buffer of a pixel"));
            let is_theirs = |set: &Value| {
                let chosen = group.maps().iter().zip(&decision.in_advance);
                chosen.into_iter().all(|(map, &chosen)| (integer(&set[map_name(map)]) == 1) == chosen)
            };
            let is_optimal = theirs["optimal_phi_sets"].as_array().unwrap().iter().any(is_theirs);
            report.same(&is_optimal, &true, || format!("{what}: {:?} is not optimal", decision.in_advance));
            check_cost(group.cost(&setting), &theirs["result"], &setting, &what, &mut report);
        }
    }
    report
}

/// Schemes of random graphs and of counter-examples, with brute force over all partitions.
pub fn random() -> Report {
    let mut report = Report::new();
    let (cases, counterexamples) = (reference("optimus/cases.json"), reference("optimus/counterexamples.json"));
    let special = ["real_cost_table_miss", "real_cost_cycle"].map(|name| &counterexamples[name]);
    for case in cases["random"].as_array().unwrap().iter().chain(special) {
        report.cases += 1;
        let what = format!("random {}", case["id"]);
        let (graph, setting, expected) = (graph(case), setting(case), &case["expect"]);
        check_schemes(&graph, &setting, expected, &what, &mut report);
        let exact = Ideals::of(&graph, 1000).unwrap().best_scheme(&memory_cost(&graph, &setting));
        let cost = exact.map(|scheme| setting.bytes(scheme.cost));
        // The groups of the reference data may be others of equal cost.
        if let Some(groups) = expected["exact_scheme"].as_array() {
            let groups: Vec<_> = groups.iter().map(ids).collect();
            let price = memory_cost(&graph, &setting);
            let theirs = groups.iter().map(|group| price.of(group)).sum::<Option<u64>>().map(|sum| setting.bytes(sum));
            report.same(&cost, &theirs, || format!("{what}: what their groups cost"));
            report.same(&is_scheme(&graph, &groups), &true, || format!("{what}: their groups are a scheme"));
        }
        report.same(&cost, &optional(&expected["brute_force"]), || format!("{what}: brute force"));
    }
    report
}

/// Whole networks: schemes, their groups, and the number of possible groups.
pub fn schemes() -> Report {
    let mut report = Report::new();
    let networks = reference("optimus/networks.json");
    for case in reference("optimus/cases.json")["networks"].as_array().unwrap() {
        report.cases += 1;
        let what = format!("{} at {} KB", text(&case["net"]), case["buffer_kb"]);
        let network =
            networks["nets"].as_array().unwrap().iter().find(|network| network["name"] == case["net"]).unwrap();
        let (graph, setting) = (graph(network), setting(case));
        check_schemes(&graph, &setting, case, &what, &mut report);
        for group in case["exact_scheme"].as_array().unwrap() {
            let what = format!("{what}, {}", group["ops"]);
            let cost = Group::new(&graph, &ids(&group["ops"])).cost(&setting);
            check_cost(cost, group, &setting, &what, &mut report);
        }
        for (name, residency) in
            [("residency_params", Residency::ParametersAlone), ("residency_never", Residency::Never)]
        {
            let (theirs, setting) = (&case["alternatives"][name], Setting { residency, ..setting });
            if theirs.is_object() {
                let price = memory_cost(&graph, &setting);
                let ours = Ideals::of(&graph, 1000).unwrap().best_scheme(&price);
                check_scheme(ours.as_ref(), &theirs["exact"], &theirs["groups"], &setting, &what, &mut report);
                for (key, ours) in [
                    ("no_fusion", baselines::without_fusion(&graph, &price)),
                    ("dnnvm_space", baselines::within_chains(&graph, &price)),
                    ("effs_space", baselines::within_levels(&graph, &price)),
                ] {
                    let what = format!("{what}: {key}, {name}");
                    check_scheme(ours.as_ref(), &theirs[key], &Value::Null, &setting, &what, &mut report);
                }
            }
        }
    }
    report
}

/// The expected results of a case for a whole network under its setting.
fn check_schemes(graph: &OperatorGraph, setting: &Setting, expected: &Value, what: &str, report: &mut Report) {
    let price = memory_cost(graph, setting);
    let ideals = Ideals::of(graph, 1000).unwrap();
    let exact = ideals.best_scheme(&price);
    if let Some(theirs) = expected["ideals"].as_u64() {
        report.same(&(ideals.len() as u64), &theirs, || format!("{what}: order ideals"));
    }
    let groups = if expected["exact_groups"].is_null() { &expected["groups"] } else { &expected["exact_groups"] };
    check_scheme(exact.as_ref(), &expected["exact"], groups, setting, &format!("{what}: exact"), report);
    for (name, ours) in [
        ("no_fusion", baselines::without_fusion(graph, &price)),
        ("dnnvm_space", baselines::within_chains(graph, &price)),
        ("effs_space", baselines::within_levels(graph, &price)),
    ] {
        // Counter-examples list only few of them.
        if !expected[name].is_null() || expected["oracle"].is_u64() {
            let (cost, groups) = (&expected[name], &expected[format!("{name}_groups")]);
            check_scheme(ours.as_ref(), cost, groups, setting, &format!("{what}: {name}"), report);
        }
        let is_valid = ours.is_none_or(|ours| is_scheme(graph, &ours.groups));
        report.same(&is_valid, &true, || format!("{what}: {name} is valid"));
    }
    let prior = prior_cost(graph, setting);
    for (name, ours) in [
        ("dnnvm_prior", baselines::within_chains(graph, &prior)),
        ("effs_prior", baselines::within_levels(graph, &prior)),
    ] {
        if expected.get(name).is_some() {
            let (cost, groups) = (&expected[name], &expected[format!("{name}_groups")]);
            check_scheme(ours.as_ref(), cost, groups, setting, &format!("{what}: {name}"), report);
        }
    }
    if let Some(theirs) = expected.get("eq2_topdown") {
        let ours = relaxed_cost(graph, &|group| price.of(group)).map(|cost| setting.bytes(cost));
        report.same(&ours, &theirs.as_u64(), || format!("{what}: eq. 2"));
    }
    if let Some(oracle) = expected["oracle"].as_u64() {
        let ours = setting.bytes(baselines::oracle(graph, setting));
        report.same(&ours, &oracle, || format!("{what}: oracle"));
    }
    check_online(graph, setting, exact.as_ref(), expected, what, report);
    let algorithm = algorithm1(graph, &price);
    let (cost, groups) = (&expected["alg1_literal"], &expected["alg1_groups"]);
    check_scheme(algorithm.as_ref(), cost, groups, setting, &format!("{what}: Algorithm 1"), report);
    for generated in [&expected["alg1_generated"], &expected["algorithm1_generated"]] {
        if !generated.is_null() {
            let ours = fusescape_engine::fusion::count_algorithm1_groups(graph, 1_000_000).count as u64;
            report.same(&ours, &integer(generated), || format!("{what}: groups of Algorithm 1"));
        }
    }
    for scheme in exact.iter().chain(&algorithm) {
        let is_valid = is_scheme(graph, &scheme.groups) && scheme.groups.iter().all(|group| is_convex(graph, group));
        report.same(&is_valid, &true, || format!("{what}: {:?} is valid", scheme.groups));
        let sum: u64 = scheme.groups.iter().map(|group| price.of(group).unwrap()).sum();
        report.same(&sum, &scheme.cost, || format!("{what}: sum of the groups"));
    }
    if expected["convex_groups"].is_null() {
        return;
    }
    let convex = ideals.convex_sets();
    report.same(&(convex.len() as u64), &integer(&expected["convex_groups"]), || format!("{what}: convex groups"));
    if convex.len() < 5000 {
        let feasible = convex.iter().filter(|group| price.of(group).is_some()).count() as u64;
        report.same(&feasible, &integer(&expected["feasible_groups"]), || format!("{what}: groups that fit"));
    }
}

/// The look-up table, the groups that the rules allow, and the scheme of the on-line variant, which was prepared for
/// 512 KB.
fn check_online(
    graph: &OperatorGraph,
    setting: &Setting,
    exact: Option<&Scheme>,
    expected: &Value,
    what: &str,
    report: &mut Report,
) {
    if expected["online_nmax"].is_null() {
        return;
    }
    let largest = Setting { buffer_bytes: 512 << 10, ..*setting };
    let online = OnlineFusion::new(graph.clone(), largest, 1000);
    let table = if expected["memo"].is_null() { &expected["memo_table_elems"] } else { &expected["memo"] };
    for (operators, least) in (1..).zip(online.table()) {
        let theirs = table[operators.to_string()].as_u64();
        let ours = Some(*least).filter(|&least| least <= largest.capacity());
        report.same(&ours, &theirs, || format!("{what}: table of {operators} operators"));
    }
    let most = online.largest_group(setting.buffer_bytes);
    report.same(&(most as u64), &integer(&expected["online_nmax"]), || format!("{what}: largest group"));
    let evaluated = ["online_evaluated", "online_groups_evaluated"]
        .map(|name| &expected[name])
        .into_iter()
        .find(|it| !it.is_null());
    let ours = online.evaluated(setting.buffer_bytes) as u64;
    report.same(&Some(ours), &evaluated.map(integer), || format!("{what}: groups that the rules let through"));
    let scheme = online.decide(setting.buffer_bytes);
    let (cost, groups) = (&expected["online"], &expected["online_groups"]);
    check_scheme(scheme.as_ref(), cost, groups, setting, &format!("{what}: on-line"), report);
    let is_valid = scheme.as_ref().is_none_or(|scheme| is_scheme(graph, &scheme.groups));
    report.same(&is_valid, &true, || format!("{what}: on-line is valid"));
    let cost = |scheme: Option<&Scheme>| scheme.map_or(u64::MAX, |scheme| scheme.cost);
    let is_no_better = cost(exact) <= cost(scheme.as_ref());
    report.same(&is_no_better, &true, || format!("{what}: on-line is no better than exact"));
}

fn check_scheme(
    ours: Option<&Scheme>,
    cost: &Value,
    groups: &Value,
    setting: &Setting,
    what: &str,
    report: &mut Report,
) {
    report.same(&ours.map(|ours| setting.bytes(ours.cost)), &optional(cost), || format!("{what}: bytes"));
    if let (Some(ours), false) = (ours, groups.is_null()) {
        report.same(&(ours.groups.len() as u64), &integer(groups), || format!("{what}: number of groups"));
    }
}

fn check_cost(ours: Option<GroupCost>, theirs: &Value, setting: &Setting, what: &str, report: &mut Report) {
    let expected = theirs.is_object().then(|| {
        let is_resident = theirs["resident"].as_bool().unwrap();
        let per_tile = || ParameterLoading::PerTile {
            tiles: integer(&theirs["N"]),
            images: integer(&theirs["t_b"]),
            iterations: integer(&theirs["iterations"]),
        };
        (integer(&theirs["cost"]), if is_resident { ParameterLoading::Once } else { per_tile() })
    });
    report.same(&ours.map(|ours| (setting.bytes(ours.elements), ours.loading)), &expected, || what.into());
}

/// An integer; `None` where there is no scheme.
fn optional(value: &Value) -> Option<u64> {
    value.as_u64()
}

fn ids(value: &Value) -> Vec<OperatorId> {
    value.as_array().unwrap().iter().map(|id| OperatorId::from(integer(id) as usize)).collect()
}

fn setting(case: &Value) -> Setting {
    let buffer_bytes = case["buffer_bytes"].as_u64().unwrap_or_else(|| integer(&case["buffer_kb"]) << 10);
    Setting {
        buffer_bytes,
        bits: 8 * integer(&case["elem_bytes"]),
        batch: integer(&case["batch"]),
        throughput: Throughput { channels: integer(&case["T_c"]), rows: integer(&case["T_h"]) },
        residency: Residency::SmallestTile,
    }
}

/// A network, or a case that holds one.
pub fn graph(case: &Value) -> OperatorGraph {
    let map = |channels: &Value, columns: &Value, rows: &Value| FeatureMap {
        channels: integer(channels),
        columns: integer(columns),
        rows: integer(rows),
    };
    let input = &case["input"];
    let operator = |operator: &Value| Operator {
        name: text(&operator["name"]),
        kind: match text(&operator["kind"]).as_str() {
            "conv" => OperatorKind::Conv,
            "dwconv" => OperatorKind::Depthwise,
            "fc" => OperatorKind::FullyConnected,
            "pool" => OperatorKind::Pooling,
            "gpool" => OperatorKind::GlobalPooling,
            "concat" => OperatorKind::Concat,
            "add" => OperatorKind::Add,
            other => panic!("unknown operator {other}"),
        },
        inputs: operator["preds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| MapId::from((id.as_i64().unwrap() + 1) as usize))
            .collect(),
        kernel: (integer(&operator["k"]), integer(&operator["k"])),
        stride: (integer(&operator["s"]), integer(&operator["s"])),
        output: map(&operator["cout"], &operator["ow"], &operator["oh"]),
        parameters: integer(&operator["params"]),
    };
    let operators = case["ops"].as_array().unwrap().iter().map(operator).collect();
    OperatorGraph::new(String::new(), map(&input[0], &input[2], &input[1]), operators)
        .unwrap_or_else(|wrong| panic!("{wrong:?}"))
}
