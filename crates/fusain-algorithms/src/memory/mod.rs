//! Memory for results, and the ways to and from it.
//!
//! | file | what it is |
//! |---|---|
//! | [`output`] | uninitialised slots that many workers fill |
//! | [`scratch`] | memory that a call works in, kept for the next one |
//! | [`bytes`], [`nontemporal`] | numbers copied as bytes; many results, written around the caches |
//! | [`huge_pages`], [`prefetch`] | fresh memory in large pages; memory asked for before it is needed |
//! | [`copy_or_ref`] | a borrowed value, or a copy of it where that is nearer |

pub(crate) mod bytes;
pub(crate) mod copy_or_ref;
pub(crate) mod huge_pages;
pub(crate) mod nontemporal;
pub(crate) mod output;
pub(crate) mod prefetch;
pub(crate) mod scratch;
