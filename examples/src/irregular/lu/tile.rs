//! Operations on tiles: small squares of numbers, row by row.

/// The number of rows and of columns of a tile. Three tiles, 96 kB, fit into a second-level cache; 2 x 64^3 operations are some 100 us of work, much more than a fork costs.
pub(super) const SIDE: usize = 64;

/// A row.
pub(super) type Row = [f64; SIDE];

/// Replaces the tile by its factors: L below the diagonal, and U on and above it.
pub(super) fn factor(a: &mut [Row]) {
    for k in 0..SIDE {
        let (above, below) = a.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below {
            row[k] /= pivot[k];
            let factor = row[k];
            for (entry, up) in row.iter_mut().zip(pivot).skip(k + 1) {
                *entry -= factor * up;
            }
        }
    }
}

/// B becomes X of L X = B.
pub(super) fn left(factors: &[Row], b: &mut [Row]) {
    for (i, factors) in factors.iter().enumerate() {
        let (above, below) = b.split_at_mut(i);
        for (factor, up) in factors.iter().zip(above) {
            for (entry, up) in below[0].iter_mut().zip(up) {
                *entry -= factor * *up;
            }
        }
    }
}

/// B becomes X of X U = B.
pub(super) fn right(factors: &[Row], b: &mut [Row]) {
    for row in b {
        for k in 0..SIDE {
            row[k] /= factors[k][k];
            let factor = row[k];
            for (entry, up) in row.iter_mut().zip(&factors[k]).skip(k + 1) {
                *entry -= factor * up;
            }
        }
    }
}

/// C becomes C - A B. Four rows of B at a time, so that C is read and written a quarter as often.
pub(super) fn update(c: &mut [Row], a: &[Row], b: &[Row]) {
    for (c, a) in c.iter_mut().zip(a) {
        for (factors, rows) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
            for (j, entry) in c.iter_mut().enumerate() {
                let two = factors[0] * rows[0][j] + factors[1] * rows[1][j];
                *entry -= two + (factors[2] * rows[2][j] + factors[3] * rows[3][j]);
            }
        }
    }
}
