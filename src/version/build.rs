//! Tells the commit that this is built from, where there is a repository, and the version with that. What is built by the profile `dev`
//! does not tell, so that a commit is no reason to compile anything again.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for file in ["HEAD", "logs/HEAD"] {
            if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", file]) {
                println!("cargo::rerun-if-changed={path}");
            }
        }
        if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
            println!("cargo::rustc-env=FUSESCAPE_COMMIT={commit}");
            version += &format!(" (commit {commit})");
        }
    }
    println!("cargo::rustc-env=FUSESCAPE_VERSION={version}");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
