//! The MPI libraries that may be installed: how programs are built and launched with each.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use duct::Expression;

use crate::workspace;

/// An MPI library that may be installed.
#[derive(Clone, Copy)]
pub(super) struct Library {
    pub(super) name: &'static str,
    /// Compiler wrappers and launchers, the most specific name first.
    compilers: &'static [&'static str],
    pub(super) launchers: &'static [&'static str],
    /// The setting of debug information for rsmpi's binding, by which cargo distinguishes the builds for different libraries.
    mark: &'static str,
}

pub(super) const OPEN_MPI: Library =
    Library { name: "Open MPI", compilers: &["mpicc.openmpi"], launchers: &["mpirun.openmpi"], mark: "limited" };

pub(super) const MPICH: Library =
    Library { name: "MPICH", compilers: &["mpicc.mpich"], launchers: &["mpiexec.mpich"], mark: "full" };

pub(super) enum Built {
    /// The programs lie in this folder.
    In(PathBuf),
    Missing(String),
}

impl Library {
    /// The library's name and version, if it is installed.
    pub(super) fn version(self) -> Option<String> {
        let launcher = self.launchers.iter().find(|name| on_path(name).is_some())?;
        let said = as_root(duct::cmd!(*launcher, "--version")).read().ok()?;
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        Some(format!("{} {}", self.name, said.split_whitespace().find(is_number)?))
    }

    /// Builds programs for tests. Everything that does not depend on MPI is shared with the other tests. For that the features must be the same, and features
    /// of development dependencies count only if a test is built, too. The test `idle` exists already.
    pub(super) fn build(self, programs: &[&str]) -> anyhow::Result<Built> {
        let features = format!("mpi,{}", workspace::FEATURES);
        self.compile("dev", &["--workspace", "--features", &features, "--test", "idle"], programs)
    }

    /// Builds a program of a package for measurements.
    pub(super) fn build_release(self, package: &str, program: &str) -> anyhow::Result<Built> {
        self.compile("release", &["--package", package, "--features", "mpi"], &[program])
    }

    /// All builds share one folder. Cargo does not see that rsmpi's binding asks `MPICC` which library it is for. It does see a different profile, and so
    /// keeps a build of the binding, and of everything that depends on it, for each library. Of the programs, only those built last are kept.
    fn compile(self, profile: &str, what: &[&str], programs: &[&str]) -> anyhow::Result<Built> {
        let find = |names: &'static [&str]| names.iter().find_map(|name| on_path(name));
        let (Some(compiler), Some(_)) = (find(self.compilers), find(self.launchers)) else {
            let names = [self.compilers, self.launchers].concat().join(", ");
            return Ok(Built::Missing(format!("{} ({names} not found)", self.name)));
        };
        let mark = format!("profile.{profile}.package.mpi-sys.debug={:?}", self.mark);
        let mut arguments = vec!["build", "--quiet", "--profile", profile, "--config", &mark];
        arguments.extend(what);
        arguments.extend(programs.iter().flat_map(|program| ["--bin", program]));
        let build = workspace::cargo(arguments).env("MPICC", compiler);
        build.run().with_context(|| format!("{} does not build with {}", programs.join(", "), self.name))?;
        Ok(Built::In(workspace::target().join(if profile == "dev" { "debug" } else { profile })))
    }

    /// Launches a program on `ranks` ranks of this host.
    pub(super) fn launch(self, program: &Path, ranks: usize, arguments: &[&str]) -> Expression {
        self.launch_with(&[], program, ranks, arguments)
    }

    /// As `launch`, with options for the launcher.
    pub(super) fn launch_with(self, options: &[&str], program: &Path, ranks: usize, arguments: &[&str]) -> Expression {
        let (ranks, program) = (ranks.to_string(), program.display().to_string());
        let mut all = Vec::new();
        if self.mark == OPEN_MPI.mark {
            // A rank has several threads; if it were bound to one core, they would wait for each other.
            all.extend(["--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"]);
        }
        all.extend(options.iter().chain(&["-n", &ranks, &program]).chain(arguments));
        as_root(duct::cmd(self.launchers[0], all))
    }
}

/// Lets Open MPI run as root, which is usual in containers.
pub(super) fn as_root(command: Expression) -> Expression {
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
}

/// The path of a program, if it is installed.
pub(super) fn on_path(tool: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let sbin = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path).chain(sbin).map(|folder| folder.join(tool)).find(|file| file.is_file())
}
