//! The allowed dependencies between crates.

use cargo_metadata::DependencyKind;

use crate::workspace;

/// Each crate, and the crates of the workspace that it may depend on. Development dependencies are not restricted.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "fusain",
        &[
            "fusain-algorithms",
            "fusain-iter",
            "fusain-cluster",
            "fusain-schedule",
            "fusain-topology",
            "fusain-pool",
            "fusain-comm",
        ],
    ),
    ("fusain-algorithms", &["fusain-pool"]),
    ("fusain-iter", &["fusain-algorithms", "fusain-pool"]),
    ("fusain-cluster", &["fusain-pool", "fusain-comm"]),
    ("fusain-schedule", &["fusain-comm"]),
    ("fusain-topology", &["fusain-comm"]),
    ("fusain-pool", &[]),
    ("fusain-comm", &[]),
    ("rayon-core", &["fusain-pool"]),
    ("fusain-testkit", &["fusain-algorithms", "fusain-pool"]),
    ("fusain-testkit-comm", &["fusain-comm"]),
    ("fusain-testkit-cluster", &["fusain-cluster", "fusain-comm", "fusain-pool"]),
    ("fusain-testkit-schedule", &["fusain-comm", "fusain-schedule"]),
];

/// A crate of the workspace.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// Whether it is in `crates/`.
    pub(super) is_crate: bool,
    /// Its dependencies within the workspace, without those of tests.
    dependencies: Vec<String>,
}

/// The packages of the workspace, as cargo reports them.
pub(super) fn packages() -> anyhow::Result<Vec<Package>> {
    let crates = workspace::root().join("crates");
    Ok(workspace::packages()?
        .into_iter()
        .map(|package| Package {
            name: package.name.to_string(),
            is_crate: package.manifest_path.starts_with(&crates),
            dependencies: package
                .dependencies
                .into_iter()
                .filter(|dependency| dependency.kind != DependencyKind::Development)
                // A package of the registry may have the name of one of ours.
                .filter(|dependency| dependency.path.is_some())
                .map(|dependency| dependency.name)
                .collect(),
        })
        .collect())
}

/// Checks that every dependency is one of [`ARROWS`], and that every crate is listed there.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages.iter().filter(|package| package.is_crate) {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            complaints.push(format!("{}: what it may depend on is not said in xtask/src/tidy/arrows.rs", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            if !allowed.contains(&dependency.as_str()) {
                complaints
                    .push(format!("{}: must not depend on {dependency} (xtask/src/tidy/arrows.rs)", package.name));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependencies = dependencies.iter().map(|name| (*name).to_owned()).collect();
        Package { name: name.to_owned(), is_crate: true, dependencies }
    }

    #[test]
    fn an_arrow_up_is_named() {
        let complaints = check(&[package("fusain-pool", &["fusain-algorithms"]), package("fusain", &["fusain-pool"])]);
        assert_eq!(complaints, ["fusain-pool: must not depend on fusain-algorithms (xtask/src/tidy/arrows.rs)"]);
    }

    #[test]
    fn an_unknown_crate_is_named() {
        assert_eq!(check(&[package("fusain-cellar", &[])]).len(), 1);
    }
}
