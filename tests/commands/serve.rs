//! `fusescape serve` with requests of browsers, and with misuse.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Longest wait for an answer.
const FOR_EVER: Duration = Duration::from_secs(60);

/// A server of its own, for a folder of its own.
struct Server {
    process: Child,
    port: u16,
    folder: PathBuf,
}

impl Server {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("site/pkg")).unwrap();
        std::fs::create_dir_all(folder.join("site/.git")).unwrap();
        for (file, text) in [
            ("site/index.html", "the page"),
            ("site/embed.html", "the embed"),
            ("site/main.js", "// ö"),
            ("site/pkg/a.wasm", "\0asm"),
            ("site/EMBED.md", "# read"),
            ("site/.git/config", "secret"),
            ("site/.env", "secret"),
            ("secret", "secret"),
        ] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Self::of(folder)
    }

    fn of(folder: PathBuf) -> Self {
        let mut process = crate::program()
            .args(["serve", "--port", "0", "--directory", folder.join("site").to_str().unwrap()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("localhost:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
        Self { process, port, folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(FOR_EVER)).unwrap();
        stream.set_write_timeout(Some(FOR_EVER)).unwrap();
        stream
    }

    /// The answer until the server closes the connection.
    fn answer_to(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // A client that is rejected early need not send everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str, more: &str) -> String {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{more}\r\n", self.port);
        self.answer_to(request.as_bytes())
    }

    fn is_well(&self) {
        let answer = self.get("/", "");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("the page"), "{answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next()?;
    head.lines().find_map(|line| {
        line.split_once(": ").filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    })
}

#[test]
fn files_come_with_their_types_and_with_headers_that_protect_the_page() {
    let server = Server::new("serve-files");
    for (path, kind, body) in [
        ("/", "text/html; charset=utf-8", "the page"),
        ("/index.html?a=b", "text/html; charset=utf-8", "the page"),
        ("/embed.html", "text/html; charset=utf-8", "the embed"),
        ("/main.js", "text/javascript; charset=utf-8", "// ö"),
        ("/pkg/a.wasm", "application/wasm", "\0asm"),
        ("/EMBED.md", "text/plain; charset=utf-8", "# read"),
    ] {
        let answer = server.get(path, "");
        assert_eq!((status(&answer), header(&answer, "content-type")), ("200", Some(kind)), "{path}");
        assert!(answer.ends_with(body), "{answer}");
        assert_eq!(header(&answer, "x-content-type-options"), Some("nosniff"), "{path}");
        let policy = header(&answer, "content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert_eq!(policy.ends_with("; frame-ancestors 'self'"), path != "/embed.html", "{path}: {policy}");
    }
}

#[test]
fn nothing_outside_of_the_folder_and_nothing_hidden_is_served() {
    let server = Server::new("serve-outside");
    let site = server.folder.join("site");
    for (link, target) in [("out", "../secret"), ("hidden", ".env"), ("folder", "..")] {
        std::os::unix::fs::symlink(target, site.join(link)).unwrap();
    }
    std::os::unix::fs::symlink("main.js", site.join("inside.js")).unwrap();
    assert_eq!(status(&server.get("/inside.js", "")), "200", "a link that stays inside is a file as any");
    for path in [
        "/out",
        "/hidden",
        "/folder/secret",
        "/.env",
        "/%2eenv",
        "/.git/config",
        "/../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "/pkg/..%2f..%2fsecret",
        "/..%5csecret",
        "//secret",
        "/pkg",
        "/pkg/",
        "/nothing",
        "/main.js/",
        "/main.js%00",
        "/%ff",
        "/%",
    ] {
        let answer = server.get(path, "");
        assert!(!answer.contains("secret"), "{path}: {answer}");
        assert_ne!(status(&answer), "200", "{path}: {answer}");
        assert!(answer.starts_with("HTTP/1.1 "), "{path}: {answer}");
    }
    server.is_well();
}

#[test]
fn a_file_is_sent_again_only_if_it_has_changed() {
    let server = Server::new("serve-caching");
    let first = server.get("/main.js", "");
    let tag = header(&first, "etag").unwrap();
    assert_eq!(header(&first, "cache-control"), Some("no-cache"));
    assert_eq!(status(&server.get("/main.js", &format!("If-None-Match: {tag}\r\n"))), "304");
    // With the same length, and within the same second.
    std::fs::write(server.folder.join("site/main.js"), "// ä").unwrap();
    let second = server.get("/main.js", &format!("If-None-Match: {tag}\r\n"));
    assert!(status(&second) == "200" && second.ends_with("// ä"), "{second}");
}

#[test]
fn other_names_other_methods_and_broken_requests_are_refused() {
    let server = Server::new("serve-hostile");
    let with =
        |lines: &str| format!("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n").into_bytes();
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("another host", b"GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n".into(), &["421"]),
        ("no host", b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n".into(), &["421"]),
        ("two hosts", with("Host: example.org\r\n"), &["421"]),
        (
            "an address of another host",
            b"GET http://example.org/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(),
            &["421"],
        ),
        (
            "a method that changes things",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
            &["405"],
        ),
        ("a tunnel", b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(), &["405"]),
        ("all of the server", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(), &["405"]),
        ("a body without end", with("Content-Length: 99999999999999\r\n"), &["200"]),
        ("a longer one", with("Content-Length: 18446744073709551615\r\n"), &["200", "400", "431"]),
        ("one beyond all numbers", with("Content-Length: 99999999999999999999999999\r\n"), &["400"]),
        ("a negative one", with("Content-Length: -1\r\n"), &["400"]),
        ("two lengths", with("Content-Length: 1\r\nContent-Length: 2\r\n"), &["400"]),
        (
            "a piece without end",
            [with("Transfer-Encoding: chunked\r\n"), b"ffffffffffffffff\r\n".to_vec()].concat(),
            &["200", "400"],
        ),
        ("ranges without end", with(&format!("Range: bytes={}\r\n", "0-1,".repeat(1000))), &["200", "206", "416"]),
        ("a range beyond", with("Range: bytes=99999999999999999999-\r\n"), &["200", "416"]),
        ("a header of 1 MB", with(&format!("X: {}\r\n", "x".repeat(1 << 20))), &["431", "none"]),
        ("10,000 headers", with(&"X: x\r\n".repeat(10_000)), &["431", "none"]),
        (
            "an address of 1 MB",
            format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20)).into_bytes(),
            &["414", "431", "none"],
        ),
        ("another protocol", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(10), &["400", "none"]),
        ("another version", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n".into(), &["400", "505"]),
        ("line ends in an address", b"GET /\r\nSet-Cookie: a=b HTTP/1.1\r\nHost: localhost\r\n\r\n".into(), &["400"]),
        ("bytes of no text", with("X: \u{0}\u{1}\r\n"), &["400"]),
    ];
    for (what, request, expected) in cases {
        let answer = server.answer_to(&request);
        assert!(expected.contains(&status(&answer)), "{what}: {answer:.300}");
        server.is_well();
    }
}

#[test]
fn many_fresh_servers_answer_all_the_connections_that_a_browser_opens_at_once() {
    let first = Server::new("serve-fresh");
    let folder = first.folder.clone();
    drop(first);
    for trial in 0..20 {
        let server = Server::of(folder.clone());
        let mut streams: Vec<TcpStream> = (0..12).map(|_| server.connect()).collect();
        // Kept alive: no connection is closed to make room for others.
        for round in 0..2 {
            for stream in &mut streams {
                stream.write_all(b"GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            }
            for (number, stream) in streams.iter_mut().enumerate() {
                let mut answer = [0; 12];
                let read = stream.read_exact(&mut answer);
                assert!(
                    read.is_ok() && answer == *b"HTTP/1.1 200",
                    "trial {trial}, round {round}, connection {number}: {read:?}"
                );
                let mut rest = [0; 4096];
                let mut all = Vec::new();
                while !all.ends_with("// ö".as_bytes()) {
                    let read = stream.read(&mut rest).unwrap();
                    assert!(read > 0, "trial {trial}: hung up");
                    all.extend_from_slice(&rest[..read]);
                }
            }
        }
    }
}

#[test]
fn a_thousand_who_are_silent_or_slow_keep_nobody_waiting() {
    let server = Server::new("serve-slow");
    std::fs::write(server.folder.join("site/large"), vec![0; 32 << 20]).unwrap();
    // Every connection is an open file, here and at the server. On a system that allows few files there are fewer
    // clients, as other tests of this process need some, too.
    let files = rlimit::increase_nofile_limit(4096).unwrap();
    let clients = files.saturating_sub(300).min(1200);
    assert!(clients > 400, "the system allows {files} open files");
    let idle: Vec<TcpStream> = (200..clients).map(|_| server.connect()).collect();
    let begun = |text: &str| {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let writers: Vec<TcpStream> = (0..100).map(|_| begun("GET / HT")).collect();
    // They read nothing of their answers.
    let readers: Vec<TcpStream> = (0..100).map(|_| begun("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")).collect();
    for _ in 0..10 {
        server.is_well();
    }
    drop((idle, writers, readers));
    server.is_well();
}
