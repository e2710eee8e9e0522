//! Loops in space and time, and the ends of memory levels.

mod mapping_documents;
mod own_mapping;
mod spatial_mapping;
