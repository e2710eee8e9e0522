//! Figures on the page: a canvas at full width and device resolution, and its table twin.

use super::data_table::DataTable;
use super::save::{FileContent, Save, WIDTH};
use crate::app::widgets::page::figure_context::{theme, use_figure_context};
use crate::app::widgets::pointing::pointers::{spot, zoom_of};
use crate::app::widgets::pointing::regions::Regions;
use crate::app::widgets::words::explain::ExplainableNumber;
use crate::chart::{Chart, draw_on_canvas};
use crate::explain::Explained;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlCanvasElement, ResizeObserver};
use yew::prelude::*;

/// A place on a canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// CSS pixels from the left.
    pub x: f64,
    /// CSS pixels from the top.
    pub y: f64,
    /// Width of the figure, CSS pixels.
    pub width: u32,
}

/// A figure of any kind; erases the type, so that the code of components is in the module once, not once per kind.
#[derive(Clone)]
pub struct Drawn(Rc<dyn Comparable>);

trait Comparable: Chart {
    fn equals(&self, other: &dyn Comparable) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<C: Chart + PartialEq + 'static> Comparable for C {
    fn equals(&self, other: &dyn Comparable) -> bool {
        other.as_any().downcast_ref::<C>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drawn {
    pub fn new<C: Chart + PartialEq + 'static>(chart: C) -> Self {
        Self(Rc::new(chart))
    }

    pub fn chart(&self) -> &dyn Chart {
        &*self.0
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

#[derive(Properties, PartialEq)]
pub struct CanvasProps {
    pub chart: Drawn,
    /// Called with the place of the pointer, and with `None` when it leaves.
    #[prop_or_default]
    pub on_hover: Option<Callback<Option<Spot>>>,
    #[prop_or_default]
    pub on_click: Option<Callback<Spot>>,
}

/// A figure as wide as its container.
#[component]
pub fn Canvas(props: &CanvasProps) -> Html {
    let place = use_node_ref();
    let canvas = use_node_ref();
    let width = use_observed_width(&place);
    let is_dark = use_figure_context().is_dark;
    use_effect_with((props.chart.clone(), width, is_dark, canvas.clone()), |(chart, width, is_dark, canvas)| {
        if let (Some(canvas), 1..) = (canvas.cast::<HtmlCanvasElement>(), *width) {
            let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()) * zoom_of(&canvas);
            // If the canvas cannot be drawn on, it stays empty; the table twin remains.
            let _ = draw_on_canvas(chart.chart(), &canvas, *width, ratio, theme(*is_dark));
        }
    });
    let spot = {
        let canvas = canvas.clone();
        move |event: &MouseEvent| spot(&canvas, event).map(|(x, y)| Spot { x, y, width })
    };
    let onpointermove = props.on_hover.clone().map(|on| {
        let spot = spot.clone();
        on.reform(move |event: PointerEvent| spot(&event))
    });
    let onpointerleave = props.on_hover.clone().map(|on| on.reform(|_: PointerEvent| None));
    let onclick = props.on_click.clone().map(|on| {
        Callback::from(move |event: MouseEvent| {
            if let Some(spot) = spot(&event) {
                on.emit(spot);
            }
        })
    });
    html! {
        <div class="canvas" ref={place}>
            <canvas
                ref={canvas}
                class={props.on_click.is_some().then_some("clickable")}
                role="img"
                aria-label={props.chart.chart().describe()}
                {onpointermove}
                {onpointerleave}
                {onclick}
            />
        </div>
    }
}

/// Width of an element in CSS pixels, updated as it changes; 0 before layout.
#[hook]
pub fn use_observed_width(place: &NodeRef) -> u32 {
    let width = use_state_eq(|| 0);
    {
        let width = width.clone();
        use_effect_with(place.clone(), move |place| {
            let element = place.cast::<Element>();
            // Measured at once, so that the canvas has its height before the next frame.
            width.set(element.as_ref().map_or(0, |element| element.client_width().max(0) as u32));
            let measured = element.clone();
            let call = Closure::<dyn FnMut()>::new(move || {
                if let Some(element) = &measured {
                    width.set(element.client_width().max(0) as u32);
                }
            });
            let observer = ResizeObserver::new(call.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, &element) {
                observer.observe(element);
            }
            let kept = Rc::new(RefCell::new(Some((observer, call))));
            move || {
                if let Some((Some(observer), _)) = kept.take() {
                    observer.disconnect();
                }
            }
        });
    }
    *width
}

/// Explanations of the cells of a table, row by row; rows and cells at the end may be missing.
pub type CellExplanations = Option<Rc<Vec<Vec<Option<ExplainableNumber>>>>>;

/// Explanations of a table whose cells are explained already.
pub fn made(rows: Vec<Vec<Option<Explained>>>) -> CellExplanations {
    let cell = |explained: Option<Explained>| Some(ExplainableNumber::Made(Rc::new(explained?)));
    Some(Rc::new(rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect()))
}

#[derive(Properties, PartialEq)]
pub struct FigureProps {
    pub chart: Drawn,
    pub title: AttrValue,
    /// One sentence about how to read it.
    #[prop_or_default]
    pub hint: AttrValue,
    pub testid: &'static str,
    /// Explanations of the cells of its table.
    #[prop_or_default]
    pub numbers: CellExplanations,
    #[prop_or_default]
    pub on_click: Option<Callback<Spot>>,
    #[prop_or_default]
    pub on_hover: Option<Callback<Option<Spot>>>,
    /// Content between the heading and the figure.
    #[prop_or_default]
    pub children: Html,
}

/// A figure with its heading and its table twin.
#[component]
pub fn Figure(props: &FigureProps) -> Html {
    let place = use_node_ref();
    let width = use_observed_width(&place);
    let regions =
        use_memo(
            (props.chart.clone(), width),
            |(chart, width)| {
                if *width == 0 { Vec::new() } else { chart.chart().regions(*width) }
            },
        );
    html! {
        <figure data-testid={props.testid}>
            if !props.title.is_empty() {
                <figcaption>
                    <h3>{ &props.title }</h3>
                    if !props.hint.is_empty() {
                        <p class="hint">{ &props.hint }</p>
                    }
                </figcaption>
            }
            { props.children.clone() }
            <div ref={place}>
                <Regions regions={Rc::clone(&regions)} name={props.testid.replace('-', " ")}>
                    <Canvas
                        chart={props.chart.clone()}
                        on_click={props.on_click.clone()}
                        on_hover={props.on_hover.clone()}
                    />
                </Regions>
            </div>
            <Save what={FileContent::Figure(props.chart.clone(), WIDTH)} />
            <DataTable table={Rc::new(props.chart.chart().table())} numbers={props.numbers.clone()} />
        </figure>
    }
}
