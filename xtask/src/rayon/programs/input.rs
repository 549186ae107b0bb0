//! The input of the programs: a folder tree of sources, and pictures. Both are the same each time.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::rayon::sources;
use crate::workspace;

/// The tree, below the folder of the input.
pub(super) const TREE: &str = "tree";

/// The folders that the tree has copies of, and the number of copies.
const SOURCES: [&str; 4] = ["benches", "crates", "examples", "xtask"];
const COPIES: usize = 16;

/// Pixels on a side of a picture.
const PIXELS: u32 = 512;

/// A function that gives the colour of each pixel.
type Picture = fn(u32, u32) -> [u8; 3];

/// A gradient, in which neighbours differ by little.
fn smooth(x: u32, y: u32) -> [u8; 3] {
    [x / 2, y / 2, (x + y) / 4].map(|colour| colour as u8)
}

/// Rings of few colours, as in drawings.
fn drawing(x: u32, y: u32) -> [u8; 3] {
    const COLOURS: [[u8; 3]; 5] = [[255, 255, 255], [20, 30, 60], [200, 40, 40], [240, 200, 60], [60, 140, 90]];
    let (dx, dy) = (x.abs_diff(200), y.abs_diff(300));
    COLOURS[((dx * dx + dy * dy) / 3000) as usize % COLOURS.len()]
}

/// Greys with noise, as in photographs.
fn grained(x: u32, y: u32) -> [u8; 3] {
    let noise = (x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35) >> 28;
    [((x + y) / 5 + noise) as u8; 3]
}

/// Writes the whole input, and returns its folder.
pub(super) fn lay_out() -> anyhow::Result<PathBuf> {
    let folder = workspace::fresh("rayon-programs/input")?;
    for copy in 0..COPIES {
        for source in SOURCES {
            sources::copy(
                &workspace::root().join(source),
                &folder.join(TREE).join(copy.to_string()).join(source),
                &[""],
            )?;
        }
    }
    let pictures = folder.join("pictures");
    workspace::clear(&pictures)?;
    for (name, picture) in [("smooth", smooth as Picture), ("drawing", drawing), ("grained", grained)] {
        let path = pictures.join(name).with_extension("png");
        draw(picture, &path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(folder)
}

fn draw(picture: Picture, path: &Path) -> anyhow::Result<()> {
    let mut encoder = png::Encoder::new(BufWriter::new(fs::File::create(path)?), PIXELS, PIXELS);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let rows = 0..PIXELS;
    let bytes: Vec<u8> = rows.flat_map(|y| (0..PIXELS).flat_map(move |x| picture(x, y))).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    Ok(writer.finish()?)
}
