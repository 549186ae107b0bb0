//! Memory for results and for work, and how it is read and written.
//!
//! | file | what it is |
//! |---|---|
//! | [`output`] | uninitialised slots that many workers fill |
//! | [`scratch`] | memory that a call works in, kept for the next one |
//! | [`bytes`], [`nontemporal`] | numbers copied as bytes; many results, written around the caches |
//! | [`huge_pages`] | fresh memory in large pages |
//! | [`prefetch`], [`streams`] | memory outside the caches: prefetched, or read as several streams |
//! | [`copy_or_ref`] | a borrowed value, or a copy of it if it is a number |

pub(crate) mod bytes;
pub(crate) mod copy_or_ref;
pub(crate) mod huge_pages;
pub(crate) mod nontemporal;
pub(crate) mod output;
pub(crate) mod prefetch;
pub(crate) mod scratch;
pub(crate) mod streams;
