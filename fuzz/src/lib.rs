//! Schedules as first inputs, which several targets share.

use fusain_schedule::collective::{self, AllToAll, Allreduce, Group, Reduction};
use fusain_schedule::{Operator, Result, Schedule, ScheduleBuilder};

/// A schedule of one rank with all kinds of operations. It calls the functions that the target of binary schedules provides.
///
/// # Errors
/// None, since the schedule compiles.
pub fn all_kinds() -> Result<Schedule> {
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let (a, b) = (builder.buffer::<u32>(8), builder.scratch::<u32>(8));
    let when = builder.scratch::<u64>(1);
    builder.send(a, 0, 1);
    builder.recv([b.slice(4..), b.slice(..4)], 0, 1);
    builder.apply(Operator::Div, a.slice(2..6), b.slice(..4));
    builder.copy([a.slice(..1), a.slice(7..)], b.slice(3..5));
    let mix = |into: &mut [u32], with: &[u32]| into.iter_mut().zip(with).for_each(|(into, with)| *into ^= with);
    builder.call(mix, a, b);
    builder.timestamp(when);
    builder.compile()
}

/// Collectives among four ranks.
///
/// # Errors
/// None, since the schedules compile.
pub fn collectives() -> Result<Vec<Schedule>> {
    let among_four = |add: &dyn Fn(&mut ScheduleBuilder, &Group) -> Result<()>| {
        let mut builder = ScheduleBuilder::in_program_order(1, 4);
        let group = Group::all(&builder);
        add(&mut builder, &group)?;
        builder.compile()
    };
    let barrier = among_four(&|builder, group| collective::barrier(builder, group, 2, &[]).map(drop))?;
    let allreduce = |algorithm| {
        among_four(&move |builder, group| {
            let data = builder.buffer::<i16>(12);
            collective::allreduce(builder, group, data, &Reduction::max(), algorithm)
        })
    };
    let all_to_all = among_four(&|builder, group| {
        let (from, into) = (builder.buffer::<u64>(8), builder.buffer::<u64>(8));
        collective::all_to_all(builder, group, (from, &[2; 4]), (into, &[2; 4]), AllToAll::Bruck)
    })?;
    Ok(vec![barrier, allreduce(Allreduce::Rabenseifner)?, allreduce(Allreduce::Ring)?, all_to_all])
}
