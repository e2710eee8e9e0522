//! The split points of the page's module: the functions behind the tables that rooms fetch when they are first needed.
//!
//! These functions are in a file of their own (`crate::pieces`), so nothing else may name them.

use super::embed::Embed;
use super::parts::Parts;
use super::{dialogs, origin, views};
use crate::app::design::document_editor::PresetParts;
use crate::app::design::hardware_card::HardwareParts;
use crate::app::design::import::ImportParts;
use crate::app::design::network_card::LayerParts;
use crate::app::design::schedule_card::RuleParts;
use crate::app::landscape::view::SweptParts;
use crate::app::platform::pieces::{self, keep};
use crate::app::platform::root::render;
use crate::app::widgets::figures::save::SaveParts;
use crate::app::widgets::forms::diagnostics::DiagnosticParts;
use crate::app::widgets::forms::document_text::TextParts;
use crate::app::widgets::sweep::fine_grid::FineGridParts;
use crate::app::widgets::words::explain::ExplainParts;
use crate::app::widgets::words::term::GlossaryParts;
use crate::app::{cores, design, landscape, widgets};
use crate::pieces::piece_fn;

/// The pieces that are fetched as one file.
#[derive(Clone, Copy)]
struct Others {
    shell: Parts,
    swept: SweptParts,
    hardware: HardwareParts,
    layer: LayerParts,
    rules: RuleParts,
    presets: PresetParts,
    import: ImportParts,
    explain: ExplainParts,
    fine_grid: FineGridParts,
    save: SaveParts,
    text: TextParts,
    glossary: GlossaryParts,
    diagnostics: DiagnosticParts,
}

piece_fn! {
    others,
    fn others() -> Others {
        Others {
            shell: Parts {
                view: views::any_view,
                system: cores::system_card::system_card,
                takes_beside: cores::system_card::takes_beside,
                dialog: dialogs::dialog,
                lesson: views::lesson_panel,
                origin: origin::origin,
                embed: render::<Embed>,
            },
            swept: SweptParts {
                joint_optimum: landscape::joint_optimum::joint_optimum,
                combination: landscape::combination::combination,
                comparison: landscape::comparison::comparison,
                trade_off: landscape::trade_off::trade_off,
                mac_counts: landscape::mac_counts::mac_counts,
                impossible: landscape::impossible::impossible,
                neighbours: landscape::neighbours::neighbours,
                first_minute: landscape::first_minute::first_minute,
                film: landscape::film::film,
                readout: landscape::readout::readout,
                top_memories: landscape::top_memories::top_memories,
                tile_sliders: landscape::tile_sliders::tile_sliders,
            },
            hardware: HardwareParts {
                array_panel: design::array_panel::array_panel,
                memory_panel: design::memory_panel::memory_panel,
            },
            layer: LayerParts {
                network_panel: design::network_panel::network_panel,
                layer_panel: design::layer_panel::layer_panel,
                layer_rows: design::layer_rows::layer_rows,
            },
            rules: RuleParts { rule_switches: design::rule_switches::rule_switches },
            presets: PresetParts { pick: design::preset_texts::pick },
            import: ImportParts { import: design::import::import, import_report: design::import::report },
            explain: ExplainParts { explanation: widgets::words::explain::explanation },
            fine_grid: FineGridParts { zoom_bar: widgets::sweep::zoom_bar::zoom_bar, best_table: widgets::sweep::best_table::best_table },
            save: SaveParts { kinds: widgets::figures::save_menu::kinds },
            text: TextParts { document_text: widgets::forms::document_text::document_text },
            glossary: GlossaryParts { entry: widgets::words::glossary::entry },
            diagnostics: DiagnosticParts { list: widgets::forms::diagnostic_entries::entries },
        }
    }
}

/// Installs the functions that fetch the tables.
pub fn install() {
    pieces::install(|| Box::pin(async { others().await.map(keep_all).is_ok() }));
}

fn keep_all(fetched: Others) {
    let Others {
        shell,
        swept,
        hardware,
        layer,
        rules,
        presets,
        import,
        explain,
        fine_grid,
        save,
        text,
        glossary,
        diagnostics,
    } = fetched;
    keep(shell);
    keep(swept);
    keep(hardware);
    keep(layer);
    keep(rules);
    keep(presets);
    keep(import);
    keep(explain);
    keep(fine_grid);
    keep(save);
    keep(text);
    keep(glossary);
    keep(diagnostics);
}
