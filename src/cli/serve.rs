//! A static server for the page, on this machine only.

use super::Failure;
use std::path::{Component, Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, Server};

/// Serves `directory` until it is stopped.
pub fn serve(port: u16, directory: &Path) -> Result<(), Failure> {
    if !directory.join("index.html").exists() {
        return Err(format!(
            "There is no page in `{}`: run this where the page is, or name it with --directory",
            directory.display()
        )
        .into());
    }
    if !directory.join("pkg").exists() {
        return Err(format!("The page in `{}` is not built yet: run `make build`", directory.display()).into());
    }
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| format!("Port {port} cannot be used: {error}. Choose another with --port"))?;
    if let Some(address) = server.server_addr().to_ip() {
        println!("Fusescape is at http://localhost:{}/ (Ctrl-C stops it)", address.port());
    }
    for request in server.incoming_requests() {
        answer(request, directory);
    }
    Ok(())
}

fn answer(request: Request, directory: &Path) {
    let file = (*request.method() == Method::Get || *request.method() == Method::Head)
        .then(|| file_for(request.url(), directory))
        .flatten()
        .and_then(|path| Some((std::fs::File::open(&path).ok()?, content_type(&path))));
    // A browser that has gone away is no error.
    let _ = match file {
        Some((file, content_type)) => {
            let mut response = Response::from_file(file);
            for (name, value) in [("Content-Type", content_type), ("Cache-Control", "no-cache")] {
                response.add_header(header(name, value));
            }
            request.respond(response)
        }
        None => request.respond(Response::from_string("Not found\n").with_status_code(404)),
    };
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap_or_else(|()| unreachable!("headers are constants"))
}

/// The file that an address names; `None` where it points out of the directory.
fn file_for(url: &str, directory: &Path) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let relative = Path::new(if path.is_empty() { "index.html" } else { path });
    let stays_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let file = directory.join(relative);
    (stays_inside && file.is_file()).then_some(file)
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        // To be read, not to be saved.
        Some("md") => "text/plain; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::file_for;
    use std::path::Path;

    #[test]
    fn no_address_leads_out_of_the_directory() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
        assert!(file_for("/hardware/tpu-like.yaml?x#y", &directory).is_some());
        for url in ["/../Cargo.toml", "/hardware/../../Cargo.toml", "//etc/passwd", "/nothing", "/hardware"] {
            assert!(file_for(url, &directory).is_none(), "{url}");
        }
    }
}
