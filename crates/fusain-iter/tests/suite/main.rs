//! What chains promise, seen from outside.

mod chains;
mod collections;
mod ends;
mod long;
mod names;
mod own_sources;
mod owned;
mod support;
mod twins;
