//! A panic in a closure comes out of the call, and no element is lost or dropped twice.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{pool, room};
use fusain_algorithms::{Par, par};
use fusain_testkit::{Census, Counted};

pub(crate) const N: usize = 5_000;

pub(crate) fn policies() -> impl Iterator<Item = Par<'static>> {
    [(1, 0), (2, 0), (2, 100), (4, 64), (8, 1_000)]
        .into_iter()
        .map(|(w, grain)| par().on(pool(w)).grain(grain).always())
}

/// A fuse that blows at its nth use.
pub(crate) struct Fuse(AtomicUsize, usize);

impl Fuse {
    pub(crate) fn new(fatal: usize) -> Self {
        Fuse(AtomicUsize::new(0), fatal)
    }

    /// Panics without the panic hook, so that a test that passes prints nothing.
    pub(crate) fn burn(&self) {
        if self.0.fetch_add(1, Ordering::Relaxed) == self.1 {
            resume_unwind(Box::new("planned"));
        }
    }
}

/// Runs `call` with a fuse that blows at several times; what it returns is dropped.
pub(crate) fn each<R>(elements_left: isize, call: impl Fn(&Par<'static>, &[Counted], &Census, &Fuse) -> R) {
    for policy in policies() {
        for fatal in [0, 1, N / 3, N / 2] {
            let census = Census::new();
            let v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
            let fuse = Fuse::new(fatal);
            let payload = catch_unwind(AssertUnwindSafe(|| call(&policy, &v, &census, &fuse)))
                .map(drop)
                .expect_err("the fuse blows");
            assert_eq!(payload.downcast_ref(), Some(&"planned"));
            assert_eq!(census.alive(), elements_left);
            drop(v);
            assert_eq!(census.alive(), elements_left - N as isize);
        }
    }
}

#[test]
fn map() {
    each(N as isize, |par, v, census, fuse| {
        par.map(v, |x| {
            fuse.burn();
            census.element(x.key)
        })
    });
}

#[test]
fn copies() {
    each(N as isize, |par, v, census, fuse| {
        par.first_touch_vec(v.len(), |i| {
            fuse.burn();
            census.element(i as u32)
        })
    });
    each(N as isize, |par, v, census, fuse| {
        par.adjacent_difference(v, |a, b| {
            fuse.burn();
            census.element(a.key - b.key)
        })
    });
    each(N as isize, |par, v, census, fuse| {
        let new = census.element(1);
        par.replace_copy_if(
            v,
            |_| {
                fuse.burn();
                true
            },
            &new,
        )
    });
    // Clones that panic, in a room that does not drop its elements.
    each(N as isize, |par, v, _, fuse| {
        struct Fragile<'f>(Counted, &'f Fuse);
        impl Clone for Fragile<'_> {
            fn clone(&self) -> Self {
                self.1.burn();
                Fragile(self.0.clone(), self.1)
            }
        }
        let v: Vec<Fragile<'_>> = v.iter().map(|x| Fragile(x.clone(), fuse)).collect();
        par.reverse_copy_into(&v, &mut room(N)).len()
    });
}

#[test]
fn merge() {
    each(N as isize, |par, v, _, fuse| {
        let (a, b) = v.split_at(N / 2);
        par.merge_by(a, b, |x, y| {
            fuse.burn();
            (x.key % 2500).cmp(&(y.key % 2500))
        })
    });
}

#[test]
fn scan() {
    each(N as isize, |par, v, census, fuse| {
        par.inclusive_scan(v, |a, b| {
            fuse.burn();
            census.element(a.key ^ b.key)
        })
    });
}

#[test]
fn reduce() {
    each(N as isize, |par, v, census, fuse| {
        par.map_reduce(v, census.element(0), Counted::clone, |a, b| {
            fuse.burn();
            census.element(a.key ^ b.key)
        })
    });
}

#[test]
fn looks() {
    each(N as isize, |par, v, _, fuse| par.for_each(v, |_| fuse.burn()));
    each(N as isize, |par, v, _, fuse| {
        par.count_if(v, |_| {
            fuse.burn();
            true
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.position(v, |_| {
            fuse.burn();
            false
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.is_sorted_by(v, |_, _| {
            fuse.burn();
            true
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.mismatch_by(v, v, |_, _| {
            fuse.burn();
            true
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.search_by(v, &v[N / 3..N / 2], |a, b| {
            fuse.burn();
            a.key == b.key
        })
    });
    each(N as isize, |par, v, _, fuse| {
        par.includes_by(v, v, |a, b| {
            fuse.burn();
            a.key.cmp(&b.key)
        })
    });
    each(N as isize, |par, v, _, fuse| {
        let order = |a: &Counted, b: &Counted| {
            fuse.burn();
            a.key.cmp(&b.key)
        };
        par.minmax_by(v, order).is_some()
    });
}

#[test]
fn in_place() {
    for policy in policies() {
        for fatal in [0, N / 3, N - 1] {
            let census = Census::new();
            let mut v: Vec<Counted> = (0..N as u32).map(|x| census.element(x)).collect();
            let fuse = Fuse::new(fatal);
            let result = catch_unwind(AssertUnwindSafe(|| {
                policy.map_in_place(&mut v, |x| {
                    fuse.burn();
                    census.element(x.key)
                });
            }));
            assert!(result.is_err());
            let fuse = Fuse::new(fatal);
            let result = catch_unwind(AssertUnwindSafe(|| {
                policy.inplace_merge_by(&mut v, N / 2, |a, b| {
                    fuse.burn();
                    (a.key % 2500).cmp(&(b.key % 2500))
                });
            }));
            assert!(result.is_err() || fatal > N / 3);
            assert_eq!(census.alive(), N as isize);
            v.sort_by_key(|x| x.key);
            assert!(v.iter().map(|x| x.key).eq(0..N as u32), "each element once");
            let fuse = Fuse::new(fatal);
            let result = catch_unwind(AssertUnwindSafe(|| {
                policy.adjacent_difference_in_place(&mut v, |a, b| {
                    fuse.burn();
                    census.element(a.key ^ b.key)
                });
            }));
            assert!(result.is_err() || fatal == N - 1);
            assert_eq!(census.alive(), N as isize);
            let fuse = Fuse::new(fatal);
            let result = catch_unwind(AssertUnwindSafe(|| {
                policy.inclusive_scan_in_place(&mut v, |a, b| {
                    fuse.burn();
                    census.element(a.key ^ b.key)
                });
            }));
            assert!(result.is_err() || fatal == N - 1);
            assert_eq!(census.alive(), N as isize);
        }
    }
}

#[test]
fn the_pool_stays_usable() {
    let policy = par().on(pool(4)).always();
    for fatal in 0..200 {
        let fuse = Fuse::new(fatal * 7);
        let v = vec![1_u64; 2_000];
        let result = catch_unwind(AssertUnwindSafe(|| {
            policy.for_each(&v, |_| fuse.burn());
        }));
        assert_eq!(result.is_err(), fatal * 7 < 2_000);
        assert_eq!(policy.reduce(&v, 0, |a, b| a + b), 2_000);
    }
}
