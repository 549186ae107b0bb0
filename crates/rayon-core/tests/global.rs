//! The global pool, which a process has once.

use std::thread;

use rayon_core::{ThreadPoolBuilder, current_num_threads};

/// As in rayon, a thread that uses the global pool while another thread builds it waits for that pool.
#[test]
fn whoever_comes_while_it_is_built_gets_the_pool_that_is_built() {
    let users = std::sync::Mutex::new(Vec::new());
    ThreadPoolBuilder::new()
        .num_threads(3)
        .spawn_handler(|started| {
            users.lock().unwrap().push(thread::spawn(current_num_threads));
            thread::spawn(|| {
                assert_eq!(current_num_threads(), 3);
                started.run();
            });
            // They have time to come too early.
            thread::sleep(std::time::Duration::from_millis(5));
            Ok(())
        })
        .build_global()
        .unwrap();
    for user in users.into_inner().unwrap() {
        assert_eq!(user.join().unwrap(), 3);
    }
    assert!(ThreadPoolBuilder::new().build_global().is_err());
}
