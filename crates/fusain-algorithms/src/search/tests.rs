//! Any split of a search finds the first hit, or any.

use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_testkit::{drive, script};
use proptest::prelude::*;

use super::position::{Position, first};

proptest! {
    #[test]
    fn position_is_the_first(v in proptest::collection::vec(0..200_u8, 0..3_000), script in script(80)) {
        for wanted in [0, 100] {
            let (position, root) = Position::new(&v, |x| *x == wanted, false);
            drive(&position, root, &script);
            prop_assert_eq!(position.finish(), v.iter().position(|x| *x == wanted));
        }
        // No number: another loop.
        let words: Vec<String> = v.iter().map(u8::to_string).collect();
        let (position, root) = Position::new(&words, |x| x == "7", false);
        drive(&position, root, &script);
        prop_assert_eq!(position.finish(), v.iter().position(|x| *x == 7));
    }

    #[test]
    fn find_any_finds_one(v in proptest::collection::vec(0..200_u8, 0..3_000), script in script(80)) {
        let (position, root) = Position::new(&v, |x| *x == 9, true);
        drive(&position, root, &script);
        match position.finish() {
            Some(i) => prop_assert_eq!(v[i], 9),
            None => prop_assert!(!v.contains(&9)),
        }
    }

    #[test]
    fn no_unit_begins_behind_a_hit(n in 1..3_000_usize, hit: usize, script in script(80)) {
        let hit = hit % n;
        let words: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let wanted = words[hit].clone();
        let asked_after = AtomicUsize::new(0);
        let found = AtomicUsize::new(0);
        let (position, root) = Position::new(&words, |x| {
            asked_after.fetch_add(found.load(Ordering::Relaxed) * usize::from(x.len() > wanted.len()), Ordering::Relaxed);
            found.fetch_max(usize::from(*x == wanted), Ordering::Relaxed);
            *x == wanted
        }, false);
        drive(&position, root, &script);
        prop_assert_eq!(position.finish(), Some(hit));
        prop_assert_eq!(asked_after.into_inner(), 0);
    }
}

#[test]
fn first_finds_across_strides() {
    for n in [0, 1, 63, 64, 65, 200] {
        let mut v = vec![0; n];
        assert_eq!(first((&v[..], |x: &i32| *x == 1)), None);
        for i in (0..n).rev() {
            v[i] = 1;
            assert_eq!(first((&v[..], |x: &i32| *x == 1)), Some(i));
        }
    }
}
