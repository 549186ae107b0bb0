//! Edges: no element, one element, zero-sized elements, the default policy, calls inside calls.

use fusain_algorithms::par;
use fusain_algorithms::prelude::*;

#[test]
fn nothing_and_one() {
    for policy in [par(), par().always(), par().sequential()] {
        let mut none: [i32; 0] = [];
        policy.sort(&mut none);
        policy.inplace_merge(&mut none, 0);
        policy.for_each_mut(&mut none, |_| unreachable!());
        policy.inclusive_scan_in_place(&mut none, |_, _| unreachable!());
        assert_eq!(policy.min(&none), None);
        assert_eq!(policy.minmax(&none), None);
        assert_eq!(policy.merge(&none, &none), []);
        assert_eq!(policy.map(&none, |x| *x), []);
        assert_eq!(policy.reduce(&none, 7, |_, _| unreachable!()), 7);
        assert_eq!(policy.inclusive_scan(&none, |_, _| unreachable!()), []);
        assert_eq!(policy.exclusive_scan(&none, 3, |_, _| unreachable!()), []);
        assert_eq!(policy.position(&none, |_| true), None);
        assert!(policy.all(&none, |_| false) && policy.none(&none, |_| true) && !policy.any(&none, |_| true));
        assert_eq!(policy.count(&none, &0), 0);
        assert!(policy.is_sorted(&none) && policy.is_heap(&none) && policy.is_partitioned(&none, |_| true));
        assert_eq!((policy.adjacent_find(&none), policy.mismatch(&none, &none)), (None, None));
        assert!(policy.eq(&none, &none) && policy.includes(&none, &none) && policy.cmp(&none, &none).is_eq());
        assert_eq!((policy.search(&none, &none), policy.find_end(&none, &none)), (Some(0), Some(0)));
        assert_eq!((policy.search(&none, &[1]), policy.find_end(&none, &[1])), (None, None));
        assert_eq!((policy.search_n(&none, 0, &1), policy.search_n(&none, 1, &1)), (Some(0), None));

        let mut one = [5];
        policy.sort(&mut one);
        assert_eq!(policy.minmax(&one), Some(((0, &5), (0, &5))));
        assert_eq!(policy.merge(&one, &none), [5]);
        assert_eq!(policy.merge(&none, &one), [5]);
        assert_eq!(policy.inclusive_scan(&one, |_, _| unreachable!()), [5]);
        assert_eq!(policy.exclusive_scan(&one, 3, |a, b| a + b), [3]);
        assert_eq!(policy.reduce(&one, 1, |a, b| a + b), 6);
    }
}

#[test]
fn elements_without_a_size() {
    let policy = par().always();
    let mut v = vec![(); 3_000];
    policy.sort(&mut v);
    policy.inplace_merge(&mut v, 1_000);
    assert_eq!(policy.merge(&v, &v).len(), 6_000);
    assert_eq!(policy.map(&v, |()| ()).len(), 3_000);
    assert_eq!(policy.min(&v), Some((0, &())));
    assert_eq!(policy.minmax(&v), Some(((0, &()), (2_999, &()))));
    assert_eq!(policy.count(&v, &()), 3_000);
    assert_eq!(policy.inclusive_scan(&v, |(), ()| ()).len(), 3_000);
    assert_eq!(policy.position(&v, |()| true), Some(0));
    assert_eq!(policy.position(&v, |()| false), None);
    assert_eq!((policy.search(&v, &v[..9]), policy.find_end(&v, &v[..9])), (Some(0), Some(2_991)));
    assert!(policy.includes(&v, &v) && policy.is_heap(&v) && policy.eq(&v, &v));
    // As many elements as a slice can have.
    assert_eq!(policy.position(&[(); usize::MAX], |()| true), Some(0));
}

#[test]
fn huge_elements() {
    let policy = par().always();
    let v: Vec<[u64; 512]> = (0..400).map(|i| [i * 7919 % 401; 512]).collect();
    let mut sorted = v.clone();
    policy.sort(&mut sorted);
    assert!(sorted.is_sorted());
    assert_eq!(policy.min(&v).map(|x| x.1), sorted.first());
    assert_eq!(policy.merge(&sorted, &sorted).len(), 800);
    let sums = policy.inclusive_scan(&v, |a, b| std::array::from_fn(|i| a[i] + b[i]));
    assert_eq!(sums[399][511], v.iter().map(|x| x[511]).sum::<u64>());
}

#[test]
fn calls_inside_calls() {
    let mut rows: Vec<Vec<u32>> = (0..200).map(|i| (0..500).map(|j| (i * j) % 211).collect()).collect();
    let sums = par().always().map(&rows, |row| par().always().reduce(row, 0, |a, b| a + b));
    assert!(sums.iter().zip(&rows).all(|(sum, row)| *sum == row.iter().sum::<u32>()));
    par().always().for_each_mut(&mut rows, |row| par().always().sort(row));
    assert!(rows.iter().all(|row| row.is_sorted()));
    let scans = par().always().map(&rows, |row| par().always().grain(64).inclusive_scan(row, |a, b| a + b));
    assert!(scans.iter().zip(&sums).all(|(scan, sum)| scan.last() == Some(sum)));
}

#[test]
fn slices_have_the_methods() {
    let mut v: Vec<i32> = (0..10_000).map(|i| i * 7919 % 10_007).collect();
    let mut sorted = v.clone();
    sorted.sort();
    v.par_sort();
    assert_eq!(v, sorted);
    v.par_sort_by(|a, b| b.cmp(a));
    v.par_sort_unstable_by_key(|x| *x);
    assert_eq!(v, sorted);
    assert_eq!(v.par_inclusive_scan(|a, b| a.wrapping_add(*b)).len(), v.len());
    assert_eq!(v.par_max().map(|x| x.0), Some(v.len() - 1));
}

/// The lengths of two slices of zero-sized elements may overflow when they are added.
#[test]
#[should_panic(expected = "the number of elements fits in a usize")]
fn more_elements_than_can_be_counted_are_refused() {
    let many = [(); usize::MAX];
    drop(par().merge(&many, &many));
}

/// With as many elements as there can be, sums of lengths and indices do not wrap around.
#[test]
fn the_greatest_lengths() {
    let mut many = [(); usize::MAX];
    for policy in [par().sequential(), par().always()] {
        assert_eq!(policy.find_end(&many[..5], &[(); 2]), Some(3));
        assert_eq!(policy.find_end(&many, &[()]), Some(usize::MAX - 1));
        assert_eq!(policy.search(&many, &[()]), Some(0));
        assert!(!policy.all(&many, |()| false));
        assert!(!policy.grain(usize::MAX / 2 + 2).all(&many, |()| false));
    }
    for by in [1, usize::MAX / 4 + 1] {
        par().sequential().rotate_left(&mut many, by);
        par().always().rotate_left(&mut many, by);
    }
}
