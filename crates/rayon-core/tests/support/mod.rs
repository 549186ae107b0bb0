//! For tests that would hang if they failed.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Ends the process if `f` hangs.
pub(crate) fn ends<R>(f: impl FnOnce() -> R) -> R {
    let (done, is_done) = mpsc::channel::<()>();
    thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("hangs");
            std::process::abort();
        }
    });
    let result = f();
    drop(done);
    result
}
