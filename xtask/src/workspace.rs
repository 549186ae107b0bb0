//! The workspace: its folders, its packages, and how its cargo is called.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::Context;
use cargo_metadata::{MetadataCommand, Package};
use duct::Expression;

/// The features that are tested and linted beyond the default ones. A feature that needs a system library also needs a line in `packages`.
pub(crate) const FEATURES: &str = "fusain-pool/rayon,fusain-pool/tracing,fusain-topology/hwloc,fusain-topology/serde,fusain-examples/hwloc,fusain-examples/tracing";

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// The folder for builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Makes an empty folder below the folder for builds.
pub(crate) fn fresh(name: &str) -> anyhow::Result<PathBuf> {
    let folder = target().join(name);
    clear(&folder)?;
    Ok(folder)
}

/// Makes the folder, or removes everything in it.
pub(crate) fn clear(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot clear {}", folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Gives a package outside the workspace the versions with which the workspace is tested.
pub(crate) fn copy_lock(folder: &Path) -> anyhow::Result<()> {
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    Ok(())
}

/// The packages of the workspace.
pub(crate) fn packages() -> anyhow::Result<Vec<Package>> {
    let metadata = MetadataCommand::new().current_dir(root()).no_deps().exec();
    Ok(metadata.context("cargo metadata does not answer")?.packages)
}

/// The cargo that runs this xtask, called in the workspace's folder.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Expression {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    duct::cmd(cargo, arguments).dir(root())
}
