//! The argument of methods that only this crate can call and override: a type that nobody else can name.

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Seal;
