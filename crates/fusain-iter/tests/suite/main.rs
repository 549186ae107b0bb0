//! What chains promise, seen from outside.

mod chains;
mod collections;
mod ends;
mod names;
mod owned;
mod own_sources;
mod pieces;
mod support;
mod twins;
