//! The page around the views: header, tabs, dialogs, address, and a single view for a host page.
//!
//! - `page`, `header`, `code`, `origin`: the page; `views` draws the view of each tab, with the step of a lesson above
//!   it
//! - `given`: what all of it is given by context
//! - `dialogs`, `files`, `share`, `embed_dialog`, `help`: dialogs; `presenter` shows the results alone; `shortcuts` lists every key, of
//!   which the help sheet is made
//! - `address`, `links`: the address follows what is in force, by code that is fetched before the page is shown if there is anything to
//!   be read, else with the first key or click. Each entry of the browser's history carries the draft besides, with what a link leaves
//!   out; what is written while a page is left may come too late for that, and waits in the tab for the reload
//! - `embed`: one view for a host page (`www/EMBED.md`), `embed_parameters` its sliders
//! - `pieces`: names the functions behind tables that are fetched later; nothing else may name them

pub mod address;
pub mod code;
pub mod dialogs;
pub mod embed;
pub mod embed_dialog;
pub mod embed_parameters;
pub mod files;
pub mod given;
pub mod header;
pub mod help;
pub mod links;
pub mod origin;
pub mod page;
pub mod pieces;
pub mod presenter;
pub mod share;
pub mod shortcuts;
pub mod views;
