//! Where the workspace lies, and how its cargo is called.

use std::env;
use std::path::{Path, PathBuf};

use duct::Expression;

/// What is tested and linted beyond the default features; a feature that needs a system library also needs a line in `packages`.
pub(crate) const FEATURES: &str = "fusain-pool/rayon,fusain-pool/tracing,fusain-topology/hwloc,fusain-topology/serde,fusain-examples/hwloc,fusain-examples/tracing";

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Where builds go.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The cargo that runs this xtask, called in the workspace's folder.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Expression {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    duct::cmd(cargo, arguments).dir(root())
}
