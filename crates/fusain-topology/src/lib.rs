//! The hardware hierarchy as communicators.
//!
//! Processes that share a cache exchange messages faster than those that share a package, and those that share a package exchange them faster
//! than processes on two hosts. This crate turns *where ranks run* into a tree of groups, and the groups into communicators, one level at a
//! time or all at once, so that an algorithm can follow the machine without knowing it. The names are hwloc's.
//!
//! ```text
//!  Machine (XML, synthetic, feature hwloc) ─┐
//!  CpuSet: a rank's binding                 ├─▶ Place of a rank ─▶ Groups ─▶ Hierarchy, Level ─▶ broadcast, reduce, ...
//!  Workers of a rank                        │         pure logic, no I/O    over a Communicator      (by levels or flat: model)
//!  Fabric: switch paths                     ┘
//!
//!  Machine ─▶ Scope: a part of it ─▶ Workers (close, spread, packed), BindingGuard, devices, memory
//! ```
//!
//! Eight ranks, one on each core of a host with two packages, each with two caches of two cores:
//!
//! ```
//! use fusain_comm::{Communicator, World};
//! use fusain_topology::{Hierarchy, Host, Kind, Machine, Place};
//!
//! let machine = Machine::synthetic("Package:2 L2:2 Core:2 PU:1").unwrap();
//! let host = Host::new("charcoal");
//! World::threads(8).run(|comm| {
//!     let core = machine.nth(Kind::Core, comm.rank()).unwrap();
//!     let place = Place::bound(&host, &machine, core).unwrap();
//!     let hierarchy = Hierarchy::build(&comm, &place).unwrap();
//!     let kinds: Vec<_> = hierarchy.levels().iter().map(|level| level.info().kind.to_string()).collect();
//!     assert_eq!(kinds, ["Package", "L2Cache", "PU"]);
//!     let package = &hierarchy.levels()[0];
//!     assert_eq!((package.comm().size(), package.info().index, package.info().siblings), (4, comm.rank() / 4, 2));
//!     assert_eq!(hierarchy.roots(0).unwrap().is_some(), comm.rank() % 4 == 0);
//!     // Ranks 2 and 3 share an L2 cache, 0 and 7 only the machine.
//!     assert_eq!(hierarchy.groups().min_level(&[2, 3]).unwrap(), Kind::L2Cache);
//!     assert_eq!(hierarchy.groups().min_level(&[0, 7]).unwrap(), Kind::Machine);
//! });
//! ```
//!
//! # The rules
//!
//! They are Hsplit's (B. Goglin, E. Jeannot, F. Mansouri, G. Mercier: "A Hierarchical Model to Manage Hardware Topology in MPI
//! Applications", RR-9077, Inria 2018), sections 3 and 4; `tests/paper.rs` has the report's sections one by one:
//!
//! * A rank's [`Place`] is the path from the network's root down to the **lowest object that covers its binding**. An unbound rank's path ends
//!   at its machine; the path of a rank whose binding straddles siblings ends at the object that contains them.
//! * The ranks of a communicator share the beginning of their paths. They are split **where paths differ for the first time**: each child is a
//!   strict subset, children are disjoint, ranks keep their order.
//! * A rank whose path ends where others' paths go on stays in the parent group only: no level goes below its binding. The other ranks are
//!   still split. [`Groups::spanning_ranks`] lists such ranks.
//! * Between one split and the next a path may pass several objects with the same ranks. The level is named after the **lowest** kind that all
//!   siblings have among these objects.
//! * Siblings are numbered from 0 in the order of their first ranks, so that a child's number is its root's rank among the roots.
//!
//! [`groups`] describes how the tree is built, [`hierarchy`] when communicators are made. [`network`] reads descriptions of switches.
//! [`collective`] has the collectives over levels, [`model`] what they cost. [`xml`] says which descriptions are refused. Without feature
//! `hwloc` this crate reads no file and no environment variable: its callers do. Only [`BindingGuard`], [`Workers::vector`] and that feature call the operating
//! system.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "hwloc"), forbid(unsafe_code))]

mod bind;
pub mod collective;
mod cpuset;
mod device;
mod error;
pub mod groups;
mod guided;
pub mod hierarchy;
mod kind;
#[cfg(feature = "hwloc")]
mod local;
mod machine;
mod members;
pub mod model;
mod near;
pub mod network;
pub mod picture;
mod place;
mod scope;
mod synthetic;
mod workers;
pub mod xml;

pub use bind::{BindingGuard, ThreadId};
pub use cpuset::CpuSet;
pub use device::{CpuKind, Device, DeviceKind, MemoryNode};
pub use error::{Error, Result};
pub use groups::{Group, Groups};
pub use guided::{split_by, split_by_names, split_into};
pub use hierarchy::{Hierarchy, Level, split, split_with_roots};
pub use kind::Kind;
#[cfg(feature = "hwloc")]
pub use local::{bind_memory, bind_to, local_binding, local_host, local_machine};
pub use machine::{Machine, Object, Step};
pub use members::Member;
pub use network::{Fabric, Missing};
pub use place::{Host, Info, Place};
pub use scope::Scope;
pub use workers::{Policy, Workers};

/// Compiles and runs the code of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
