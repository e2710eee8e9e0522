//! Tells the command line the commit that it is built from, where there is a repository, and its version with that.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=tools/commit.rs");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=FUSESCAPE_COMMIT={commit}");
        version += &format!(" (commit {commit})");
    }
    println!("cargo::rustc-env=FUSESCAPE_VERSION={version}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
