//! Refuses text before the parser reads it, if the parser's work would grow faster than the text's length.

use super::wrong;
use crate::Result;

const TEXT_BYTES_MAX: usize = 32 << 20;
const ATTRIBUTES_MAX: usize = 128;

/// Checks the text in one pass over its bytes.
pub(super) fn check(text: &str) -> Result<()> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(wrong(format!("it has {} bytes, and {TEXT_BYTES_MAX} is the most", text.len())));
    }
    for word in ["<!ENTITY", "xmlns"] {
        if text.contains(word) {
            return Err(wrong(format!("it has {word}, which hwloc does not write")));
        }
    }
    // An attribute's value contains no '<', so the '=' of every attribute lies between two of them.
    let many = |piece: &&str| piece.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES_MAX;
    match text.split('<').find(many) {
        Some(piece) => {
            let begin: String = piece.chars().take(40).collect();
            Err(wrong(format!("the element <{begin}... has over {ATTRIBUTES_MAX} attributes")))
        }
        None => Ok(()),
    }
}
