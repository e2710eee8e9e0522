//! CSV and JSON files of figures: full numbers under headers with units, whatever the page shows.

use super::figures::{figures, heatmap, scatter};
use fusescape::chart::{Chart, Column, Quantity, Table, TableCell};
use serde_json::Value;

fn table() -> Table {
    let energy = Quantity::Energy;
    Table {
        caption: "Costs".to_owned(),
        columns: vec![
            Column::words("what"),
            Column::measured("energy", energy.base()),
            Column::scaled("share", energy, energy.unit(1e9)),
            Column::numbers("tiles"),
            Column::numbers("tiles"),
            Column::words("a, \"b\""),
        ],
        rows: vec![
            vec![
                TableCell::Label { text: "Energy".to_owned(), unit: "pJ" },
                TableCell::of(energy, 1_813_958_912.517_3),
                TableCell::scaled(energy.unit(1e9), 0.1 + 0.2),
                TableCell::count(u64::MAX),
                TableCell::count(12_345),
                "W sram, I dram".into(),
            ],
            vec!["z".into(), TableCell::number("–", f64::NAN), TableCell::number("−0", -0.0), "does not fit".into()],
        ],
    }
}

#[test]
fn files_hold_full_numbers_and_a_person_reads_short_ones() {
    let table = table();
    assert_eq!(
        table.to_csv(),
        "what,energy [pJ],share [pJ],tiles,tiles (2),\"a, \"\"b\"\"\"\r\n\
         Energy [pJ],1813958912.5173,0.30000000000000004,18446744073709551615,12345,\"W sram, I dram\"\r\n\
         z,,0,does not fit,,\r\n"
    );
    assert_eq!(
        table.to_json(),
        "[{\"what\":\"Energy [pJ]\",\"energy [pJ]\":1813958912.5173,\"share [pJ]\":0.30000000000000004,\
         \"tiles\":18446744073709551615,\"tiles (2)\":12345,\"a, \\\"b\\\"\":\"W sram, I dram\"},\n\
         {\"what\":\"z\",\"energy [pJ]\":null,\"share [pJ]\":0,\"tiles\":\"does not fit\",\"tiles (2)\":null,\
         \"a, \\\"b\\\"\":null}]"
    );
    let headings: Vec<String> = table.columns.iter().map(Column::heading).collect();
    assert_eq!(headings[..3], ["what", "energy", "share, mJ"]);
    assert_eq!(table.rows[0].iter().map(TableCell::text).collect::<Vec<_>>()[..2], ["Energy", "1.81 mJ"]);
}

/// All files contain names of layers and memories, which may be anything.
#[test]
fn no_figure_is_saved_with_a_formula() {
    let tables: Vec<_> = figures().into_iter().map(|(name, chart, _)| (name, chart.table())).collect();
    for begin in ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"] {
        let evil = |text: &mut String| text.insert_str(0, begin);
        for (name, table) in &tables {
            let mut table = table.clone();
            table.columns.iter_mut().for_each(|column| evil(&mut column.title));
            for cell in table.rows.iter_mut().flatten() {
                if let TableCell::Words(text) | TableCell::Label { text, .. } = cell {
                    evil(text);
                }
            }
            let csv = table.to_csv();
            fusescape_test_support::csv::is_harmless(&csv);
            let rows = fusescape_test_support::csv::parse(&csv);
            assert_eq!(rows.len(), table.rows.len() + 1, "{name}");
            assert!(rows[0].iter().all(|(quoted, title)| *quoted && title.starts_with(&format!("'{begin}"))), "{name}");
        }
    }
}

#[test]
fn numbers_are_saved_as_they_are() {
    let columns = vec![Column::numbers("change"), Column::words("name")];
    let rows = vec![vec![TableCell::number("-2 %", -2.5), "-2".into()], vec![TableCell::full(-3), "a-b".into()]];
    let table = Table { caption: String::new(), columns, rows };
    assert_eq!(table.to_csv(), "change,name\r\n-2.5,\"'-2\"\r\n-3,a-b\r\n");
}

/// The full value of every number of every figure is read back from its files, and agrees with its text.
#[test]
fn every_figure_saves_the_numbers_that_it_shows() {
    let mut numbers = 0;
    for (name, chart, _) in figures() {
        let table = chart.table();
        let Value::Array(rows) = serde_json::from_str(&table.to_json()).unwrap() else { panic!("{name}") };
        assert_eq!(rows.len(), table.rows.len(), "{name}");
        for (cells, row) in table.rows.iter().zip(&rows) {
            assert_eq!(row.as_object().unwrap().len(), table.columns.len(), "{name}: a key was lost");
            for (index, (cell, column)) in cells.iter().zip(&table.columns).enumerate() {
                let TableCell::Number { text, value } = cell else { continue };
                // Rows may be named by numbers.
                assert!(column.numeric || index == 0, "{name}: {text} among words");
                assert_eq!(row[&column.name()].as_f64(), value.parse().ok(), "{name}: {text}");
                numbers += 1;
            }
        }
    }
    assert!(numbers > 300, "{numbers}");
}

#[test]
fn a_scatter_and_a_heatmap_are_saved_in_base_units() {
    let marks = scatter();
    let rows: Value = serde_json::from_str(&marks.table().to_json()).unwrap();
    for (row, point) in rows.as_array().unwrap().iter().zip(&marks.points) {
        assert_eq!(row["energy [pJ]"], point.energy_pj);
        assert_eq!(row["latency [cycles]"], point.latency_cycles);
    }
    let map = heatmap(2);
    let table = map.table();
    assert_eq!(table.caption, "Energy: fully-cached (mJ)");
    let shown: Vec<&str> = table.rows[3].iter().map(TableCell::text).collect();
    assert_eq!(shown, ["72", "2.29", "1.81", "2.08", "2.15", "8.52", "17.6"]);
    let rows: Value = serde_json::from_str(&table.to_json()).unwrap();
    for (column, width) in map.widths.iter().enumerate() {
        assert_eq!(rows[3][format!("{width} [pJ]")].as_f64(), map.cell(column, 3).value());
    }
}
