//! The tree of levels: sixteen ranks on two hosts, as fusain's topology groups them.

use fusain::topology::{Group, Groups, Kind, Result};

use super::drawing::{Anchor, Drawing, FIRST, PALE, SECOND};
use crate::ranks::synthetic_place;

const RANKS: usize = 16;
const SPACE: f64 = 46.0;
const ROW: f64 = 66.0;
const BOX: f64 = 30.0;

/// The horizontal middle of a group's box: the middle of its ranks.
fn centre(group: &Group<'_>) -> f64 {
    let ranks = group.ranks();
    18.0 + SPACE * (ranks[0] + ranks[ranks.len() - 1] + 1) as f64 / 2.0
}

fn top(group: &Group<'_>) -> f64 {
    16.0 + ROW * group.depth() as f64
}

pub(super) fn picture() -> Result<String> {
    let place = |rank| synthetic_place(rank, "Package:2 L2:2 Core:2 PU:1", None);
    let groups = Groups::build(&(0..RANKS).map(place).collect::<Result<Vec<_>>>()?)?;
    let mut drawing = Drawing::new(772, (ROW * groups.depth() as f64 + BOX + 58.0) as u32);
    for group in groups.iter() {
        for child in group.children() {
            drawing.line([centre(&group), top(&group) + BOX], [centre(&child), top(&child)]);
        }
    }
    for group in groups.iter() {
        let (label, width, fill) = match group.ranks()[..] {
            [rank] => (rank.to_string(), BOX, "white"),
            _ if group.depth() == 0 => ("all ranks".to_owned(), 110.0, PALE),
            _ if group.info().kind == Kind::Package => (group.label(), 110.0, SECOND),
            _ => (group.label(), if group.depth() == 1 { 130.0 } else { 88.0 }, FIRST),
        };
        drawing.labelled([centre(&group) - width / 2.0, top(&group), width, BOX], fill, label);
    }
    let bottom = ROW * groups.depth() as f64 + BOX + 44.0;
    drawing.text([386.0, bottom], Anchor::Middle, "ranks: each box above is a communicator of those below it");
    Ok(drawing.finish())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_rank_is_there() {
        let svg = super::picture().unwrap();
        assert!((0..super::RANKS).all(|rank| svg.contains(&format!(">{rank}</text>"))));
    }
}
