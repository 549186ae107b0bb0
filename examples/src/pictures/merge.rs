//! The split of a merge: the longer slice is halved, and a binary search finds where to cut the other one.

use super::drawing::{Anchor, Drawing, FIRST, SECOND};

const A: [u32; 12] = [2, 3, 7, 9, 12, 15, 17, 20, 21, 26, 28, 31];
const B: [u32; 8] = [1, 5, 8, 10, 11, 18, 24, 30];

const CELL: f64 = 32.0;
const LEFT: f64 = 90.0;

/// Draws a row of numbers, of which those before `cut` belong to the first part. Returns the horizontal position of the cut.
fn row(drawing: &mut Drawing, y: f64, name: &str, numbers: &[u32], cut: usize) -> f64 {
    drawing.text([16.0, y + CELL / 2.0 + 4.5], Anchor::Start, name);
    for (index, number) in numbers.iter().enumerate() {
        let fill = if index < cut { FIRST } else { SECOND };
        drawing.labelled([LEFT + index as f64 * CELL, y, CELL, CELL], fill, number);
    }
    LEFT + cut as f64 * CELL
}

pub(super) fn picture() -> String {
    let in_a = A.len() / 2;
    // Equal elements of `a` come before those of `b`, so elements of `b` that equal `a[in_a]` go to the second part.
    let in_b = B.partition_point(|b| *b < A[in_a]);
    let mut merged = [&A[..], &B[..]].concat();
    merged.sort();

    let mut drawing = Drawing::new(760, 300);
    let cuts = [
        row(&mut drawing, 40.0, "a", &A, in_a),
        row(&mut drawing, 120.0, "b", &B, in_b),
        row(&mut drawing, 230.0, "merged", &merged, in_a + in_b),
    ];
    for (cut, y) in cuts.into_iter().zip([40.0, 120.0, 230.0]) {
        drawing.dashed([cut, y - 14.0], [cut, y + CELL + 10.0]);
    }
    drawing.text([cuts[0] + 8.0, 30.0], Anchor::Start, format!("middle of the longer one: index {in_a}"));
    drawing.text([cuts[1] + 8.0, 110.0], Anchor::Start, format!("binary search for {}: index {in_b}", A[in_a]));
    drawing.text([cuts[2] + 8.0, 220.0], Anchor::Start, format!("{in_a} + {in_b} = {}", in_a + in_b));
    drawing.labelled([LEFT, 176.0, 110.0, 24.0], FIRST, "stays");
    drawing.labelled([LEFT + 120.0, 176.0, 110.0, 24.0], SECOND, "is split off");
    drawing.finish()
}
