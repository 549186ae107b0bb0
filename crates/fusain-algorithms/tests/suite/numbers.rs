//! Sorts of numbers, which sort by bits: every type, and inputs that are hard for such sorts.

use crate::support::{policy, pool};
use fusain_algorithms::{Par, par};
use fusain_testkit::sorts::noise;
use proptest::prelude::*;

/// Numbers of some kind, from 64 bits: any numbers, few values, numbers near each other, mostly near each other, in order.
fn words() -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![0..700_usize, 500..6_000_usize, 1..20_000_usize];
    (length, any::<u64>(), 0..7_u8).prop_map(|(n, seed, kind)| {
        let mut v: Vec<u64> = noise(n, seed >> 40).collect();
        match kind {
            0 => {}
            1 => v.iter_mut().for_each(|x| *x %= 5),
            2 => v.iter_mut().for_each(|x| *x = (1 << 40) | (*x % 3_000)),
            3 => v.iter_mut().for_each(|x| *x = if x.is_multiple_of(700) { !*x } else { *x % 100_000 }),
            4 => v.sort(),
            5 => {
                v.sort();
                v.reverse();
            }
            _ => v.iter_mut().enumerate().for_each(|(i, x)| *x = ((i * 7919 % n) as f64).to_bits()),
        }
        v
    })
}

fn check<T: Ord + Copy + Send + std::fmt::Debug>(par: &Par<'_>, v: Vec<T>) -> Result<(), TestCaseError> {
    let mut expected = v.clone();
    expected.sort();
    for par in [*par, par.sequential()] {
        let mut w = v.clone();
        par.sort_unstable(&mut w);
        prop_assert_eq!(&w, &expected);
        let mut w = v.clone();
        par.sort(&mut w);
        prop_assert_eq!(&w, &expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn integers(v in words(), par in policy()) {
        check(&par, v.clone())?;
        check(&par, v.iter().map(|x| *x as i64).collect())?;
        check(&par, v.iter().map(|x| *x as i32).collect())?;
        check(&par, v.iter().map(|x| *x as u32).collect())?;
        check(&par, v.iter().map(|x| *x as i16).collect())?;
        check(&par, v.iter().map(|x| *x as i8).collect())?;
        check(&par, v.iter().map(|x| *x as isize).collect())?;
        check(&par, v.iter().map(|x| u128::from(*x) << 3).collect())?;
    }

    #[test]
    fn floats(v in words(), par in policy()) {
        // Infinities, negative zeros and NaNs are among them.
        let doubles: Vec<f64> = v.iter().map(|x| f64::from_bits(*x)).collect();
        let mut expected = doubles.clone();
        expected.sort_by(f64::total_cmp);
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for par in [par, par.sequential()] {
            let mut w = doubles.clone();
            par.sort_unstable_by(&mut w, f64::total_cmp);
            prop_assert_eq!(bits(&w), bits(&expected));
            let mut w = doubles.clone();
            par.sort_by(&mut w, f64::total_cmp);
            prop_assert_eq!(bits(&w), bits(&expected));
            // Another order of the same type.
            par.sort_unstable_by(&mut w, |x, y| y.total_cmp(x));
            prop_assert!(bits(&w).into_iter().rev().eq(bits(&expected)));
        }
        let singles: Vec<f32> = v.iter().map(|x| f32::from_bits(*x as u32)).collect();
        let mut expected = singles.clone();
        expected.sort_by(f32::total_cmp);
        let mut w = singles;
        par.sort_unstable_by(&mut w, f32::total_cmp);
        prop_assert!(w.iter().map(|x| x.to_bits()).eq(expected.iter().map(|x| x.to_bits())));
    }
}

#[test]
fn many() {
    // Enough for the larger number of buckets.
    let mut v: Vec<u32> = noise((1 << 21) + 5, 3).map(|x| x as u32).collect();
    let mut expected = v.clone();
    expected.sort_unstable();
    par().on(pool(2)).always().sort_unstable(&mut v);
    assert_eq!(v, expected);
}
