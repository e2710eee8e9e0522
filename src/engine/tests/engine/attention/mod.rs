//! Transformers: schedules of attention and of the parts around it.

mod attention_blocks;
mod attention_cores;
mod attention_layers;
mod attention_schedules;
mod attention_state_space;
mod attention_steps;
mod published_attention;
