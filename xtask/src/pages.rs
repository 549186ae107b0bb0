//! `cargo xtask pages`: takes pictures of the pages that people see first, for a person to check.
//!
//! A page can be free of warnings and still be hard to read: a table too wide, a plot that is missing, a heading out of place. README is
//! rendered by rustdoc; headless Chromium takes the pictures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::{doc, tools, workspace};

/// The names of Chromium on different systems.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Width and height of a picture, in pixels.
const SIZE: (u32, u32) = (1200, 2400);

/// Where to begin.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The report of `cargo xtask scaling`.
    #[arg(long, default_value = "report/index.html")]
    report: PathBuf,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let browser = BROWSERS.iter().copied().find(|name| tools::has(name));
    let browser = browser.context("Chromium is needed; run: sudo apt-get install --yes chromium")?;
    let report = workspace::root().join(&options.report);
    ensure!(report.is_file(), "there is no report yet; run: cargo xtask scaling --quick, or name one with --report");
    doc::all(false)?;
    let target = workspace::target();
    let out = target.join("pages");
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let pages = [
        ("readme", readme(&out)?),
        ("rustdoc", target.join("doc/fusain/index.html")),
        ("guide", target.join("doc/guide/first.html")),
        ("report", report),
    ];
    for (name, page) in pages {
        ensure!(page.is_file(), "there is no {}", page.display());
        let picture = out.join(name).with_extension("png");
        let arguments = [
            "--headless".to_owned(),
            // The pages are generated here, and in containers the sandbox often cannot be set up.
            "--no-sandbox".to_owned(),
            "--hide-scrollbars".to_owned(),
            format!("--window-size={},{}", SIZE.0, SIZE.1),
            format!("--screenshot={}", picture.display()),
            format!("file://{}", page.display()),
        ];
        duct::cmd(browser, arguments)
            .stdout_null()
            .stderr_null()
            .run()
            .with_context(|| format!("{browser} on {name}"))?;
        println!("{}", picture.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Renders the README as a page.
fn readme(out: &Path) -> anyhow::Result<PathBuf> {
    // Its links and plots are relative to the workspace's folder.
    let base = out.join("base.html");
    fs::write(&base, format!("<base href=\"file://{}/\">", workspace::root().display()))?;
    let arguments = ["README.md".into(), "--html-in-header".into(), base, "--output".into(), out.to_path_buf()];
    duct::cmd("rustdoc", arguments).dir(workspace::root()).run().context("rustdoc on README.md")?;
    Ok(out.join("README.html"))
}
