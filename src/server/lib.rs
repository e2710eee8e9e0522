//! Serves the page to this machine only: `fusescape serve`, and `make serve` before that is built.
//!
//! The page is public, but not every client of this server is the person who started it: other pages in the same
//! browser can send requests, and by a host name of theirs that leads here (DNS rebinding) they could read the answers,
//! too. So only local host names are answered, and nothing outside of the folder. A connection is a task of its own
//! with time limits, so that slow or silent clients do not block others. `docs/hosting.md` asks other hosts for the
//! headers that `headers.rs` sends.

mod folder;
mod headers;

use folder::Folder;
use headers::{is_local, stamp};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;
use tower_http::services::ServeDir;
use tower_http::services::fs::DefaultServeDirFallback;

/// Time for a client to send the header of a request; also the limit on idle connections.
const HEADER_TIME: Duration = Duration::from_secs(15);
/// Time after which a client that does not read its answer is dropped.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// Limit on the header of a request, bytes; links are in the fragment of an address, which browsers do not send.
const MOST_HEADER_BYTES: usize = 16 * 1024;
/// Limit on the fields of a request's header.
const MOST_HEADERS: usize = 64;
/// Pause before the next connection is accepted, if the system has no room for one more.
const BREATH: Duration = Duration::from_millis(50);
/// Number of threads that read files.
const READERS: usize = 8;

type Body = UnsyncBoxBody<Bytes, io::Error>;
type ServedFiles = ServeDir<DefaultServeDirFallback, Folder>;

/// The reason why a page cannot be served, for a person.
pub type ServeFailure = Box<dyn std::error::Error>;

/// Serves `directory` until it is stopped. Once it accepts requests, `announce` is called with its address.
///
/// # Errors
/// If there is no page, it is not built, or the port cannot be used; and errors of `announce`.
pub fn serve(
    port: u16,
    directory: &Path,
    announce: impl FnOnce(&str) -> Result<(), ServeFailure>,
) -> Result<(), ServeFailure> {
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
    let files = files(directory)?;
    // Systems allow a program few open files at first, and every connection is one. If the limit cannot be raised, the
    // present one is enough.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(READERS).build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .map_err(|error| format!("Port {port} cannot be used: {error}. Choose another with --port"))?;
        announce(&format!("http://localhost:{}/", listener.local_addr()?.port()))?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    // Answers are sent at once instead of being collected.
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(converse(stream, files.clone()));
                }
                // The client has left already, or files have run out: other connections are not affected.
                Err(_) => tokio::time::sleep(BREATH).await,
            }
        }
    })
}

fn files(directory: &Path) -> io::Result<ServedFiles> {
    let folder = Folder::new(directory)?;
    Ok(ServeDir::with_backend(folder.root.clone(), folder))
}

/// Answers all requests of one connection.
async fn converse(stream: impl AsyncRead + AsyncWrite + Send + 'static, files: ServedFiles) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIME));
    let service = service_fn(|request| answer(request, files.clone()));
    // A browser that has gone away is no error.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_headers(MOST_HEADERS)
        .max_header_size(MOST_HEADER_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .await;
}

async fn answer(request: Request<Incoming>, files: ServedFiles) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path().to_owned();
    let mut response = if !is_local(&request) {
        refusal(StatusCode::MISDIRECTED_REQUEST, "This server answers to `localhost` only.\n")
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, "This server gives files, and takes nothing.\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        response
    } else {
        let response = files.oneshot(request).await.unwrap_or_else(|never| match never {});
        if response.status() == StatusCode::NOT_FOUND {
            refusal(StatusCode::NOT_FOUND, "There is no such file.\n")
        } else {
            response.map(|body| body.boxed_unsync())
        }
    };
    stamp(&mut response, &path);
    Ok(response)
}

fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let body = http_body_util::Full::from(text).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::{HEADER_TIME, WRITE_TIME, converse, files};
    use std::path::Path;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;

    /// Time for which a server keeps a client, on a clock that stands still during work.
    async fn stays(client: impl AsyncFnOnce(&mut DuplexStream)) -> Duration {
        let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
        let (mut stream, server) = duplex(1024);
        let start = Instant::now();
        let serving = tokio::spawn(converse(server, files));
        client(&mut stream).await;
        serving.await.unwrap();
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_silent_or_takes_nothing_is_left_after_a_time() {
        let about = |time: Duration, limit: Duration| time >= limit && time < limit + Duration::from_secs(2);
        let silent = stays(async |_| {}).await;
        assert!(about(silent, HEADER_TIME), "{silent:?}");
        let half = stays(async |stream| stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap()).await;
        assert!(about(half, HEADER_TIME), "{half:?}");
        let large = b"GET /Cargo.lock HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let takes_nothing = stays(async |stream| stream.write_all(large).await.unwrap()).await;
        assert!(about(takes_nothing, WRITE_TIME), "{takes_nothing:?}");
        let idle = stays(async |stream| {
            stream.write_all(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
            let mut answer = [0; 1024];
            assert!(stream.read(&mut answer).await.unwrap() > 0);
        });
        assert!(about(idle.await, HEADER_TIME));
    }
}
