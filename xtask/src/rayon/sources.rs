//! The sources of packages of the registry: their folders, copies of them below `target/`, and removing tests from them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use walkdir::WalkDir;

use crate::workspace;

/// The test profile of the workspace, for a manifest. Packages with the same settings are compiled only once.
pub(super) const PROFILE: &str =
    "[profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package.\"*\"]\ndebug = false\n";

/// All packages that the workspace depends on; missing ones are fetched.
pub(super) fn metadata() -> anyhow::Result<Metadata> {
    MetadataCommand::new().current_dir(workspace::root()).exec().context("cargo metadata does not answer")
}

/// The package of that name that comes from the registry.
pub(super) fn package<'m>(metadata: &'m Metadata, name: &str) -> anyhow::Result<&'m Package> {
    let is_it = |package: &&Package| *package.name == name && package.source.is_some();
    metadata.packages.iter().find(is_it).with_context(|| format!("nothing of the workspace depends on {name}"))
}

/// The package's folder.
pub(super) fn folder(package: &Package) -> PathBuf {
    package.manifest_path.parent().expect("a manifest lies in a folder").as_std_path().to_owned()
}

/// Copies the files of a folder whose names end with one of `ends`, with their times, so that unchanged files are not compiled again.
pub(super) fn copy(from: &Path, to: &Path, ends: &[&str]) -> anyhow::Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry.with_context(|| format!("cannot walk {}", from.display()))?;
        let path = entry.path();
        if !entry.file_type().is_file() || !ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            continue;
        }
        let target = to.join(path.strip_prefix(from).expect("it was found below"));
        let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        write(&target, &text)?;
        set_time(&target, entry.metadata()?.modified()?)?;
    }
    Ok(())
}

/// Sets the time of a file's last change.
pub(super) fn set_time(path: &Path, time: SystemTime) -> anyhow::Result<()> {
    let set = fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time));
    set.with_context(|| format!("cannot set the time of {}", path.display()))
}

/// Writes a file, and makes its folder.
pub(super) fn write(path: &Path, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let folder = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Checks that of two programs, rayon's and ours, only the second contains this crate of ours.
pub(super) fn ensure_only_second_has(built: &[PathBuf; 2], name: &str) -> anyhow::Result<()> {
    // The path that panic messages of the crate contain.
    let trace = format!("{name}/src/").into_bytes();
    for (path, is_ours) in built.iter().zip([false, true]) {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let has_ours = bytes.windows(trace.len()).any(|window| window == trace);
        ensure!(has_ours == is_ours, "{} is built from the wrong crates", path.display());
    }
    Ok(())
}

/// The text without the test of that name; `None` if it has none.
pub(super) fn without(text: &str, test: &str) -> Option<String> {
    let name = text.find(&format!("\nfn {test}()"))?;
    let start = text[..=name].rfind("\n#[test]\n")?;
    let end = name + text[name..].find("\n}\n")? + 3;
    Some(format!("{}\n{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_test_is_left_out() {
        let text = "use a;\n\n#[test]\nfn one() {\n    if b {\n    }\n}\n\n#[test]\n#[c]\nfn two() {\n}\n\nfn d() {}\n";
        assert_eq!(without(text, "one").unwrap(), "use a;\n\n\n#[test]\n#[c]\nfn two() {\n}\n\nfn d() {}\n");
        assert_eq!(
            without(text, "two").unwrap(),
            "use a;\n\n#[test]\nfn one() {\n    if b {\n    }\n}\n\n\nfn d() {}\n"
        );
        assert_eq!(without(text, "three"), None);
    }
}
