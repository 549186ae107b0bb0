//! States and messages as bytes.
//!
//! | file | what it is |
//! |---|---|
//! | [`codec`], [`bounded`] | values into bytes and back; limits on the resources that bytes may claim |
//! | [`packet`] | the messages that are sent to a rank together |

pub(crate) mod bounded;
pub(crate) mod codec;
pub(crate) mod packet;
