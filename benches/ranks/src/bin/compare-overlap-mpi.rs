//! `compare overlap` over an MPI library: `mpirun -n 2 compare-overlap-mpi [--smoke]`.
//!
//! Ours, driven by hand or by a progress thread, beside the library's nonblocking collectives, which progress only inside its calls.
//! Computing keeps the core busy. With as many ranks as cores, the progress thread has therefore no free core. The last figure is the share
//! of a core that the progress thread uses while no messages arrive.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use fusain::comm::mpi::MpiRequest;
use fusain::comm::progress::{Progress, Settings};
use fusain::comm::{Communicator, MpiComm, MpiWorld, Request};
use fusain::schedule::Engine;
use fusain_benches_ranks::nonblocking::{CASES, Call, Nonblocking, Ours, Overlap, idle_share, overlap};
use fusain_benches_ranks::slowest;
use fusain_harness::table;

/// The number of collectives for each figure, and the seconds without a message; `SMOKE` has those of a run that only has to end.
const FULL: (usize, f64) = (101, 2.0);
const SMOKE: (usize, f64) = (3, 0.1);

/// The library's collective.
struct Native<'a> {
    comm: &'a MpiComm,
    call: Call,
    buffer: Vec<u8>,
    under_way: Option<MpiRequest>,
}

impl Nonblocking for Native<'_> {
    fn start(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        let request = match self.call {
            Call::Barrier => self.comm.native_ibarrier(),
            // SAFETY: all ranks make the same calls, with the same lengths.
            Call::AllToAll => unsafe { self.comm.native_iall_to_all(buffer) },
            // SAFETY: as above.
            Call::Allreduce => unsafe { self.comm.native_iallreduce_or(buffer) },
        };
        self.under_way = Some(request.expect("a collective starts"));
    }

    fn wait(&mut self) {
        let request = self.under_way.take().expect("it was started");
        self.buffer = request.wait().expect("a collective ends well").buffer;
    }
}

fn compute(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        spin_loop();
    }
}

fn main() {
    let (rounds, idle_s) = if std::env::args().any(|argument| argument == "--smoke") { SMOKE } else { FULL };
    // Any thread may call MPI, so that both sides can be measured in turn. For progress by hand the thread level makes no difference.
    let world = MpiWorld::start_multiple().expect("MPI starts");
    let comm = world.communicator().expect("a communicator of all");
    let agree = |time_us: f64| slowest(&comm, time_us);
    let transport = || world.communicator().expect("a communicator for the loop");
    let manual = Progress::manual(transport(), Settings::default());
    let engine = Engine::new(manual.handle());
    let mut rows: Vec<Vec<Overlap>> = CASES
        .into_iter()
        .map(|(call, bytes)| {
            let length = if call == Call::AllToAll { bytes * comm.size() } else { bytes };
            let mut native = Native { comm: &comm, call, buffer: vec![0; 2 * length], under_way: None };
            comm.barrier().expect("a barrier");
            let library = overlap(rounds, &mut native, compute, agree);
            comm.barrier().expect("a barrier");
            vec![library, overlap(rounds, &mut Ours::new(&engine, call, bytes), compute, agree)]
        })
        .collect();
    manual.shutdown();
    let threads = world.is_multiple();
    let mut idle = None;
    if threads {
        let thread = Progress::spawn(transport(), Settings::default()).expect("a progress thread");
        let engine = Engine::new(thread.handle());
        for ((call, bytes), row) in CASES.into_iter().zip(&mut rows) {
            comm.barrier().expect("a barrier");
            row.push(overlap(rounds, &mut Ours::new(&engine, call, bytes), compute, agree));
        }
        comm.barrier().expect("a barrier");
        idle = Some(idle_share(&thread.handle(), Duration::from_secs_f64(idle_s)));
        thread.shutdown();
    }
    if comm.rank() != 0 {
        return;
    }
    let mut table =
        table(&["collective", "bytes", "library us", "overlap", "manual us", "overlap", "thread us", "overlap"]);
    for ((call, bytes), row) in CASES.into_iter().zip(rows) {
        let cells = row.iter().flat_map(|one| [format!("{:.1}", one.pure_us), format!("{:.2}", one.share)]);
        table.add_row([call.name().to_owned(), bytes.to_string()].into_iter().chain(cells));
    }
    println!("{}, {} ranks\n{table}", world.library(), comm.size());
    match idle {
        Some(share) => {
            println!("A progress thread that hears nothing for {idle_s} s takes {:.2} % of a core.", 100.0 * share)
        }
        None => println!("The library grants no MPI_THREAD_MULTIPLE: the progress thread is left out."),
    }
}
