//! The page around the views: header, tabs, dialogs, address, and one view alone for another page around it.

pub mod address;
pub mod dialogs;
pub mod embed;
pub mod embed_dialog;
pub mod files;
pub mod header;
pub mod help;
pub mod links;
pub mod origin;
pub mod page;
pub mod parts;
pub mod pieces;
pub mod share;
pub mod shortcuts;
pub mod views;
