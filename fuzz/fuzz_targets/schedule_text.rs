//! Text that claims to be a schedule. It is refused with a place, or read. What was read is the same after writing and reading it again, and
//! can be simulated.

#![no_main]

use fusain_schedule::goal::{Error, Rank, Reader, Writer};
use fusain_schedule::simulate::{Parameters, Program, simulate};
use libfuzzer_sys::fuzz_target;

fn read(text: &[u8]) -> Result<Vec<Rank>, Error> {
    Reader::new(text)?.collect()
}

fuzz_target!(|text: &[u8]| {
    let Ok(ranks) = read(text) else { return };
    let mut again = Vec::new();
    let mut writer = Writer::new(&mut again, ranks.len() as u32).expect("there is a rank");
    for rank in &ranks {
        writer.write(rank).expect("what was read can be written");
    }
    writer.finish().expect("all ranks were written");
    assert_eq!(read(&again).expect("what was written can be read"), ranks);
    let program = Reader::new(text).map_err(Into::into).and_then(Program::read);
    let _ = program.and_then(|program| simulate(&program, &Parameters::default()));
});
