//! Presets and files, and their errors.

use super::{Failure, print};
use fusescape_command::files::{open, read_text, shown};
use fusescape_command::unknown;
use fusescape_engine::hardware::Core;
use fusescape_engine::pool::Pool;
use fusescape_engine::system::CoreSystem;
use fusescape_engine::transformer::Transformer;
use fusescape_engine::workload::Network;
use fusescape_import::{self as import, Seekable};
use fusescape_lesson::{Draw, Lesson, is_lesson, mistakes};
use fusescape_spec::{
    Diagnostics, MAX_BYTES, Preset, find_preset, gallery_presets, hardware_presets, pool_presets, system_presets,
    transformer_presets, workload_presets,
};
use std::path::{Path, PathBuf};

/// Text of a preset or of a file.
pub fn load(name: &str, presets: &'static [Preset]) -> Result<String, Failure> {
    match find_preset(presets, name) {
        Ok(preset) => Ok(preset.text.to_owned()),
        Err(unknown) if !Path::new(name).exists() => Err(format!("{unknown} Nor is there a file `{name}`.").into()),
        Err(_) => read(Path::new(name)),
    }
}

/// Text of a transformer: a preset, a file, or made from an ONNX model, whose report is printed.
pub fn load_transformer(name: &str, sizes: &[(String, u64)]) -> Result<String, Failure> {
    let path = Path::new(name);
    if find_preset(transformer_presets(), name).is_ok() || !path.exists() {
        if !sizes.is_empty() {
            return Err("size: Only an ONNX model leaves sizes open. State no size.".to_owned().into());
        }
        return load(name, transformer_presets());
    }
    let source = Seekable::new(open(path)?).map_err(|error| format!("{}: {error}", shown(path)))?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match import::transformer_of(import::File { name: file, source: Box::new(source) }, sizes.to_vec())? {
        None => read(path),
        Some((text, report)) => {
            super::import::tell(&report);
            Ok(text)
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    Ok(read_text(path, MAX_BYTES)?)
}

/// Lists the presets, or prints one.
pub fn presets(name: Option<&str>) -> Result<(), Failure> {
    if let Some(name) = name {
        let found = find_preset(hardware_presets(), name)
            .or_else(|_| find_preset(workload_presets(), name))
            .or_else(|_| find_preset(pool_presets(), name))
            .or_else(|_| find_preset(system_presets(), name))
            .or_else(|_| find_preset(transformer_presets(), name))
            .or_else(|_| find_preset(gallery_presets(), name));
        let all = [
            hardware_presets(),
            workload_presets(),
            pool_presets(),
            system_presets(),
            transformer_presets(),
            gallery_presets(),
        ];
        let all: Vec<&str> = all.into_iter().flatten().map(|preset| preset.id).collect();
        let wrong = |_| format!("There is no preset `{name}`: {}", unknown(name, &all));
        return print(found.map_err(wrong)?.text);
    }
    let mut out = String::new();
    for (what, presets) in [
        ("hardware", hardware_presets()),
        ("workload", workload_presets()),
        ("pool", pool_presets()),
        ("system", system_presets()),
        ("transformer", transformer_presets()),
        ("gallery", gallery_presets()),
    ] {
        out += &format!("{what}\n");
        for preset in presets {
            out += &format!("  {:<22} {}\n", preset.id, preset.title);
        }
    }
    print(&out)
}

/// Prints all errors of the files.
pub fn validate(files: &[PathBuf]) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for file in files {
        let text = match read(file) {
            Ok(text) => text,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        match check(&text) {
            Ok(summary) => print(&format!("{}: {summary}\n", shown(file)))?,
            Err(diagnostics) => {
                wrong.extend(diagnostics.0.iter().map(|diagnostic| format!("{}: {diagnostic}", shown(file))));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Validates a document, recognised by its fields: feed-forward part: transformer; layers: workload; memories with
/// variants: pool; cores: system; any other: hardware.
fn check(text: &str) -> Result<String, Diagnostics> {
    if is_lesson(text) {
        mistakes(text).or(())?;
        let lesson = Lesson::from_text(text, Draw::Student(""))?;
        let (steps, variants) = (lesson.steps.len(), lesson.variants());
        return Ok(format!("the lesson `{}`: {steps} steps, {variants} variants", lesson.title));
    }
    if text.lines().any(|line| line.starts_with("feed_forward")) || text.contains("\"feed_forward\"") {
        let model = Transformer::from_text(text)?;
        return Ok(format!("the transformer `{}`: {} layers of {} heads", model.name, model.layers, model.heads));
    }
    if text.lines().any(|line| line.starts_with("layers")) || text.contains("\"layers\"") {
        let network = Network::from_text(text)?;
        let layers = network.computing().count();
        return Ok(format!("the network `{}`: {layers} layers, {:.3e} MACs", network.name, network.macs() as f64));
    }
    if text.contains("variants") {
        let pool = Pool::from_text(text)?;
        let variants: usize = pool.memories.iter().map(|memory| memory.variants.len()).sum();
        return Ok(format!("the pool `{}`: {} memories, {variants} variants", pool.name, pool.memories.len()));
    }
    if text.lines().any(|line| line.starts_with("cores")) || text.contains("\"cores\"") {
        // Cores without a description are the accelerator beside the system: any is good enough here.
        let beside = hardware_presets().first().map_or("", |preset| preset.text);
        let system = CoreSystem::from_text(text, beside)?;
        return Ok(format!("the system `{}`: {} cores", system.name, system.cores.len()));
    }
    let core = Core::from_text(text)?;
    Ok(format!("the core `{}`: {} PEs, {} memories", core.name, core.pe_count(), core.memories.len()))
}
