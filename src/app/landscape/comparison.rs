//! The best of a sweep compared with the references.

use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::{REFERENCES, Status, SweepResults};
use crate::chart::{Breakdown, tile_text};
use crate::depth_first::{FuseDepth, PointAccount};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// A card that compares the best. Only `shell::pieces` may name it.
pub fn comparison(results: Rc<SweepResults>) -> Html {
    html! { <Comparison {results} /> }
}

#[derive(Properties, PartialEq)]
struct ResultsProps {
    results: Rc<SweepResults>,
}

/// Single-layer, layer-by-layer, the best depth-first point and the best combination side by side (DeFiNES, Fig. 16).
/// The bars of one design stay until all of the next are known.
#[component]
fn Comparison(props: &ResultsProps) -> Html {
    let results = &*props.results;
    let kept = use_mut_ref(Vec::new);
    let waits = awaits_accounts(results);
    if !waits {
        *kept.borrow_mut() = compared(results);
    }
    let kept = kept.borrow();
    let points: Vec<(String, &PointAccount)> =
        kept.iter().map(|(title, account)| (title.clone(), &**account)).collect();
    html! {
        <section
            class="card"
            aria-busy={(waits && !results.stale).then_some("true")}
            data-testid="comparison"
        >
            <h2><span>{ termed("[Single-layer, layer-by-layer, depth-first|depth-first]") }</span></h2>
            if points.is_empty() {
                <p class="hint">{ "Comes when all points are known." }</p>
            } else {
                <p class="hint">
                    { "Single-layer and layer-by-layer compute the whole map at once. Fusion cuts single layers into the tiles that suit \
                       each best, so that its single layers may cost less." }
                </p>
                <Figure title="" chart={Drawn::new(Breakdown::energy(&points))} testid="comparison-energy" />
                <Figure title="" chart={Drawn::new(Breakdown::latency(&points))} testid="comparison-latency" />
            }
        </section>
    }
}

/// The bars, with their titles.
fn compared(results: &SweepResults) -> Vec<(String, Arc<PointAccount>)> {
    let references = REFERENCES
        .iter()
        .filter_map(|(fuse, title)| Some(((*title).to_owned(), results.accounts.get(&results.reference(fuse)?)?)));
    let best = results.best.and_then(|point| {
        let strategy = results.strategy(point)?;
        let title = match strategy.fuse {
            FuseDepth::Automatic | FuseDepth::Cuts(_) => {
                format!("best, {} {}", strategy.mode.title(), tile_text(strategy))
            }
            _ => "best of the sweep".to_owned(),
        };
        Some((title, results.accounts.get(&point)?))
    });
    let combined = results.combined.as_ref().map(|(_, account)| ("best combination".to_owned(), account));
    references.chain(best).chain(combined).map(|(title, account)| (title, Arc::clone(account))).collect()
}

/// Whether accounts of some bars are still missing.
fn awaits_accounts(results: &SweepResults) -> bool {
    let references = REFERENCES.iter().filter_map(|(fuse, _)| results.reference(fuse));
    let is_missing = |point: u32| results.summary(point).is_some() && !results.accounts.contains_key(&point);
    let is_combined = results.combination.as_ref().is_none_or(|combination| combination.points.len() < 2);
    match results.status {
        Status::Running => true,
        Status::Done => references.chain(results.best).any(is_missing) || !is_combined && results.combined.is_none(),
        _ => false,
    }
}
