//! All sides compute the same. These tests are in a separate file, so that the hundreds of sides are not compiled a second time for unit
//! tests.

use fusain::pool::Pool;
use fusain_benches::peers::{Cxx, rayon_pool};
use fusain_benches::suite::{Group, Number, Others, Runtimes};
use fusain_benches::{cases, suite};
use fusain_harness::Side;

/// The answer and the output of a call.
type Result = (f64, Vec<f64>);

/// Sums of floats depend on the order of additions, those of `f32` by a lot.
fn is_close<T: Number>(a: f64, b: f64) -> bool {
    let tolerance = if T::NAME == "f32" { 1e-3 } else { 1e-9 };
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

fn assert_agree<T: Number>(call: &str, sides: &[(Group, Side<'_>)], results: &[Result]) {
    let expected = sides.iter().position(|(group, _)| *group == Group::Sequential).unwrap();
    for ((_, side), result) in sides.iter().zip(results) {
        let (answer, written) = &results[expected];
        let label = format!("{call} {}: {}", T::NAME, side.name());
        // A call that only writes has no answer; in C++ that is 0.
        assert!(is_close::<T>(*answer, result.0), "{label}: {} instead of {answer}", result.0);
        assert_eq!(written.len(), result.1.len(), "{label}");
        let differs = written.iter().zip(&result.1).position(|(a, b)| !is_close::<T>(*a, *b));
        assert_eq!(differs, None, "{label}");
    }
}

fn of_the_suite<T: Number>(on: Runtimes<'_>, others: &Others) {
    for row in suite::rows::<T>() {
        // Without optimisation, a thousand steps for each element take long.
        let sizes: &[usize] = if row.is_variant() { &[2, 100] } else { &[2, 16, 1000, 20_000] };
        for &n in sizes {
            let case = row.case(n);
            let mut sides = row.sides(&case, on, Some(others), true);
            // Two calls in succession, because each draws new positions.
            for _ in 0..2 {
                let results: Vec<Result> = sides.iter_mut().map(|(_, side)| row.result_of(&case, side)).collect();
                assert_agree::<T>(&format!("{} of {n}", row.name()), &sides, &results);
            }
        }
    }
}

fn of_the_cases<T: Number>(on: Runtimes<'_>) {
    for algorithm in cases::Algorithm::ALL {
        for n in [16, 1000, 20_000] {
            let case = cases::Case::<T>::new(algorithm, n);
            let mut sides = case.sides(on, true);
            let results: Vec<Result> = sides.iter_mut().map(|(_, side)| case.result_of(side)).collect();
            assert_agree::<T>(&format!("{algorithm} of {n}"), &sides, &results);
        }
    }
}

/// One test for all, because the C++ runtimes are set up once in a process.
#[test]
fn all_sides_agree() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let rayon = rayon_pool(2).unwrap();
    let cxx = Cxx::load(2).ok();
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref() };
    let others = Others::new(2);
    of_the_suite::<i32>(on, &others);
    of_the_suite::<f32>(on, &others);
    of_the_suite::<f64>(on, &others);
    of_the_cases::<i32>(on);
    of_the_cases::<f64>(on);
}

#[test]
fn there_are_the_36() {
    let rows = suite::rows::<f64>();
    assert_eq!(rows.iter().filter(|row| !row.is_variant()).count(), 36);
    let mut names = suite::names();
    names.dedup();
    assert_eq!(names.len(), rows.len());
}
