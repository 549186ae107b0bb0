//! When the pool is left alone.

use fusain_algorithms::par;
use fusain_pool::Pool;

#[test]
fn a_handful_of_elements_stays_on_the_calling_thread() {
    let pool = Pool::builder().threads(2).build().unwrap();
    let v = [1.0; 16];
    for _ in 0..1_000 {
        assert_eq!(par().on(&pool).reduce(&v, 0.0, |a, b| a + b), 16.0);
    }
    // The first call, of whose closure nothing is known, is shared out element by element.
    let units = pool.counters().units;
    assert!(units < 200, "{units} units in 1000 calls");
}
