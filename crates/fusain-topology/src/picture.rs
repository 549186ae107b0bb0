//! A picture of a machine, in the style of `lstopo`: nested boxes, with the ranks and workers in their places.

use std::fmt::Write;

use crate::{CpuSet, Device, Kind, Machine, MemoryNode, Object};

/// Something that runs on a machine: a rank or one of its workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// A short text: `3`, or `3.1` for worker 1 of rank 3.
    pub label: String,
    /// Residents with the same number, such as a rank's workers, have the same colour.
    pub group: usize,
    /// The processing units where it may run.
    pub cpuset: CpuSet,
}

const FONT: f64 = 11.0;
/// The width of a letter, relative to the height of the font. Fonts differ; this is the width that DejaVu Sans, a wide font, needs for
/// `memory P#0`.
const LETTER: f64 = 0.68;
const GAP: f64 = 6.0;
const LINE: f64 = 16.0;
const UNIT_WIDTH: f64 = 50.0;
const BADGE_HEIGHT: f64 = 14.0;

/// Boxes are put side by side up to this width, or until the area that they fill is about `WIDE` times as wide as high.
const ROW_WIDTH: f64 = 400.0;
const WIDE: f64 = 1.8;

/// Draws an SVG document. Each resident is drawn in the lowest object that covers its cpuset.
///
/// O(objects · residents).
///
/// ```
/// use fusain_topology::{Kind, Machine, picture};
/// let machine = Machine::synthetic("Package:2 L2:1 Core:2").unwrap();
/// let cpuset = machine.nth(Kind::Package, 1).unwrap().clone();
/// let svg = picture::svg(&machine, &[picture::Resident { label: "0".to_owned(), group: 0, cpuset }]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// assert_eq!(svg.matches("class=\"PU\"").count(), 4);
/// ```
pub fn svg(machine: &Machine, residents: &[Resident]) -> String {
    let whole = measure(machine, machine.root(), residents);
    let (width, height) = (whole.width + 2.0 * GAP, whole.height + 2.0 * GAP);
    let mut out = String::new();
    write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" ").expect(ENDLESS);
    writeln!(out, "font-family=\"sans-serif\" font-size=\"{FONT}\">").expect(ENDLESS);
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>").expect(ENDLESS);
    draw(&whole, GAP, GAP, &mut out);
    out.push_str("</svg>\n");
    out
}

/// The reason why writing to a string cannot fail.
const ENDLESS: &str = "a string has room";

/// A box with its layout: its size, and the boxes inside it with their positions.
struct Laid<'a> {
    class: String,
    title: String,
    fill: &'static str,
    width: f64,
    height: f64,
    badges: Vec<(&'a Resident, f64, f64, f64)>,
    inside: Vec<(Laid<'a>, f64, f64)>,
}

fn measure<'a>(machine: &'a Machine, object: &'a Object, residents: &'a [Resident]) -> Laid<'a> {
    let title = match object.kind {
        Kind::Pu => format!("PU P#{}", object.cpuset.first().unwrap_or(0)),
        Kind::Machine => format!("Machine ({} PUs)", object.cpuset.len()),
        kind => format!("{kind} L#{}", object.logical),
    };
    let here: Vec<&Resident> = residents.iter().filter(|resident| is_home(machine, object, resident)).collect();
    let mut boxes: Vec<Laid<'a>> = extras(machine, object);
    let extras = boxes.len();
    boxes.extend(object.children.iter().map(|child| measure(machine, child, residents)));
    let area: f64 = boxes.iter().map(|laid| laid.width * laid.height).sum();
    let row_width = ROW_WIDTH.max((WIDE * area).sqrt());
    let text_width = title.len() as f64 * FONT * LETTER + 2.0 * GAP;

    // Children are placed first, in rows. After that the width available for badges is known.
    let mut inside = Vec::new();
    let (mut x, mut y, mut row_height, mut width) = (GAP, 0.0, 0.0_f64, text_width.max(UNIT_WIDTH));
    for (at, laid) in boxes.into_iter().enumerate() {
        // Memory and devices have separate rows.
        if x > GAP && (at == extras || x + laid.width + GAP > row_width) {
            (x, y, row_height) = (GAP, y + row_height + GAP, 0.0);
        }
        row_height = row_height.max(laid.height);
        width = width.max(x + laid.width + GAP);
        let advance = laid.width + GAP;
        inside.push((laid, x, y));
        x += advance;
    }
    let mut badges = Vec::new();
    let (mut badge_x, mut badge_y) = (GAP, LINE + GAP / 2.0);
    for resident in here {
        let badge = (resident.label.len() as f64 * FONT * LETTER + 8.0).max(18.0);
        if badge_x > GAP && badge_x + badge + GAP > width {
            (badge_x, badge_y) = (GAP, badge_y + BADGE_HEIGHT + 2.0);
        }
        width = width.max(badge + 2.0 * GAP);
        badges.push((resident, badge_x, badge_y, badge));
        badge_x += badge + 3.0;
    }
    let top = if badges.is_empty() { LINE + GAP / 2.0 } else { badge_y + BADGE_HEIGHT + GAP };
    inside.iter_mut().for_each(|(_, _, y)| *y += top);
    let bottom = inside.iter().map(|(laid, _, y)| y + laid.height + GAP).fold(top, f64::max);
    Laid { class: object.kind.to_string(), title, fill: fill(object.kind), width, height: bottom, badges, inside }
}

/// Whether this is the lowest object that covers a resident. Among objects with the same units, the lowest one counts.
fn is_home(machine: &Machine, object: &Object, resident: &Resident) -> bool {
    let own = resident.cpuset.intersection(machine.cpuset());
    let whole = own == *machine.cpuset();
    if own.is_empty() || (whole && object.kind != Kind::Machine) || !own.is_subset(&object.cpuset) {
        return false;
    }
    whole || !object.children.iter().any(|child| own.is_subset(&child.cpuset))
}

/// The memory and devices attached to an object. Among objects with the same units, the lowest one has them.
fn extras<'a>(machine: &Machine, object: &Object) -> Vec<Laid<'a>> {
    let is_lowest =
        |near: &CpuSet| *near == object.cpuset && !object.children.iter().any(|child| child.cpuset == object.cpuset);
    let plain = |class: &str, title: String, fill| {
        let width = title.len() as f64 * FONT * LETTER + 2.0 * GAP;
        Laid { class: class.to_owned(), title, fill, width, height: LINE + GAP, badges: Vec::new(), inside: Vec::new() }
    };
    let memory = machine.memory().iter().filter(|node| is_lowest(&node.near));
    let devices = machine.devices().iter().filter(|device| is_lowest(&device.near) && !device.names.is_empty());
    memory
        .map(|node| plain("memory", memory_title(node), "#d2e7a4"))
        .chain(devices.map(|device| plain("device", device_title(device), "#dedede")))
        .collect()
}

fn memory_title(node: &MemoryNode) -> String {
    let kind = node.subtype.as_deref().unwrap_or("memory");
    match node.bytes >> 20 {
        0 => format!("{kind} P#{}", node.os_index),
        mega if mega < 10_240 => format!("{kind} P#{} ({mega} MiB)", node.os_index),
        mega => format!("{kind} P#{} ({} GiB)", node.os_index, mega >> 10),
    }
}

fn device_title(device: &Device) -> String {
    let names = device.names.join(" ");
    device.pci.as_ref().map_or(names.clone(), |pci| format!("{names} ({pci})"))
}

fn draw(laid: &Laid<'_>, x: f64, y: f64, out: &mut String) {
    let Laid { class, title, fill, width, height, badges, inside } = laid;
    let (class, title) = (escape(class), escape(title));
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#555\"/>"
    )
    .expect(ENDLESS);
    let (text_x, text_y) = (x + GAP, y + FONT + 3.0);
    writeln!(out, "<text x=\"{text_x}\" y=\"{text_y}\">{title}</text>").expect(ENDLESS);
    for (resident, badge_x, badge_y, badge) in badges {
        let (badge_x, badge_y, color) = (x + badge_x, y + badge_y, COLORS[resident.group % COLORS.len()]);
        writeln!(
            out,
            "<rect class=\"resident\" x=\"{badge_x}\" y=\"{badge_y}\" width=\"{badge}\" height=\"{BADGE_HEIGHT}\" rx=\"6\" fill=\"{color}\"/>"
        )
        .expect(ENDLESS);
        let (middle, base, label) = (badge_x + badge / 2.0, badge_y + FONT, escape(&resident.label));
        writeln!(out, "<text x=\"{middle}\" y=\"{base}\" fill=\"white\" text-anchor=\"middle\">{label}</text>")
            .expect(ENDLESS);
    }
    for (child, child_x, child_y) in inside {
        draw(child, x + child_x, y + child_y, out);
    }
}

/// Colours dark enough for white letters.
const COLORS: [&str; 8] = ["#1b6ca8", "#b5341f", "#2e7d32", "#7b3fa0", "#a15c00", "#00707c", "#8a1f5c", "#4a4a4a"];

fn fill(kind: Kind) -> &'static str {
    match kind {
        Kind::Machine => "#ffffff",
        Kind::Package | Kind::Die => "#dedede",
        Kind::NumaNode => "#efdfde",
        Kind::Core => "#bebebe",
        Kind::Group => "#f6f6f6",
        _ => "#f2f2ff",
    }
}

/// Escapes text for XML. Names come from the description, which may have any source.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML cannot represent these characters.
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}
