use crate::{Algorithm, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Mutex;

/// Counts down from a number, with something to carry that is checked each time; panics at one of them.
struct Down<P> {
    carry: fn(&Arc<()>, usize) -> P,
    checks: fn(&P) -> usize,
    alive: Arc<()>,
    panics_at: usize,
    sum: Mutex<usize>,
}

impl<P: Send> Algorithm for Down<P> {
    type Local = (u32, u32, P);

    fn has_local_work(&self, local: &Self::Local) -> bool {
        local.0 < local.1
    }

    fn do_unit(&self, local: &mut Self::Local, _: usize) {
        assert_ne!(local.0 as usize, self.panics_at);
        *self.sum.lock().unwrap() += (self.checks)(&local.2);
        local.0 += 1;
        std::thread::yield_now();
    }

    fn commit(&self, local: &mut Self::Local) {
        local.2 = (self.carry)(&self.alive, (self.checks)(&local.2));
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        let middle = victim.0 + (victim.1 - victim.0) / 2;
        let end = std::mem::replace(&mut victim.1, middle);
        (middle < end).then(|| (middle, end, (self.carry)(&self.alive, (self.checks)(&victim.2))))
    }
}

fn counts_down<P: Send>(carry: fn(&Arc<()>, usize) -> P, checks: fn(&P) -> usize) {
    let pool = Pool::builder().threads(4).build().unwrap();
    for panics_at in [usize::MAX, 0, 150, 299] {
        for _ in 0..5 {
            let down = Down { carry, checks, alive: Arc::default(), panics_at, sum: Mutex::default() };
            let first = (0, 300, carry(&down.alive, 7));
            let result = catch_unwind(AssertUnwindSafe(|| pool.run(&down, first)));
            assert_eq!(result.is_ok(), panics_at == usize::MAX);
            if result.is_ok() {
                assert_eq!(*down.sum.lock().unwrap(), 300 * 7);
            }
            assert_eq!(Arc::strong_count(&down.alive), 1, "each state is dropped once");
        }
    }
}

#[test]
fn states_of_all_sizes_are_what_they_were() {
    counts_down(|_, _| (), |()| 7);
    counts_down(|_, x| [x; 5], |x| x[4]);
    counts_down(|alive, x| (alive.clone(), [x; 7]), |x| x.1[6]);
    counts_down(|alive, x| (alive.clone(), [x; 8]), |x| x.1[7]);
    counts_down(|alive, x| (alive.clone(), [x; 13]), |x| x.1[12]);
    counts_down(|alive, x| (alive.clone(), [x; 14]), |x| x.1[13]);
    counts_down(|alive, x| (alive.clone(), [x; 300]), |x| x.1[299]);
    // More aligned than words.
    counts_down(|_, x| x as u128, |x| *x as usize);
}
