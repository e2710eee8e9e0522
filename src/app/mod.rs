//! The page.
//!
//! One [`state::PageState`] drives everything: components show it, a person's [`crate::state::Action`]s change it. A [`conductor::Conductor`]
//! turns every new design into a sweep over the workers and reports what they find, which is an action too. Nothing here
//! computes a cost.

mod address;
mod answer;
mod array_panel;
mod cards;
mod compare_cores;
mod compare_view;
mod conductor;
mod controls;
mod core_timeline;
mod cores_allocation;
mod cores_compared;
mod cores_form;
mod cores_study;
mod cores_view;
mod data_table;
mod diagnostics;
mod dialog;
mod dispatch;
mod document_editor;
mod embed;
mod embed_dialog;
mod engine;
mod explain;
mod explorer;
mod figure;
mod files;
mod findings;
mod form;
mod fusion_dataflows;
mod fusion_graph;
mod fusion_online;
mod fusion_sequences;
mod fusion_study;
mod fusion_sweeps;
mod fusion_times;
mod fusion_view;
mod gallery_view;
mod grid;
mod hardware_card;
mod header;
mod heatmap_figure;
mod heatmap_table;
mod heatmaps;
mod help;
mod hierarchy_facts;
mod hierarchy_form;
mod hierarchy_view;
mod hook;
mod import;
mod inquiries;
mod joint;
mod landscape;
mod layer_panel;
mod layer_rows;
mod layer_tables;
mod lazy;
mod lesson;
mod loop_editor;
mod mapping_view;
mod memory_panel;
mod missing;
mod network_card;
mod network_graph;
mod page;
mod pan_zoom;
mod pool;
mod port_table;
mod results;
mod rules_table;
mod run;
mod save;
mod schedule_card;
mod schedule_view;
mod sequence_facts;
mod sequence_resources;
mod share;
mod shortcuts;
mod spawn;
mod stack_panel;
mod state;
mod storage;
mod strategies;
mod summaries;
mod theme;
mod timeline_moves;
mod timer;
mod unrolling_table;
mod views;
mod zoom;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Shows the page in the element `#app`; called by `www/main.js`, whose function asks a person what to do about files that cannot be had.
///
/// # Errors
/// If there is a link or a draft, and the code that reads it cannot be fetched.
#[wasm_bindgen(js_name = openPage)]
pub async fn open_page(ask: Function) -> Result<(), JsError> {
    missing::install(ask);
    if address::says_something() {
        lazy::fetch_links().await?;
    }
    if let Some(place) = place() {
        render::<page::Page>(place);
    }
    Ok(())
}

/// Shows one view in the element `#app`, for another page around it; called as [`open_page`] is.
///
/// # Errors
/// If its code cannot be fetched.
#[wasm_bindgen(js_name = openEmbed)]
pub async fn open_embed(ask: Function) -> Result<(), JsError> {
    missing::install(ask);
    let embed = lazy::fetch().await?.embed;
    if let Some(place) = place() {
        embed(place);
    }
    Ok(())
}

fn place() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

fn render<C: yew::BaseComponent<Properties: Default>>(place: Element) {
    // What stood there only said that the page was loading.
    place.set_inner_html("");
    yew::Renderer::<C>::with_root(place).render();
}
