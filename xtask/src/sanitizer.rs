//! What the verbs with a sanitizer share: nightly's cargo, and the standard library as it comes.
//!
//! A standard library of its own would need the rust-src component. Without, a sanitizer does not see what std's precompiled code does,
//! and sees what is compiled here: our crates, their dependencies, and the generics of std that they use.

use anyhow::{Context, bail};

use crate::workspace;

/// The platform whose prebuilt std links with the sanitizers.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// `cargo test` under the sanitizer of this name, in a build folder of its own; `options` are for the sanitizer, `arguments` for cargo.
pub(crate) fn test(
    sanitizer: &str,
    options: (&str, String),
    packages: &[&str],
    arguments: &[&str],
) -> anyhow::Result<duct::Expression> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        bail!("sanitizers are set up for {TARGET} only");
    }
    let toolchain = duct::cmd!("rustup", "toolchain", "list").read().context("rustup is needed to find nightly")?;
    if !toolchain.lines().any(|line| line.starts_with("nightly")) {
        bail!("the nightly toolchain is needed; run: rustup toolchain install nightly");
    }
    let folder = workspace::target().join(sanitizer).display().to_string();
    let fixed = ["run", "nightly", "cargo", "test", "--target", TARGET, "--target-dir", &folder, "--no-fail-fast"];
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    let command = duct::cmd("rustup", fixed.into_iter().chain(packages).chain(arguments.iter().copied()));
    // duct hands the environment on; what this xtask's own cargo left in it must not reach the other toolchain's.
    Ok(command
        .dir(workspace::root())
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer"))
        .env(options.0, options.1))
}
