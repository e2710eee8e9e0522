//! Loops in space and time, and the ends of memory levels.

mod mapping_documents;
mod spatial_mapping;
mod user_mapping;
