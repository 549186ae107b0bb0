//! What the compiler finds out by itself, as with std's iterators and rayon's.

use fusain_iter::prelude::*;

#[test]
fn the_type_of_a_range_is_inferred_from_what_comes_later() {
    let doubles: Vec<u64> = (0..3).into_par_iter().map(|x| 2 * x).collect();
    assert_eq!(doubles, [0, 2, 4]);
    assert_eq!((0..5).into_par_iter().map(|x| x * x).sum::<u128>(), 30);
    let data = [10, 20, 30];
    let looked_up: Vec<usize> = (0..3).into_par_iter().map(|at| data[at]).collect();
    assert_eq!(looked_up, data);
    let negative: Vec<i64> = (1..=2).into_par_iter().map(|x| -x).collect();
    assert_eq!(negative, [-1, -2]);
    let plain: Vec<_> = (0..3).into_par_iter().map(|x| -x).collect();
    assert_eq!(plain, [0, -1, -2]);
}

fn count<'a, C>(elements: &'a C) -> usize
where
    &'a C: IntoParallelIterator,
{
    elements.into_par_iter().count()
}

fn count_mut<'a, C>(elements: &'a mut C) -> usize
where
    &'a mut C: IntoParallelIterator,
{
    elements.into_par_iter().count()
}

fn count_twice<C>(elements: &C) -> usize
where
    for<'a> &'a C: IntoParallelIterator,
{
    elements.into_par_iter().count() + count(elements)
}

#[test]
fn functions_may_ask_for_references_that_are_chains() {
    assert_eq!(count(&vec![1, 2]), 2);
    assert_eq!(count_mut(&mut vec![1, 2]), 2);
    assert_eq!(count_twice(&[1, 2, 3]), 6);
    assert_eq!(count(&(vec![1, 2], [3, 4, 5])), 2);
    assert_eq!(count_mut(&mut (vec![1, 2], [3, 4, 5], Some(6))), 1);
}

#[test]
fn strings_in_boxes_are_collected() {
    let letters: Box<str> = vec!['a', 'b'].into_par_iter().collect();
    let words: Box<str> = ["c", "d"].into_par_iter().collect();
    assert_eq!((&*letters, &*words), ("ab", "cd"));
}

/// As by programs that import rayon's traits by name.
mod by_name {
    use fusain_iter::slice::ParallelSliceMut;

    #[test]
    fn sorts_come_with_the_trait_of_slices() {
        let sorts: [fn(&mut [i32]); 7] = [
            |v| v.par_sort(),
            |v| v.par_sort_by(|a, b| a.cmp(b)),
            |v| v.par_sort_by_key(|x| *x),
            |v| v.par_sort_by_cached_key(|x| *x),
            |v| v.par_sort_unstable(),
            |v| v.par_sort_unstable_by(|a, b| a.cmp(b)),
            |v| v.par_sort_unstable_by_key(|x| *x),
        ];
        for sort in sorts {
            let mut v = vec![3, 1, 2];
            sort(&mut v);
            assert_eq!(v, [1, 2, 3]);
        }
    }
}
