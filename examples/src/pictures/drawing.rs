//! Writes the SVG documents of the pictures.

use std::fmt::{Display, Write};

/// The fill of one of two parts. The two colours can be told apart in print, too.
pub const FIRST: &str = "#b9d6ee";
/// The fill of the other part.
pub const SECOND: &str = "#f6c998";
/// The colour of lines and text.
pub const INK: &str = "#222222";
/// The fill of boxes in the background.
pub const PALE: &str = "#e6e6e6";

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The middle of the text is at the point.
    Middle,
}

/// The shapes so far. Places are `[x, y]` or `[x, y, width, height]`, from the top left corner.
#[derive(Debug)]
pub struct Drawing {
    width: u32,
    height: u32,
    shapes: String,
}

/// The message to `expect`: writing to a string cannot fail.
const ENDLESS: &str = "a string has room";

impl Drawing {
    /// Creates an empty drawing.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, shapes: String::new() }
    }

    /// A box.
    pub fn rectangle(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        writeln!(
            self.shapes,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="3" fill="{fill}" stroke="{INK}"/>"#
        )
        .expect(ENDLESS);
    }

    /// A line of text.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, text: impl Display) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
        };
        writeln!(self.shapes, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{INK}">{text}</text>"#)
            .expect(ENDLESS);
    }

    /// A box with a text in its middle.
    pub fn labelled(&mut self, place: [f64; 4], fill: &str, text: impl Display) {
        let [x, y, width, height] = place;
        self.rectangle(place, fill);
        self.text([x + width / 2.0, y + height / 2.0 + 4.5], Anchor::Middle, text);
    }

    /// A line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.path(from, to, "");
    }

    /// A dashed line.
    pub fn dashed(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.path(from, to, r#" stroke-dasharray="5 4""#);
    }

    /// A line with a tip at its end.
    pub fn arrow(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.path(from, to, r#" marker-end="url(#tip)""#);
    }

    fn path(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], more: &str) {
        writeln!(
            self.shapes,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{INK}" stroke-width="1.3"{more}/>"#
        )
        .expect(ENDLESS);
    }

    /// Returns the document. It has a white background, since the page around it may be dark.
    pub fn finish(self) -> String {
        let Self { width, height, shapes } = self;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="13">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>
<rect width="{width}" height="{height}" rx="6" fill="white"/>
{shapes}</svg>
"#
        )
    }
}
