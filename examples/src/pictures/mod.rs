//! The pictures of the guide. They are drawn from real data: a merge that is split, groups that are built.

pub mod drawing;
mod levels;
mod merge;
mod steal;

use fusain::topology::Result;

/// Returns the names and contents of the files.
///
/// # Errors
/// No error is expected, since the machine that is drawn is a constant.
pub fn all() -> Result<[(&'static str, String); 3]> {
    Ok([("merge.svg", merge::picture()), ("steal.svg", steal::picture()), ("levels.svg", levels::picture()?)])
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn the_guide_has_the_pictures_that_are_drawn() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/fusain/guide/src/pictures");
        for (name, drawn) in super::all().unwrap() {
            let kept = fs::read_to_string(format!("{folder}/{name}")).unwrap();
            assert!(kept == drawn, "{name} is out of date: cargo run --example pictures");
        }
    }
}
