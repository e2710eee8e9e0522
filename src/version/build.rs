//! Sets the commit of the build, if there is a repository, and the version with it. Builds with the profile `dev` leave
//! it out, so that a commit does not cause recompilation.

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
