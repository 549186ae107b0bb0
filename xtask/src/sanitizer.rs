//! Common parts of the verbs with a sanitizer: nightly's cargo, and the prebuilt standard library.
//!
//! Building the standard library would need the rust-src component. Without it, a sanitizer does not see what std's precompiled code does.
//! It sees the code that is compiled here: our crates, their dependencies, and the generics of std that they use.

use anyhow::bail;

use crate::{tools, workspace};

/// The platform whose prebuilt std links with the sanitizers.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// `cargo test` under the sanitizer of this name, in a separate build folder; `options` are for the sanitizer, `arguments` for cargo.
pub(crate) fn test(
    sanitizer: &str,
    options: (&str, String),
    packages: &[&str],
    arguments: &[&str],
) -> anyhow::Result<duct::Expression> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        bail!("sanitizers are set up for {TARGET} only");
    }
    let folder = workspace::target().join(sanitizer).display().to_string();
    let fixed = ["test", "--target", TARGET, "--target-dir", &folder, "--no-fail-fast"];
    let (nightly, packages) = (tools::nightly()?, packages.iter().flat_map(|package| ["--package", package]));
    let arguments = fixed.into_iter().chain(packages).chain(arguments.iter().copied());
    Ok(tools::cargo(&nightly, arguments)
        .dir(workspace::root())
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer"))
        .env(options.0, options.1))
}
