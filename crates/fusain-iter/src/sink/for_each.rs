//! Calls a function on every element.

use std::ops::ControlFlow;

use crate::drive::{Sink, drive};
use crate::settings::Settings;
use crate::source::Source;

struct ForEach<F>(F);

impl<S: Source, F: Fn(S::Item) + Sync> Sink<S> for ForEach<F> {
    type Found = ();

    const WAITS: bool = false;

    #[inline(always)]
    fn unit(&self, (): &mut (), source: &mut S, grain: usize) -> ControlFlow<()> {
        source.fold(grain, (), |(), x| (self.0)(x));
        ControlFlow::Continue(())
    }

    fn split(&self, (): &mut (), _rest: &S) {}

    fn finish(&self, (): ()) {}
}

/// Calls `f` on every element of `source`.
#[inline(always)]
pub(crate) fn each<S: Source>(settings: &Settings<'_>, source: S, f: impl Fn(S::Item) + Sync) {
    drive(settings, source, &ForEach(f), ());
}
