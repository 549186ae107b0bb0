//! The timeline of a steal: what two workers do, not to scale.

use super::drawing::{Anchor, Drawing, FIRST, PALE, SECOND};

const BUSY: f64 = 50.0;
const IDLE: f64 = 160.0;
const HEIGHT: f64 = 40.0;
const LEFT: f64 = 100.0;
const UNIT: f64 = 92.0;

pub(super) fn picture() -> String {
    let mut drawing = Drawing::new(760, 260);
    drawing.text([16.0, BUSY + HEIGHT / 2.0 + 4.5], Anchor::Start, "worker 0");
    drawing.text([16.0, IDLE + HEIGHT / 2.0 + 4.5], Anchor::Start, "worker 1");

    let (commit, split) = (LEFT + 2.0 * UNIT, LEFT + 2.0 * UNIT + 64.0);
    let after = split + 46.0;
    for x in [LEFT, LEFT + UNIT, after, after + UNIT, after + 2.0 * UNIT] {
        drawing.labelled([x, BUSY, UNIT, HEIGHT], FIRST, "unit");
    }
    drawing.labelled([commit, BUSY, 64.0, HEIGHT], "white", "commit");
    drawing.labelled([split, BUSY, 46.0, HEIGHT], "white", "split");

    // The request comes in the middle of a unit, and worker 0 sees it after the unit.
    let asks = LEFT + 1.4 * UNIT;
    drawing.labelled([LEFT, IDLE, asks - LEFT, HEIGHT], PALE, "own work is done");
    drawing.labelled([asks, IDLE, after - asks, HEIGHT], "white", "waits");
    drawing.arrow([asks, IDLE], [asks, BUSY + HEIGHT + 2.0]);
    drawing.text([asks - 36.0, 128.0], Anchor::Start, "asks");
    drawing.arrow([after, BUSY + HEIGHT], [after, IDLE - 2.0]);
    drawing.text([after + 8.0, 128.0], Anchor::Start, "half of what is left");
    for x in [after, after + UNIT, after + 2.0 * UNIT] {
        drawing.labelled([x, IDLE, UNIT, HEIGHT], SECOND, "unit");
    }

    drawing.dashed([commit, BUSY - 16.0], [commit, BUSY + HEIGHT + 6.0]);
    drawing.text([commit, BUSY - 22.0], Anchor::Middle, "looks: somebody asks");
    drawing.arrow([LEFT, 236.0], [724.0, 236.0]);
    drawing.text([16.0, 240.0], Anchor::Start, "time");
    drawing.finish()
}
