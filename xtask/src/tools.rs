//! Tools that may be installed: programs, and toolchains beside the one that runs this xtask.

use anyhow::Context;
use duct::Expression;

/// Whether a program is installed, which is so if it prints its version.
pub(crate) fn has(program: &str) -> bool {
    duct::cmd!(program, "--version").stdout_null().stderr_null().run().is_ok()
}

/// The installed toolchain whose name begins with `begin`.
pub(crate) fn toolchain(begin: &str) -> anyhow::Result<Option<String>> {
    let list = duct::cmd!("rustup", "toolchain", "list").read().context("rustup is needed to find other toolchains")?;
    let name = list.lines().find(|line| line.starts_with(begin)).and_then(|line| line.split_whitespace().next());
    Ok(name.map(str::to_owned))
}

/// The nightly toolchain.
pub(crate) fn nightly() -> anyhow::Result<String> {
    toolchain("nightly")?.context("the nightly toolchain is needed; run: rustup toolchain install nightly")
}

/// The cargo of a toolchain.
pub(crate) fn cargo<'a>(toolchain: &'a str, arguments: impl IntoIterator<Item = &'a str>) -> Expression {
    // The variables that this xtask's own cargo has set must not reach the other cargo.
    duct::cmd("rustup", ["run", toolchain, "cargo"].into_iter().chain(arguments))
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
}
