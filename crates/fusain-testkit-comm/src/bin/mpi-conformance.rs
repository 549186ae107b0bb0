//! The conformance suite over MPI: `mpirun -n 4 mpi-conformance`, which ends with `N passed, 0 failed` from rank 0.

use std::thread;

use fusain_comm::{Communicator, Error, Message, MpiWorld, Request};
use fusain_testkit_comm::conformance;

fn main() {
    let world = MpiWorld::start().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let passed = conformance(&comm) + own_checks(&world);
    // The suite has dropped its communicators; only this one is left.
    assert_eq!(world.live_communicators(), 1);
    comm.barrier().expect("a last barrier");
    if comm.rank() == 0 {
        report(&format!("{} on {} ranks\n{passed} passed, 0 failed", world.library(), comm.size()));
    }
}

/// Checks of what only MPI has: one thread that may call, and one start.
fn own_checks(world: &MpiWorld) -> usize {
    let comm = world.communicator().expect("a communicator of all");
    assert!(matches!(MpiWorld::start(), Err(Error::AlreadyInitialized)));
    let refused = |result: Result<(), Error>| assert!(matches!(result, Err(Error::WrongThread { .. })), "{result:?}");
    thread::scope(|scope| {
        scope.spawn(|| {
            refused(comm.barrier());
            refused(comm.send(&[1_u8], 0, 1));
            refused(comm.iprobe(0, 1).map(drop));
            refused(comm.split(None, 0).map(drop));
        });
    });
    let mut receive = comm.irecv(vec![0], comm.rank(), 1).expect("a receive");
    thread::scope(|scope| {
        scope.spawn(|| refused(receive.test().map(drop)));
    });
    others_drop(&comm);
    4
}

/// What a thread drops that may not call is ended by the next call: a receive takes no later message, and a message is received.
fn others_drop(comm: &impl Communicator) {
    let me = comm.rank();
    let receive = comm.irecv(vec![0], me, 2).expect("a receive");
    let sent = comm.isend(vec![0; 1 << 20], me, 3).expect("a send");
    let message = comm.mprobe(me, 3).expect("the message");
    thread::spawn(move || drop((receive, message))).join().expect("nothing panics");
    let later = comm.irecv(vec![0], me, 2).expect("a receive");
    comm.send(&[7_u8], me, 2).expect("it is sent");
    assert_eq!(later.wait().expect("it is received").buffer, [7]);
    sent.wait().expect("it was received");
    // Blocking calls and probes end them, too.
    for is_probed in [false, true] {
        let receive = comm.irecv(vec![0], me, 2).expect("a receive");
        thread::spawn(move || drop(receive)).join().expect("nothing panics");
        let is_there = comm.iprobe(me, 2).expect("a look");
        assert_eq!(is_there, None);
        let sent = comm.isend(vec![8], me, 2).expect("a send");
        let bytes = match is_probed {
            true => comm.mprobe(me, 2).and_then(Message::recv).expect("the message").0,
            false => comm.recv_vec::<u8>(me, 2).expect("the message").0,
        };
        assert_eq!(bytes, [8]);
        sent.wait().expect("it was received");
    }
}

#[allow(clippy::print_stdout, reason = "the report is what the program is for")]
fn report(text: &str) {
    println!("{text}");
}
