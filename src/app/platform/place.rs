//! The element of the document that the page fills.

use web_sys::Element;

/// The element `#app`.
pub fn place() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

/// Shows a component in an element, in place of what stood there.
pub fn render<C: yew::BaseComponent<Properties: Default>>(place: Element) {
    // What stood there only said that the page was loading.
    place.set_inner_html("");
    yew::Renderer::<C>::with_root(place).render();
}
