//! Top memory of every layer-tile of the current point, and the reasons why data is not lower.

use crate::app::widgets::figures::figure::{Drawn, Figure, Spot};
use crate::app::widgets::pointing::highlight::{Subject, use_highlight};
use crate::app::widgets::words::term::termed;
use crate::chart::{LevelCell, LevelMatrix, strategy_title};
use crate::depth_first::{LayerTileAccount, PointAccount};
use crate::hardware::Operand;
use crate::spec::sentence;
use std::sync::Arc;
use yew::prelude::*;

/// A card with the top memories of a point. Only `shell::pieces` may name it.
pub fn top_memories(account: Arc<PointAccount>) -> Html {
    html! { <TopMemories {account} /> }
}

#[derive(Properties, PartialEq)]
struct TopMemoriesProps {
    account: Arc<PointAccount>,
}

/// The strip of DeFiNES, Fig. 9, for one point; a click on a cell shows the reasons.
#[component]
fn TopMemories(props: &TopMemoriesProps) -> Html {
    let account = &*props.account;
    let chosen = use_state_eq(|| None::<LevelCell>);
    let matrix = LevelMatrix::of_point(account);
    let layers = layers(account);
    let is_there = |cell: &LevelCell| layers.get(cell.layer).is_some_and(|layer| layer.top(cell.operand).is_some());
    let highlight = use_highlight();
    let lit = highlight.shown().and_then(|subject| cell_of(&layers, subject));
    let selected = lit.or(*chosen).filter(is_there).or_else(|| most_telling(&layers));
    let chart = LevelMatrix { selected, ..matrix };
    let on_click = {
        let (chart, chosen) = (chart.clone(), chosen.clone());
        Callback::from(move |spot: Spot| {
            if let Some(cell) = chart.cell_at(spot.x, spot.y, spot.width) {
                chosen.set(Some(cell));
            }
        })
    };
    html! {
        <section class="card" data-testid="point-memories">
            <h2><span>{ termed("Why: [top memory|top memory level] of every [layer-tile]") }</span></h2>
            <p class="hint">{ format!("Of {}. Click a cell to see why its data lies there.", strategy_title(&account.strategy)) }</p>
            <Figure title="" chart={Drawn::new(chart)} testid="point-memories-figure" {on_click} />
            if let Some((cell, layer)) = selected.and_then(|cell| Some((cell, layers.get(cell.layer)?))) {
                <div class="why" role="status" data-testid="why-there">
                    <b>{ format!("{} of {} in {}: ", cell.operand, layer.layer, layer.top(cell.operand).unwrap_or("–")) }</b>
                    { why_text(layer, cell) }
                </div>
            }
        </section>
    }
}

/// The first cell of a subject.
fn cell_of(layers: &[&LayerTileAccount], subject: &Subject) -> Option<LevelCell> {
    let name = subject.layer.as_deref()?;
    let layer = layers.iter().position(|layer| layer.layer == name)?;
    Some(LevelCell { tile_type: 0, layer, operand: subject.operand.unwrap_or(Operand::I) })
}

/// The layers of a point, each in the most frequent tile type of its stack, as in the figure.
fn layers(account: &PointAccount) -> Vec<&LayerTileAccount> {
    let of_stack = account.stacks.iter().filter_map(|stack| stack.tile_types.get(stack.most_frequent_type()?));
    of_stack.flat_map(|tile_type| &tile_type.layers).filter(|layer| layer.kind.is_some()).collect()
}

/// The first cell whose data does not fit lower, else the first of all.
fn most_telling(layers: &[&LayerTileAccount]) -> Option<LevelCell> {
    use crate::hardware::Operand::{I, O, W};
    let cell = |layer, operand| LevelCell { tile_type: 0, layer, operand };
    let cells = || {
        layers
            .iter()
            .enumerate()
            .flat_map(move |(index, layer)| [I, O, W].map(|operand| (cell(index, operand), *layer)))
    };
    let is_telling = |(cell, layer): &(LevelCell, &LayerTileAccount)| {
        reasons(layer, *cell).any(|reason| reason.contains("not fit into") && reason.contains("room for"))
    };
    let is_there = |(cell, layer): &(LevelCell, &LayerTileAccount)| layer.top(cell.operand).is_some();
    cells().find(is_telling).or_else(|| cells().find(is_there)).map(|(cell, _)| cell)
}

/// The reasons in the account for an operand of a layer-tile.
fn reasons(layer: &LayerTileAccount, cell: LevelCell) -> impl Iterator<Item = &String> {
    let begins = format!("{} ", cell.operand);
    layer.reasons.iter().filter(move |reason| reason.starts_with(&begins))
}

fn why_text(layer: &LayerTileAccount, cell: LevelCell) -> String {
    let found: Vec<String> = reasons(layer, cell).map(|reason| sentence(reason)).collect();
    match found.is_empty() {
        true => "it fits there, and no memory of it is lower.".to_owned(),
        false => found.join(" "),
    }
}
