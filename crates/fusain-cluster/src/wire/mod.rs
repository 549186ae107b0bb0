//! States and messages as bytes.
//!
//! | file | what it is |
//! |---|---|
//! | [`codec`], [`bounded`] | values into bytes and back; limits on what bytes may ask for |
//! | [`packet`] | what is sent to another rank at once |

pub(crate) mod bounded;
pub(crate) mod codec;
pub(crate) mod packet;
