//! `cargo xtask compare compile`: the time to compile a program with our slice calls, and with rayon's.
//!
//! The programs of both sides are written to `target/compare-compile`: the same calls, each with its own closure, in programs of 1, 10 and 40 calls. They are
//! built with cargo's own profiles, as a user's program is. *Cold* is the program of one call with all its dependencies, *warm* the program alone after a
//! change of its file. A figure is our median over rayon's, so below 1 we are ahead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use object::{Object, ObjectSection, SectionKind};

use crate::table::table;
use crate::turns::{in_turn, median};
use crate::workspace;

/// The numbers of calls of the programs.
const CALLS: [usize; 3] = [1, 10, 40];

const PROFILES: [Profile; 2] = [
    Profile { name: "release", folder: "release", option: &["--release"] },
    Profile { name: "debug", folder: "debug", option: &[] },
];

/// The number of builds of each kind and side.
const SAMPLES: usize = 3;

struct Profile {
    name: &'static str,
    folder: &'static str,
    option: &'static [&'static str],
}

/// The element types: the name, and expressions for a key and for one value.
const TYPES: [(&str, &str, &str); 3] = [("i32", "*x", "N"), ("f64", "*x", "N as f64"), ("Body", "x.mass", "body(N)")];

/// Calls on a slice `v`, as ours and as rayon's, with a closure that contains the number `N`.
const FORMS: [(&str, &str); 5] = [
    ("v.par_sort_by(|a, b| order(a, b, N));", "v.par_sort_by(|a, b| order(a, b, N));"),
    ("v.par_for_each_mut(|x| grow(x, N));", "v.par_iter_mut().for_each(|x| grow(x, N));"),
    (
        "count += v.par_filter(|x| KEY > (N as _)).len();",
        "count += v.par_iter().filter(|&x| KEY > (N as _)).copied().collect::<Vec<_>>().len();",
    ),
    (
        "show(&v.par_reduce(VALUE, |a, b| plus(a, b, N)));",
        "show(&v.par_iter().copied().reduce(|| VALUE, |a, b| plus(a, b, N)));",
    ),
    ("show(&v.par_position(|x| KEY == (N as _)));", "show(&v.par_iter().position_first(|x| KEY == (N as _)));"),
];

/// The beginning of each program, the same on both sides.
const HEAD: &str = "
use std::cmp::Ordering;
use std::fmt::Debug;
use std::hint::black_box;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Body {
    mass: f64,
    place: [f32; 3],
}

trait Number: Copy + PartialOrd {
    fn plus(self, n: i32) -> Self;
}

impl Number for i32 {
    fn plus(self, n: i32) -> Self {
        self.wrapping_add(n)
    }
}

impl Number for f64 {
    fn plus(self, n: i32) -> Self {
        self + f64::from(n)
    }
}

impl Number for Body {
    fn plus(self, n: i32) -> Self {
        Body { mass: self.mass + f64::from(n), ..self }
    }
}

fn body(n: i32) -> Body {
    Body { mass: f64::from(n), place: [0.0; 3] }
}

fn order<T: Number>(a: &T, b: &T, n: i32) -> Ordering {
    a.plus(n).partial_cmp(&b.plus(n)).unwrap_or(Ordering::Equal)
}

fn grow<T: Number>(x: &mut T, n: i32) {
    *x = x.plus(n);
}

fn plus<T: Number>(a: T, b: T, n: i32) -> T {
    if a < b { a.plus(n) } else { b }
}

fn show(x: &impl Debug) {
    println!(\"{x:?}\");
}
";

/// One side: its programs, and the folder where they are built.
struct Side {
    name: &'static str,
    folder: PathBuf,
}

impl Side {
    /// Writes the programs.
    fn lay_out(name: &'static str, dependency: &str, form: impl Fn(&(&str, &str)) -> String) -> anyhow::Result<Self> {
        let folder = workspace::target().join("compare-compile").join(name);
        let manifest = format!(
            "[package]\nname = \"calls\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependency}\n"
        );
        let bins = folder.join("src/bin");
        fs::create_dir_all(&bins).with_context(|| format!("cannot make {}", bins.display()))?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        workspace::copy_lock(&folder)?;
        for calls in CALLS {
            let calls_text: String = (0..calls).map(|n| call(n, &form)).collect();
            let text = format!(
                "#![allow(unused)]\nuse {name}::prelude::*;\n{HEAD}\nfn main() {{\n    let mut count = 0;\n{calls_text}    show(&count);\n}}\n"
            );
            fs::write(bins.join(format!("calls_{calls}.rs")), text)?;
        }
        Ok(Self { name, folder })
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// The time that cargo takes to build the program of `calls` calls.
    fn build(&self, profile: &Profile, calls: usize) -> anyhow::Result<Duration> {
        let program = format!("calls_{calls}");
        let (manifest, target) =
            (self.folder.join("Cargo.toml").display().to_string(), self.target().display().to_string());
        let arguments =
            ["build", "--quiet", "--offline", "--manifest-path", &manifest, "--target-dir", &target, "--bin", &program];
        let command = workspace::cargo(arguments.into_iter().chain(profile.option.iter().copied()));
        let start = Instant::now();
        command.run().with_context(|| format!("the program of {calls} calls of {} is not built", self.name))?;
        Ok(start.elapsed())
    }

    /// Builds as if for the first time.
    fn cold(&self, profile: &Profile) -> anyhow::Result<Duration> {
        workspace::clear(&self.target().join(profile.folder))?;
        self.build(profile, CALLS[0])
    }

    /// Builds the program alone, as if its file had been changed.
    fn warm(&self, profile: &Profile, calls: usize) -> anyhow::Result<Duration> {
        let source = self.folder.join(format!("src/bin/calls_{calls}.rs"));
        fs::File::options().write(true).open(&source)?.set_modified(SystemTime::now())?;
        self.build(profile, calls)
    }

    /// The number of bytes of machine code in the optimised program.
    fn text(&self, calls: usize) -> anyhow::Result<f64> {
        let path = self.target().join(PROFILES[0].folder).join(format!("calls_{calls}"));
        machine_code(&path).with_context(|| format!("cannot read {}", path.display()))
    }
}

/// The `n`th call of a program, in a separate block.
fn call(n: usize, form: &impl Fn(&(&str, &str)) -> String) -> String {
    let (element, key, value) = TYPES[n / FORMS.len() % TYPES.len()];
    let line = form(&FORMS[n % FORMS.len()]).replace("KEY", key).replace("VALUE", value).replace('N', &n.to_string());
    // Not every form changes its slice.
    format!(
        "    {{\n        let mut v: Vec<{element}> = vec![black_box({}); black_box(1000)];\n        let v = &mut v[..];\n        {line}\n        black_box(v);\n    }}\n",
        value.replace('N', &n.to_string())
    )
}

/// The total length of the sections with machine code.
fn machine_code(program: &Path) -> anyhow::Result<f64> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes)?;
    Ok(file.sections().filter(|section| section.kind() == SectionKind::Text).map(|section| section.size() as f64).sum())
}

pub(crate) fn run(options: &[String]) -> anyhow::Result<ExitCode> {
    let is_smoke = options.iter().any(|option| option == "--smoke");
    let (samples, calls) = if is_smoke { (1, &CALLS[..1]) } else { (SAMPLES, &CALLS[..]) };
    let crate_folder = workspace::root().join("crates/fusain").display().to_string();
    let rayon = Side::lay_out("rayon", "rayon = \"1\"", |form| form.1.to_owned())?;
    let ours = Side::lay_out("fusain", &format!("fusain = {{ path = {crate_folder:?} }}"), |form| form.0.to_owned())?;
    let sides = [&rayon, &ours];

    let bar = ProgressBar::new((PROFILES.len() * (1 + calls.len()) * samples * 2) as u64);
    bar.set_style(ProgressStyle::with_template("{msg:24} {bar:40} {pos}/{len} builds, {eta} left")?);
    let taken = |time: Duration| {
        bar.inc(1);
        Ok(time.as_secs_f64())
    };
    let mut table = table(&["what", "rayon", "ours", "ours over rayon"]);
    let mut keys = Vec::new();
    let mut row = |label: &str, key: Option<String>, [theirs, ours]: [f64; 2], unit: &str| {
        let ratio = ours / theirs;
        table.add_row([label, &format!("{theirs:.2} {unit}"), &format!("{ours:.2} {unit}"), &format!("{ratio:.2}")]);
        keys.extend(key.map(|key| format!("{key}={ratio:.2}")));
    };
    for profile in &PROFILES {
        bar.set_message(format!("cold, {}", profile.name));
        let times = in_turn(sides, samples, |side| taken(side.cold(profile)?))?.map(median);
        row(&format!("cold, {}", profile.name), Some(format!("cold_{}", profile.name)), times, "s");
    }
    for profile in &PROFILES {
        for &calls in calls {
            bar.set_message(format!("warm, {}, {calls} calls", profile.name));
            // The additional work of the first build of this program is not part of the figure.
            for side in sides {
                side.build(profile, calls)?;
            }
            let times = in_turn(sides, samples, |side| taken(side.warm(profile, calls)?))?.map(median);
            row(
                &format!("warm, {}, calls: {calls}", profile.name),
                Some(format!("warm_{}_{calls}", profile.name)),
                times,
                "s",
            );
        }
    }
    let mut text_key = Some("text".to_owned());
    for &calls in calls.iter().rev() {
        let kib = [rayon.text(calls)? / 1024.0, ours.text(calls)? / 1024.0];
        row(&format!("machine code, calls: {calls}"), text_key.take(), kib, "KiB");
    }
    bar.finish_and_clear();
    println!("{table}");
    println!("compile: {}", keys.join(" "));
    Ok(ExitCode::SUCCESS)
}
