//! Attention on a core: schedules, generation with a cache, the trace of a schedule.

mod figures;
mod trace;

pub use figures::{
    DIVIDED_NOTE, attention_energy, attention_notes, attention_schedules, attention_tiles, attention_traffic,
    block_note, block_title, divided_sentences, divided_steps, generation_curves, generation_roofline, generation_room,
    generation_table, published_dataflows, sequences_text, step_parts,
};
pub use trace::AttentionStep;
