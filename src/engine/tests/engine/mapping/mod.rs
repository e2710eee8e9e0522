//! Loops in space and time, and where memory levels end.

mod mapping_documents;
mod own_mapping;
mod spatial_mapping;
