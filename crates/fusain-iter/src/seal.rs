//! The argument of methods that only this crate can call and override: a type that no other crate can name.

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Seal;
