//! The C++ peers: one shared object, built at its best.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use crate::workspace;

const FLAGS: &[&str] = &["-O3", "-march=native", "-std=c++17", "-fopenmp", "-fopenmp-simd", "-shared", "-fPIC"];

/// Builds the shared object where the source is newer, and says where it is.
///
/// # Errors
///
/// Where there is no g++ or no TBB.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    let source = workspace::root().join("benches/peers/peers.cpp");
    let object = workspace::target().join("peers/libpeers.so");
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified());
    let changed = modified(&source).context("benches/peers/peers.cpp is gone")?;
    if modified(&object).is_ok_and(|built| built >= changed) {
        return Ok(object);
    }
    let folder = object.parent().expect("it lies in a folder");
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (from, to) = (source.display().to_string(), object.display().to_string());
    let arguments = [FLAGS, &[&from, "-o", &to, "-ltbb"]].concat();
    duct::cmd("g++", arguments).run().context("g++ cannot build the C++ peers (Debian: g++ libtbb-dev)")?;
    Ok(object)
}
