//! The root element of the page.

use web_sys::Element;

/// The root element, `#app`; `None` outside of a page that has it.
pub fn root_element() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

/// Shows a component in an element, in place of its content.
pub fn render<C: yew::BaseComponent<Properties: Default>>(root: Element) {
    // The content only said that the page was loading.
    root.set_inner_html("");
    yew::Renderer::<C>::with_root(root).render();
}
