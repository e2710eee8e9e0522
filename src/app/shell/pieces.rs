//! The split points of the page's module: the functions behind the tables that rooms fetch when they are first needed.
//!
//! These functions are in a file of their own (`crate::pieces`), so nothing else may name them.

use super::code::ShellCode;
use super::embed::Embed;
use super::{dialogs, origin, views};
use crate::app::design::document_editor::PresetCode;
use crate::app::design::hardware_card::HardwareCode;
use crate::app::design::import::ImportCode;
use crate::app::design::network_card::LayerCode;
use crate::app::design::schedule_card::RuleCode;
use crate::app::landscape::view::SweptCode;
use crate::app::platform::lazy_modules::{self, keep};
use crate::app::platform::root::render;
use crate::app::widgets::figures::save::SaveCode;
use crate::app::widgets::forms::diagnostics::DiagnosticCode;
use crate::app::widgets::forms::document_text::TextCode;
use crate::app::widgets::sweep::fine_grid::FineGridCode;
use crate::app::widgets::words::explain::ExplainCode;
use crate::app::widgets::words::term::GlossaryCode;
use crate::app::{cores, design, landscape, widgets};
use crate::pieces::piece_fn;

/// The pieces that are fetched as one file.
#[derive(Clone, Copy)]
struct Others {
    shell: ShellCode,
    swept: SweptCode,
    hardware: HardwareCode,
    layer: LayerCode,
    rules: RuleCode,
    presets: PresetCode,
    import: ImportCode,
    explain: ExplainCode,
    fine_grid: FineGridCode,
    save: SaveCode,
    text: TextCode,
    glossary: GlossaryCode,
    diagnostics: DiagnosticCode,
}

piece_fn! {
    others,
    fn others() -> Others {
        Others {
            shell: ShellCode {
                view: views::any_view,
                system: cores::system_card::system_card,
                takes_beside: cores::system_card::takes_beside,
                dialog: dialogs::dialog,
                lesson: views::lesson_panel,
                origin: origin::origin,
                embed: render::<Embed>,
            },
            swept: SweptCode {
                joint_optimum: landscape::joint_optimum::joint_optimum,
                combination: landscape::combination::combination,
                comparison: landscape::comparison::comparison,
                trade_off: landscape::trade_off::trade_off,
                mac_counts: landscape::mac_counts::mac_counts,
                impossible: landscape::impossible::impossible,
                neighbours: landscape::neighbours::neighbours,
                first_minute: landscape::first_minute::first_minute,
                design_history: landscape::design_history::design_history,
                readout: landscape::readout::readout,
                top_memories: landscape::top_memories::top_memories,
                tile_sliders: landscape::tile_sliders::tile_sliders,
            },
            hardware: HardwareCode {
                array_panel: design::array_panel::array_panel,
                memory_panel: design::memory_panel::memory_panel,
            },
            layer: LayerCode {
                network_panel: design::network_panel::network_panel,
                layer_panel: design::layer_panel::layer_panel,
                layer_rows: design::layer_rows::layer_rows,
            },
            rules: RuleCode { rule_switches: design::rule_switches::rule_switches },
            presets: PresetCode { pick: design::preset_texts::pick },
            import: ImportCode { import: design::import::import, import_report: design::import::report },
            explain: ExplainCode { explanation: widgets::words::explain::explanation },
            fine_grid: FineGridCode { zoom_bar: widgets::sweep::zoom_bar::zoom_bar, best_table: widgets::sweep::best_table::best_table },
            save: SaveCode { kinds: widgets::figures::save_menu::kinds },
            text: TextCode { document_text: widgets::forms::document_text::document_text },
            glossary: GlossaryCode { entry: widgets::words::glossary::entry },
            diagnostics: DiagnosticCode { list: widgets::forms::diagnostic_entries::entries },
        }
    }
}

/// Installs the functions that fetch the tables.
pub fn install() {
    lazy_modules::install(|| Box::pin(async { others().await.map(keep_all).is_ok() }));
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
