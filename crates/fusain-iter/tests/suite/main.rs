//! What chains promise, seen from outside.

mod against_std;
mod chains;
mod collections;
mod inference;
mod long;
mod misused;
mod names;
mod own_sources;
mod owned;
mod reentry;
mod shrinking;
mod support;
mod terminals;
