//! The accepted host names, and the headers of every answer. `docs/hosting.md` asks the same of other hosts.

use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::uri::Authority;
use hyper::{Request, Response};
use std::net::IpAddr;

/// Also in the `<meta>` of the page, for hosts that send no headers.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src \
    'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'";
/// Only possible as a header: no other page may frame this one and trick a person into clicking on invisible parts.
pub const OWN_FRAMES: &str = "; frame-ancestors 'self'";
/// The page that is meant to be framed.
const EMBED: &str = "/embed.html";

/// For all files.
const FOR_ALL: [(HeaderName, &str); 3] = [
    // Always revalidated, so that a new build is visible at once.
    (CACHE_CONTROL, "no-cache"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
];

/// Whether a request is meant for this machine, by every name in it.
pub fn is_local<B>(request: &Request<B>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let named = hosts.next().and_then(|host| Authority::try_from(host.as_bytes()).ok());
    // A request without a host name, or with two, does not come from a browser.
    hosts.next().is_none()
        && named.is_some_and(|named| is_this_machine(named.host()))
        && request.uri().authority().is_none_or(|named| is_this_machine(named.host()))
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Sets the headers of the answer to a request for `path`.
pub fn stamp<B>(response: &mut Response<B>, path: &str) {
    let headers = response.headers_mut();
    for (name, value) in FOR_ALL {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let frames = if path == EMBED { "" } else { OWN_FRAMES };
    if let Ok(policy) = HeaderValue::from_str(&format!("{POLICY}{frames}")) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    name_encoding(headers);
}

/// All texts are UTF-8. Markdown is displayed, not downloaded.
fn name_encoding(headers: &mut HeaderMap) {
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec());
    let kind = match kind.as_deref() {
        None | Some(b"text/markdown") => "text/plain; charset=utf-8",
        Some(b"text/html") => "text/html; charset=utf-8",
        Some(b"text/css") => "text/css; charset=utf-8",
        Some(b"text/javascript") => "text/javascript; charset=utf-8",
        Some(_) => return,
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
}

#[cfg(test)]
mod tests {
    use super::{OWN_FRAMES, POLICY, is_local, is_this_machine};
    use hyper::Request;
    use std::path::Path;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["", "example.org", "localhost.example.org", "127.0.0.1.example.org", "192.168.0.1", "0.0.0.0", "[::]"]
        {
            assert!(!is_this_machine(host), "{host}");
        }
        let asks = |uri: &str, hosts: &[&str]| {
            let request = hosts.iter().fold(Request::get(uri), |request, host| request.header("host", *host));
            is_local(&request.body(()).unwrap())
        };
        assert!(asks("/", &["localhost:8080"]) && asks("http://localhost:8080/", &["localhost:8080"]));
        assert!(!asks("/", &[]) && !asks("/", &["localhost", "localhost"]) && !asks("/", &["a b"]));
        assert!(!asks("http://example.org/", &["localhost"]) && !asks("/", &["example.org"]));
    }

    #[test]
    fn the_pages_and_the_docs_say_the_same_policy() {
        let text = |file: &str| {
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).unwrap()
        };
        for page in ["www/index.html", "www/embed.html"] {
            assert!(text(page).contains(&format!("content=\"{POLICY}\"")), "{page}");
        }
        assert!(text("docs/hosting.md").contains(&format!("{POLICY}{OWN_FRAMES}\n")));
    }
}
