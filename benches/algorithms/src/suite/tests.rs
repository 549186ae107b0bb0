//! All sides compute the same.

use fusain::pool::Pool;

use super::*;
use crate::peers::{Cxx, rayon_pool};

/// Sums of floats depend on the order of additions, those of `f32` by a lot.
fn is_close<T: Number>(a: f64, b: f64) -> bool {
    let tolerance = if T::NAME == "f32" { 1e-3 } else { 1e-9 };
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

fn all_sides_agree_on<T: Number>(on: Runtimes<'_>, others: &Others) {
    for row in rows::<T>() {
        // Without optimisation, a thousand steps an element take their time.
        let sizes: &[usize] = if row.is_variant() { &[2, 100] } else { &[2, 16, 1000, 20_000] };
        for &n in sizes {
            let case = row.case(n);
            let mut sides = row.sides(&case, on, Some(others), true);
            // Two in a row: places are drawn anew.
            for _ in 0..2 {
                let results: Vec<_> = sides.iter_mut().map(|(_, side)| row.result_of(&case, side)).collect();
                let expected = sides.iter().position(|(group, _)| *group == Group::Sequential).unwrap();
                for ((_, side), result) in sides.iter().zip(&results) {
                    let (answer, written) = &results[expected];
                    let label = format!("{} of {n} {}: {}", row.name(), T::NAME, side.name());
                    // A call that only writes answers nothing, and C++ nothing is 0.
                    assert!(is_close::<T>(*answer, result.0), "{label}: {} instead of {answer}", result.0);
                    assert_eq!(written.len(), result.1.len(), "{label}");
                    let differs = written.iter().zip(&result.1).position(|(a, b)| !is_close::<T>(*a, *b));
                    assert_eq!(differs, None, "{label}");
                }
            }
        }
    }
}

/// One test for all types: the C++ runtimes are set up once a process.
#[test]
fn all_sides_agree() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let rayon = rayon_pool(2).unwrap();
    let cxx = Cxx::load(2).ok();
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref() };
    let others = Others::new(2);
    all_sides_agree_on::<i32>(on, &others);
    all_sides_agree_on::<f32>(on, &others);
    all_sides_agree_on::<f64>(on, &others);
}

#[test]
fn there_are_the_36() {
    let rows = rows::<f64>();
    assert_eq!(rows.iter().filter(|row| !row.is_variant()).count(), 36);
    let mut names = names();
    names.dedup();
    assert_eq!(names.len(), rows.len());
}
