//! Sorting as methods of slices.

use std::cmp::Ordering;

use crate::policy::par;

/// Sorts slices, with rayon's names.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut v = vec![3, 1, 2];
/// v.par_sort();
/// assert_eq!(v, [1, 2, 3]);
/// ```
pub trait ParSort<T>: AsRef<[T]> + AsMut<[T]> {
    /// Sorts the slice, stable.
    ///
    /// O(n log n) comparisons, memory for n elements, and for strings and byte strings up to 40 bytes more for each. Numbers have the costs of
    /// [`Par::sort_unstable`](crate::Par::sort_unstable). If the order is not a total order, the call leaves the elements in an unspecified order or panics. Floats are sorted
    /// by `v.par_sort_by(f64::total_cmp)`. See
    /// [`Par::sort`](crate::Par::sort).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [3, 1, 2];
    /// v.par_sort();
    /// assert_eq!(v, [1, 2, 3]);
    /// ```
    #[doc(alias = "stable_sort")]
    #[inline]
    fn par_sort(&mut self)
    where
        T: Ord + Send,
    {
        par().sort(self.as_mut())
    }

    /// Sorts the slice by `compare`, stable.
    ///
    /// Otherwise like [`par_sort`](Self::par_sort). See [`Par::sort_by`](crate::Par::sort_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [0.5, -1.5, 1.0];
    /// v.par_sort_by(f64::total_cmp);
    /// assert_eq!(v, [-1.5, 0.5, 1.0]);
    /// ```
    #[inline]
    fn par_sort_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_by(self.as_mut(), compare)
    }

    /// Sorts the slice by key, stable.
    ///
    /// Each comparison computes two keys; [`par_sort_by_cached_key`](Self::par_sort_by_cached_key) computes each key once. Otherwise like
    /// [`par_sort`](Self::par_sort). See [`Par::sort_by_key`](crate::Par::sort_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut words = ["one", "two", "three", "four"];
    /// words.par_sort_by_key(|w| w.len());
    /// assert_eq!(words, ["one", "two", "four", "three"]);
    /// ```
    #[inline]
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_key(self.as_mut(), key)
    }

    /// Sorts the slice by key, stable, computing each key once.
    ///
    /// O(n log n) comparisons of keys, memory for 2 n keys and n indices, with more than four workers for 2 n of both; for string keys see the method of `Par`. Elements with
    /// other keys are moved by the calling thread alone. A panic in `key` leaves the slice as it was. See
    /// [`Par::sort_by_cached_key`](crate::Par::sort_by_cached_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [10, 9, 100];
    /// v.par_sort_by_cached_key(|x| x.to_string());
    /// assert_eq!(v, [10, 100, 9]);
    /// ```
    #[inline]
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_by_cached_key(self.as_mut(), key)
    }

    /// Sorts the slice; equal elements may change their order.
    ///
    /// O(n log n) comparisons, no extra memory with up to four workers, memory for n elements with more. Numbers, strings and byte strings have other costs.
    /// Otherwise like [`par_sort`](Self::par_sort). See [`Par::sort_unstable`](crate::Par::sort_unstable).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [3, 1, 2];
    /// v.par_sort_unstable();
    /// assert_eq!(v, [1, 2, 3]);
    /// ```
    #[doc(alias = "sort")]
    #[inline]
    fn par_sort_unstable(&mut self)
    where
        T: Ord + Send,
    {
        par().sort_unstable(self.as_mut())
    }

    /// Sorts the slice by `compare`; equal elements may change their order.
    ///
    /// Otherwise like [`par_sort_unstable`](Self::par_sort_unstable). See [`Par::sort_unstable_by`](crate::Par::sort_unstable_by).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [2, 3, 1];
    /// v.par_sort_unstable_by(|x, y| y.cmp(x));
    /// assert_eq!(v, [3, 2, 1]);
    /// ```
    #[inline]
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        T: Send,
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        par().sort_unstable_by(self.as_mut(), compare)
    }

    /// Sorts the slice by key; equal elements may change their order.
    ///
    /// Otherwise like [`par_sort_unstable`](Self::par_sort_unstable). See [`Par::sort_unstable_by_key`](crate::Par::sort_unstable_by_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut v = [-3_i32, 1, 2];
    /// v.par_sort_unstable_by_key(|x| x.abs());
    /// assert_eq!(v, [1, 2, -3]);
    /// ```
    #[inline]
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        T: Send,
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        par().sort_unstable_by_key(self.as_mut(), key)
    }
}

impl<T> ParSort<T> for [T] {}

/// Sorts slices by keys that are part of their elements, which neither std nor rayon can.
///
/// ```
/// # use fusain_algorithms as fusain;
/// use fusain::prelude::*;
///
/// let mut people = [("Tycho".to_string(), 54), ("Ada".to_string(), 36)];
/// people.par_sort_by_borrowed_key(|person| &person.0);
/// assert_eq!(people[0].0, "Ada");
/// ```
pub trait ParSortBorrowed<T>: AsRef<[T]> + AsMut<[T]> {
    /// Sorts the slice by a key that is part of each element, stable.
    ///
    /// For keys that are strings or byte strings, this is much faster than comparing in a closure. It takes up to 48 bytes for each element and memory for n elements.
    /// See [`Par::sort_by_borrowed_key`](crate::Par::sort_by_borrowed_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut people = [("Tycho".to_string(), 54), ("Ada".to_string(), 36)];
    /// people.par_sort_by_borrowed_key(|person| &person.0);
    /// assert_eq!(people[0].0, "Ada");
    /// ```
    #[inline]
    fn par_sort_by_borrowed_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: Ord + ?Sized,
        F: Fn(&T) -> &K + Sync,
    {
        par().sort_by_borrowed_key(self.as_mut(), key)
    }

    /// Sorts the slice by a key that is part of each element; equal elements may change their order.
    ///
    /// Otherwise like [`par_sort_by_borrowed_key`](Self::par_sort_by_borrowed_key). See
    /// [`Par::sort_unstable_by_borrowed_key`](crate::Par::sort_unstable_by_borrowed_key).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use fusain::prelude::*;
    ///
    /// let mut files = ["src/lib.rs", "README.md"].map(|path| (path.to_string(), 0));
    /// files.par_sort_unstable_by_borrowed_key(|file| file.0.as_str());
    /// assert_eq!(files[0].0, "README.md");
    /// ```
    #[inline]
    fn par_sort_unstable_by_borrowed_key<K, F>(&mut self, key: F)
    where
        T: Send + Sync,
        K: Ord + ?Sized,
        F: Fn(&T) -> &K + Sync,
    {
        par().sort_unstable_by_borrowed_key(self.as_mut(), key)
    }
}

impl<T> ParSortBorrowed<T> for [T] {}
