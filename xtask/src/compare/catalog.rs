//! The list of comparisons: the question of each, and how its figures are read.

/// The program that runs a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// The program `compare` of `fusain-benches`, beside the C++ peers.
    Slices,
    /// A program of `fusain-benches-ranks`, and its counterpart under real MPI.
    Ranks,
    /// Two builds of one program, with rayon's core and with ours.
    Cores,
    /// Two builds of one program, with rayon and with our crates under rayon's name.
    Names,
    /// Builds of programs that call fusain or rayon.
    Builds,
}

/// A comparison: `cargo xtask compare NAME`.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) name: &'static str,
    pub(super) program: Program,
    pub(super) question: &'static str,
    /// The meaning of its keys.
    pub(super) reading: &'static str,
    /// Additional options when BENCHMARKS.md is written.
    pub(super) options: &'static [&'static str],
}

/// The file of the README's plot.
pub(super) const PLOT: &str = "crates/fusain/assets/curves.svg";

const fn slices(name: &'static str, question: &'static str, reading: &'static str) -> Comparison {
    Comparison { name, program: Program::Slices, question, reading, options: &[] }
}

const fn ranks(name: &'static str, question: &'static str, reading: &'static str) -> Comparison {
    Comparison { name, program: Program::Ranks, question, reading, options: &[] }
}

/// All comparisons, in the order of BENCHMARKS.md.
pub(super) const ALL: &[Comparison] = &[
    slices(
        "region",
        "How long does an empty parallel region take?",
        "`ours_over_rtt` is the time of a region in round trips of a cache line between two cores. `rayon_over_ours` and the like are the other's time \
         over ours. TBB lets the caller run both halves, so its region need not send anything; ours lets it run the parts of workers that come late. rayon's, OpenMP's and \
         fork_union's regions need all threads, and so does a broadcast of ours: `broadcast_over_rtt`.",
    ),
    slices(
        "handover",
        "Which protocol hands work to another thread soonest?",
        "Five bare protocols between two threads, without a pool, in round trips of a cache line. The pool uses `message` and `victim_splits`.",
    ),
    slices(
        "join",
        "What does a fork cost?",
        "`fib_1w_over_plain` is Fibonacci on one worker over the plain recursion: the price of a fork that nobody takes. `rayon_over_ours` and \
         `chili_over_ours` are their times on two workers over ours. The keys that begin with `queens` are the same for a search.",
    ),
    slices(
        "tick",
        "What does a control loop gain, and what does it cost?",
        "Bursts of short regions between serial code and idle time. `rayon_over_ours_time` is rayon's time in the bursts over ours, \
         `rayon_over_ours_cpu` the same for the CPU time of the whole process. `rayon_inside_over_ours_time` is that of rayon if each burst is moved into its pool by one `install`, \
         `fork_union_over_ours_time` that of fork_union, whose threads always spin, \
         `one_core_over_ours_time` that of sequential code. `spin` and `park` are our workers when they never sleep, and when they \
         sleep at once, over the default.",
    ),
    slices(
        "coarse",
        "Are a few long tasks shared at once?",
        "`worst_over_rayon` is our time over rayon's where that is worst, so below 1 is ahead. `worst_over_ideal` is our time over the ideal \
         time and two wakes. `wake_ns` is how long a parked thread takes to start on another core, while its waker goes on.",
    ),
    slices(
        "crowd",
        "What does it cost to have too few cores?",
        "`sort` and `min` are the time with eight workers over the time with two; 1 means that the extra workers cost nothing. `beside_over_sequential` and \
         `beside_over_rayon` are the mean time of loops while another process uses half of the cores, over that of the sequential loop and that of rayon.",
    ),
    slices(
        "noloss",
        "Is the default ever slower than the better of sequential and parallel?",
        "A point is an algorithm, a length and a regime: one call after the other, calls after a rest, calls just after the closure has changed its \
         weight, or calls of few elements that have another weight in each. `points_held` is the part of points at which the default is as fast as the better choice, within the tolerance that is printed. `worst` is the \
         worst point's time over the better choice. `_again` is the part at which a second copy of the sequential code is as fast as the first one, of the points where \
         that is the better choice: what the machine's noise lets anybody hold.",
    ),
    slices(
        "breakeven",
        "From how many elements on does a call gain?",
        "Elements from which a call stays ahead of the best sequential code at all greater lengths; `inf` means never. `_over_region` is the time of that sequential code at that length, in empty parallel regions. `at_16_over_sequential` is a call of 16 \
         elements over the best bare loop. `model_over_best` is the worst choice that the pool made between sequential and parallel, over the better one.",
    ),
    Comparison {
        name: "curves",
        program: Program::Slices,
        question: "How does the time of a call grow with its length?",
        reading: "This is the plot of the README. `sort_2eN` and the like are the time of the std code on one core over ours, for 2^N elements.",
        options: &["--plot", PLOT],
    },
    slices(
        "first",
        "How do the basic slice algorithms compare with the best of rayon, TBB and GNU?",
        "`geomean_2eN` is the geometric mean of the best peer's time over ours, over all rows of 2^N elements. `rows_behind` counts the rows in which \
         the best peer is ahead by over 5 %, and `worst` is the worst row. `sort_N_over_std` is std's stable sort of N `i32` on one core over ours. \
         The closure of `for_each` counts to a number that the compiler does not see, which is 1: LLVM \
         unrolls that loop for f64 and GCC does not, so that row compares the compilers. `compare first --plain` shows our kernels as they run on processors without AVX: they are slow where SSE2 has no instruction for 32-bit \
         minima and products or for 64-bit comparisons, and where all that counts is how wide a vector is.",
    ),
    slices(
        "algorithms",
        "How do the algorithms of pSTL-Bench compare with everybody's?",
        "The peers are those of `first`, paralight, orx-parallel and rdst; the inputs are those of \
         [pSTL-Bench](https://github.com/parlab-tuwien/pSTL-Bench), `f64`. `geomean`, `rows_behind` and `worst` are as in `first`. `over_sequential_2eN` \
         is the best sequential code's time over ours; `rows_below_sequential` counts the rows in which that is below 0.95. `first_touch` is \
         what `first_touch_vec` gains in making a vector and in reading it.",
    ),
    slices(
        "iterators",
        "How do chains of iterators compare with rayon's, paralight's and orx-parallel's?",
        "`geomean_2eN`, `rows_behind` and `worst` are as in `first`. `worst_over_sequential` is the sequential chain's time over ours in the worst row. \
         `rayon_inside_2eN` is the geometric mean for rayon alone if it is called by its own workers; ours is always called from outside.",
    ),
    slices(
        "strings",
        "How fast are the words of a text sorted?",
        "`stable` and `unstable` are std's time on one core over ours, in the worst row of many words but those `by closure`, which have figures of their own. \
         `by key` is `sort_by_borrowed_key` here, a call that neither std nor rayon has, so these compare in a closure. `worst_over_rayon` is our time \
         over rayon's in the worst row of all, so below 1 is ahead.",
    ),
    Comparison {
        name: "rayon",
        program: Program::Cores,
        question: "How fast are programs written for rayon on our pool?",
        reading: "One program, built with rayon's core and with ours, and three programs from the registry, likewise. The figures are rayon's time over ours: \
                  geometric means over short and long calls, the worst row of these, the geometric mean of the `programs`, and each program by its name.",
        options: &[],
    },
    Comparison {
        name: "crates",
        program: Program::Names,
        question: "How fast are crates written for rayon with our iterators?",
        reading: "Crates from the registry, of which nothing is changed but where the package called `rayon` comes from. The figures are rayon's time over ours: geometric \
                  means of the calls that take less than 100 us with rayon and of the others, and the worst row. `rows_behind` counts the rows below 0.95.",
        options: &[],
    },
    Comparison {
        name: "compile",
        program: Program::Builds,
        question: "How long does a program with calls take to compile?",
        reading: "Our time over rayon's: `cold` with all dependencies, `warm` of the program alone, with 1, 10 or 40 calls. `text` is the size of the machine code.",
        options: &[],
    },
    ranks(
        "overhead",
        "What does it cost to be able to scale?",
        "One rank with one worker over plain sequential Rust, program by program. 1 means that it costs nothing.",
    ),
    ranks(
        "irregular",
        "What do two processes of one worker gain over one?",
        "The speed-up of two MPI processes over one, program by program; of two threads where there is no MPI. The table also has rayon with two \
         threads, a static split, and what two threads of plain arithmetic gained beside it.",
    ),
    ranks(
        "steal",
        "How long does a rank without work wait for some?",
        "From one task to the next: `local_over_rtt` between threads in round trips of a cache line, `mpi_over_pingpong` over MPI in round trips of the MPI library, \
         `local_over_pingpong` in round trips of our messages between threads. `idle_share` is the part of a core that an idle progress thread takes.",
    ),
    ranks(
        "scale",
        "Would stealing between ranks scale to machines that we do not have?",
        "A model that runs the protocol itself under a virtual clock; the costs of a message and a steal are measured first. `eff_N_WAY` is the efficiency on \
         N ranks: 1 is perfect. `paper` is the way of the paper, in which anybody is asked again and again.",
    ),
    ranks(
        "overlap",
        "How much of a nonblocking collective hides behind computing?",
        "The part that is hidden, the smallest over all sizes: 1 is all of it, on a modelled network. `cpu` is the part of that time in which the progress thread keeps \
         a core busy. What comes first is over the installed MPI libraries, beside their own nonblocking collectives.",
    ),
    ranks(
        "latency",
        "What does a collective of 8 bytes cost when it is waited for at once?",
        "`ours_over_native` is our time over the MPI library's own blocking call, for the worst collective.",
    ),
    ranks(
        "interpret",
        "What does the interpreter of schedules cost?",
        "`ns_per_op` is the time of an operation in a local graph, for the slowest shape of graph. Beside it: the same by hand, and as a `HashMap` of closures.",
    ),
    ranks(
        "simulate",
        "How large a machine can be simulated?",
        "Events a second, for two collectives. The last line of the table is a barrier of a million ranks, with its time and memory.",
    ),
    ranks(
        "choice",
        "Which algorithm of a collective is the fastest at which size?",
        "The thresholds of `Choice` come from this table. It has no figure of merit.",
    ),
    ranks(
        "split",
        "What does it cost to find the levels of a machine and make communicators of them?",
        "`ns_per_rank_N` is the time to locate N ranks and to make the tree of groups, for each rank. `peak_mib` is the memory of the whole process with a million ranks.",
    ),
    ranks(
        "hierarchy",
        "What do collectives by levels gain over flat ones?",
        "Geometric means over modelled machines, so the figures are the same everywhere: flat over ours. `worst` is the worst row. What comes first is over \
         Open MPI on two hosts in network namespaces, where these may be made.",
    ),
];

/// The comparison of this name.
pub(super) fn named(name: &str) -> Option<&'static Comparison> {
    ALL.iter().find(|comparison| comparison.name == name)
}

/// The names, for the command line.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|comparison| comparison.name)
}
