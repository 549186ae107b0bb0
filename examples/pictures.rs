//! Draws the pictures of the guide into its folder.
//!
//! `cargo run --example pictures`

#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::fs;
use std::path::Path;

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/fusain/guide/src/pictures");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (name, drawn) in fusain_examples::pictures::all()? {
        let file = folder.join(name);
        fs::write(&file, drawn).with_context(|| file.display().to_string())?;
        println!("{}", file.display());
    }
    Ok(())
}
