//! Limits on the resources that received bytes may claim, for any deserializer.
//!
//! A format alone cannot refuse two things. One is a list of elements that take no bytes: a length of 2^60 is a loop that never ends, and takes unlimited
//! memory if such an element takes some here. The other is a type that contains itself: a megabyte of brackets overflows the stack. So elements and levels are
//! counted.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

/// The maximum depth of nested lists, structures, options and variants. Without optimisation a level takes some kilobytes of a stack, which may be two
/// megabytes.
const DEPTH_MAX: u32 = 256;

/// The maximum number of list elements of a value, beyond its number of bytes: elements that take no bytes. Fields are not counted, since the type fixes their
/// number; a pair of bytes is one element of two bytes.
const EMPTY_MAX: usize = 1 << 16;

/// The remaining limits for one value.
pub(crate) struct Limits {
    elements: Cell<usize>,
    /// Why the value was refused. Not every format keeps the text of its errors.
    refusal: Cell<Option<&'static str>>,
}

impl Limits {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { elements: Cell::new(bytes.saturating_add(EMPTY_MAX)), refusal: Cell::new(None) }
    }

    pub(crate) fn refusal(&self) -> Option<&'static str> {
        self.refusal.get()
    }

    fn refuse<T, E: Error>(&self, why: &'static str) -> Result<T, E> {
        self.refusal.set(Some(why));
        Err(E::custom(why))
    }

    /// Counts one more element.
    fn count<E: Error>(&self) -> Result<(), E> {
        match self.elements.get().checked_sub(1) {
            Some(left) => self.elements.set(left),
            None => return self.refuse("a list in it is longer than all of its bytes"),
        }
        Ok(())
    }
}

/// A deserializer, visitor or accessor, with its limits.
pub(crate) struct Bounded<'l, D> {
    inner: D,
    limits: &'l Limits,
    depth: u32,
    /// Whether the next value is a list, not a structure with fields.
    is_list: bool,
}

impl<'l, D> Bounded<'l, D> {
    pub(crate) fn new(inner: D, limits: &'l Limits) -> Self {
        Self { inner, limits, depth: 0, is_list: false }
    }

    fn map<T>(&self, inner: T) -> Bounded<'l, T> {
        Bounded { inner, limits: self.limits, depth: self.depth, is_list: self.is_list }
    }

    /// Goes one level down.
    fn below<T, E: Error>(self, wrap: impl FnOnce(D) -> T) -> Result<Bounded<'l, T>, E> {
        if self.depth == DEPTH_MAX {
            return self.limits.refuse("it is nested too deeply");
        }
        Ok(Bounded { inner: wrap(self.inner), limits: self.limits, depth: self.depth + 1, is_list: self.is_list })
    }
}

/// Values that contain no other value, so that nothing is counted.
macro_rules! forward {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$name(visitor)
        })*
    };
}

/// Values that contain others, so that their visitor is wrapped, too.
macro_rules! watch {
    ($is_list:literal: $($name:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Bounded { inner: visitor, limits: self.limits, depth: self.depth, is_list: $is_list };
            self.inner.$name($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<'_, D> {
    type Error = D::Error;

    forward! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier
    }

    watch! { true: deserialize_any() deserialize_ignored_any() deserialize_seq() deserialize_map() }

    watch! {
        false: deserialize_option() deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize) deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<V::Value, D::Error> {
        let Bounded { inner, limits, depth, is_list } = self.below(|visitor| visitor)?;
        inner.visit_some(Bounded { inner: some, limits, depth, is_list })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, within: D) -> Result<V::Value, D::Error> {
        let Bounded { inner, limits, depth, is_list } = self.below(|visitor| visitor)?;
        inner.visit_newtype_struct(Bounded { inner: within, limits, depth, is_list })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        let Bounded { inner, limits, depth, is_list } = self.below(|visitor| visitor)?;
        inner.visit_seq(Bounded { inner: elements, limits, depth, is_list })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        let Bounded { inner, limits, depth, is_list } = self.below(|visitor| visitor)?;
        inner.visit_map(Bounded { inner: entries, limits, depth, is_list })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        let Bounded { inner, limits, depth, is_list } = self.below(|visitor| visitor)?;
        inner.visit_enum(Bounded { inner: variant, limits, depth, is_list })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let inner = self.map(inner);
        self.inner.deserialize(inner)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.map(seed);
        let element = self.inner.next_element_seed(seed)?;
        if self.is_list && element.is_some() {
            self.limits.count()?;
        }
        Ok(element)
    }

    /// The caller reserves memory for this number of elements. Postcard returns no number above that of its bytes.
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.map(seed);
        let key = self.inner.next_key_seed(seed)?;
        if self.is_list && key.is_some() {
            self.limits.count()?;
        }
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.map(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'l, A: EnumAccess<'de>> EnumAccess<'de> for Bounded<'l, A> {
    type Error = A::Error;
    type Variant = Bounded<'l, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let Self { inner, limits, depth, is_list } = self;
        let (value, variant) = inner.variant_seed(Bounded { inner: seed, limits, depth, is_list })?;
        Ok((value, Bounded { inner: variant, limits, depth, is_list }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.map(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.map(visitor);
        self.inner.tuple_variant(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.map(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}
