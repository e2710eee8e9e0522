//! Fields of forms.

use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;
use yew::virtual_dom::VTag;

#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceOption {
    /// Passed to `onchange`; unique among the choices.
    pub value: AttrValue,
    /// The text shown.
    pub title: AttrValue,
    /// Heading of the group it belongs to; empty for none.
    pub group: &'static str,
}

impl ChoiceOption {
    /// A choice that belongs to no group.
    pub fn new(value: impl Into<AttrValue>, title: impl Into<AttrValue>) -> Self {
        Self { value: value.into(), title: title.into(), group: "" }
    }
}

#[derive(Properties, PartialEq)]
pub struct SelectProps {
    pub label: AttrValue,
    /// The choices; those of one group stand together.
    pub choices: Vec<ChoiceOption>,
    /// Value of the current choice.
    pub value: AttrValue,
    pub onchange: Callback<String>,
    pub testid: &'static str,
}

/// A labelled drop-down list.
#[component]
pub fn Select(props: &SelectProps) -> Html {
    html! {
        <label class="field">
            <span>{ &props.label }</span>
            <Picker
                choices={props.choices.clone()}
                value={props.value.clone()}
                onchange={props.onchange.clone()}
                testid={props.testid}
            />
        </label>
    }
}

#[derive(Properties, PartialEq)]
pub struct PickerProps {
    #[prop_or_default]
    pub id: Option<AttrValue>,
    #[prop_or_default]
    pub label: Option<AttrValue>,
    /// The choices; those of one group stand together.
    pub choices: Vec<ChoiceOption>,
    /// Value of the current choice.
    pub value: AttrValue,
    pub onchange: Callback<String>,
    /// Whether the current choice is invalid.
    #[prop_or_default]
    pub invalid: bool,
    pub testid: AttrValue,
}

/// A drop-down list without a label.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let onchange = passing(&props.onchange, |event: Event| Some(target::<HtmlSelectElement>(&event)?.value()));
    // Once a person has chosen, a browser ignores the attribute `selected`, but not the property. An effect would set
    // it too late: Yew may let the browser paint before effects run. (`html!` cannot set properties of this kind.)
    let option = |choice: &ChoiceOption| {
        let mut option = VTag::new("option");
        option.add_attribute("value", choice.value.clone());
        option.add_property("selected", props.value == choice.value);
        option.add_child(html! { &choice.title });
        Html::from(option)
    };
    let options = props.choices.chunk_by(|a, b| a.group == b.group).map(|group| {
        let inner: Html = group.iter().map(option).collect();
        match group.first().map_or("", |choice| choice.group) {
            "" => inner,
            title => html! { <optgroup label={title}>{ inner }</optgroup> },
        }
    });
    html! {
        <select
            id={props.id.clone()}
            {onchange}
            aria-label={props.label.clone()}
            aria-invalid={props.invalid.then_some("true")}
            data-testid={props.testid.clone()}
        >
            { for options }
        </select>
    }
}

/// A choice of few, shown as a row of buttons.
pub fn segments<T: Copy + PartialEq + 'static>(
    label: &'static str,
    all: &[(T, &'static str)],
    current: T,
    on: Callback<T>,
) -> Html {
    let button = |(value, title): (T, &'static str)| {
        html! {
            <button
                type="button"
                aria-pressed={(value == current).to_string()}
                onclick={on.reform(move |_: MouseEvent| value)}
                data-testid={format!("as-{title}")}
            >
                { title }
            </button>
        }
    };
    html! { <div class="segments" role="group" aria-label={label}>{ for all.iter().copied().map(button) }</div> }
}

#[derive(Properties, PartialEq)]
pub struct TextFieldProps {
    pub label: AttrValue,
    pub value: String,
    pub oninput: Callback<String>,
    pub testid: &'static str,
    /// Shown while the field is empty.
    #[prop_or_default]
    pub placeholder: &'static str,
    #[prop_or_default]
    pub invalid: bool,
}

/// A labelled text field of one line.
#[component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let oninput = {
        let oninput = props.oninput.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = target::<HtmlInputElement>(&event) {
                oninput.emit(field.value());
            }
        })
    };
    html! {
        <label class="field">
            <span>{ &props.label }</span>
            <input
                type="text"
                value={props.value.clone()}
                {oninput}
                data-testid={props.testid}
                placeholder={props.placeholder}
                aria-invalid={props.invalid.then_some("true")}
                autocomplete="off"
                spellcheck="false"
            />
        </label>
    }
}

#[derive(Properties, PartialEq)]
pub struct CheckboxProps {
    pub label: AttrValue,
    pub checked: bool,
    pub onchange: Callback<bool>,
    pub testid: AttrValue,
}

/// A labelled checkbox.
#[component]
pub fn Checkbox(props: &CheckboxProps) -> Html {
    let onchange = {
        let onchange = props.onchange.clone();
        Callback::from(move |event: Event| {
            if let Some(field) = target::<HtmlInputElement>(&event) {
                onchange.emit(field.checked());
            }
        })
    };
    html! {
        <label class="check">
            <input type="checkbox" checked={props.checked} {onchange} data-testid={props.testid.clone()} />
            <span>{ &props.label }</span>
        </label>
    }
}

/// A callback that maps its argument and passes it on, unless `map` returns `None`.
pub fn passing<IN: 'static, OUT: 'static>(
    on: &Callback<OUT>,
    map: impl Fn(IN) -> Option<OUT> + 'static,
) -> Callback<IN> {
    let on = on.clone();
    Callback::from(move |event| {
        if let Some(out) = map(event) {
            on.emit(out);
        }
    })
}

/// The element that an event belongs to.
pub fn target<T: JsCast>(event: &Event) -> Option<T> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// Whether a `details` element is open, and the handler of its `toggle` event.
#[hook]
pub fn use_disclosure() -> (bool, Callback<Event>) {
    let is_open = use_state_eq(|| false);
    let setter = is_open.setter();
    let ontoggle = Callback::from(move |event: Event| {
        if let Some(details) = target::<web_sys::Element>(&event) {
            setter.set(details.has_attribute("open"));
        }
    });
    (*is_open, ontoggle)
}
