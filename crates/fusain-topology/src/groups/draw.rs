//! Draws the tree of groups as text, like `lstopo` for communicators.

use std::fmt;

use super::{Group, Groups};

/// A line for each group, indented by level, with its ranks.
impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(self.root(), "", f)
    }
}

fn draw(group: Group<'_>, front: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (size, ranks) = (group.size(), ranges(group.members()));
    write!(f, "{} ({size} {}: {ranks})", group.label(), if size == 1 { "rank" } else { "ranks" })?;
    let spanning_ranks: Vec<u32> = group.spanning_ranks().iter().map(|&rank| rank as u32).collect();
    if !spanning_ranks.is_empty() {
        write!(f, ", not below: {}", ranges(&spanning_ranks))?;
    }
    writeln!(f)?;
    let children = group.children();
    for (at, child) in children.iter().enumerate() {
        let last = at + 1 == children.len();
        write!(f, "{front}{}", if last { "└── " } else { "├── " })?;
        draw(*child, &format!("{front}{}", if last { "    " } else { "│   " }), f)?;
    }
    Ok(())
}

/// Writes numbers as ranges: `0-3,8`.
fn ranges(ranks: &[u32]) -> String {
    let mut text = String::new();
    for run in ranks.chunk_by(|a, b| a + 1 == *b) {
        let comma = if text.is_empty() { "" } else { "," };
        match run {
            [only] => text += &format!("{comma}{only}"),
            [first, .., last] => text += &format!("{comma}{first}-{last}"),
            [] => {}
        }
    }
    text
}
