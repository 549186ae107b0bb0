//! All sides compute the same. These tests are in a separate file, so that the hundreds of sides are not compiled a second time for unit
//! tests.

use fusain::pool::Pool;
use fusain_benches::peers::{Cxx, rayon_pool};
use fusain_benches::suite::{Number, Others, Runtimes, ensure_agree};
use fusain_benches::{cases, suite};

fn of_the_suite<T: Number>(on: Runtimes<'_>, others: &Others) {
    for row in suite::rows::<T>() {
        // Without optimisation, a thousand steps for each element take long.
        let sizes: &[usize] = if row.is_variant() { &[2, 100] } else { &[2, 16, 1000, 20_000] };
        for &n in sizes {
            let case = row.case(n);
            let mut sides = row.sides(&case, on, Some(others), true);
            // Two calls in succession, because each draws new positions.
            for _ in 0..2 {
                ensure_agree::<T>(&mut sides, |side| row.result_of(&case, side))
                    .unwrap_or_else(|error| panic!("{} of {n}: {error}", row.name()));
            }
        }
    }
}

fn of_the_cases<T: Number>(on: Runtimes<'_>) {
    for algorithm in cases::Algorithm::ALL {
        for n in [16, 1000, 20_000] {
            let case = cases::Case::<T>::new(algorithm, n);
            let mut sides = case.sides(on, true);
            ensure_agree::<T>(&mut sides, |side| case.result_of(side))
                .unwrap_or_else(|error| panic!("{algorithm} of {n}: {error}"));
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
