//! Switches: the path from each host to the root of the network.
//!
//! Three sources, all as text that the caller has read:
//!
//! | source | what it looks like | read by |
//! |---|---|---|
//! | Slurm's variables | `SLURM_TOPOLOGY_ADDR=core.leaf3.node17`, `SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node` | [`slurm_path`], one host |
//! | Slurm's `topology.conf` | `SwitchName=leaf3 Nodes=node[12-17]`, `SwitchName=core Switches=leaf[0-3]` | [`Fabric::from_topology_conf`] |
//! | a list | `node17 core/leaf3` | [`Fabric::from_list`] |
//!
//! Paths may have different lengths. A host name that comes twice is refused. If some hosts have a path and others none,
//! [`Missing`] says what to do; if none has one, there are no network levels.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::{Error, Host, Result};

/// The switches on the path to each host.
///
/// ```
/// use fusain_topology::{Fabric, Missing};
/// let fabric = Fabric::from_topology_conf("
///     SwitchName=leaf0 Nodes=node[0-3]
///     SwitchName=leaf1 Nodes=node[4-7]   # the far end of the room
///     SwitchName=core Switches=leaf[0-1]
/// ").unwrap();
/// assert_eq!(fabric.host("node5", Missing::Refuse).unwrap().switches(), ["core", "leaf1"]);
/// assert!(fabric.host("login", Missing::Refuse).is_err());
/// assert!(fabric.host("login", Missing::UnderCluster).unwrap().switches().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fabric {
    paths: BTreeMap<String, Vec<String>>,
}

/// What to do with a host that the description of the network does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Missing {
    /// It is an error.
    #[default]
    Refuse,
    /// It is put directly below the root of all hosts.
    UnderCluster,
}

impl Fabric {
    /// Reads lines of the form `host switch/switch/...`, the root first. `#` begins a comment. A host alone on a line is put directly below
    /// the root.
    ///
    /// # Errors
    /// [`Error::Network`], [`Error::DuplicateHost`].
    pub fn from_list(text: &str) -> Result<Self> {
        let mut fabric = Self::default();
        for (line, content) in lines(text) {
            let mut words = content.split_whitespace();
            let Some(host) = words.next() else { continue };
            let path = words.next().unwrap_or_default();
            if let Some(extra) = words.next() {
                return Err(Error::Network { line, reason: format!("{extra:?} follows host and path") });
            }
            let path: Vec<String> = path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            if let Some(name) = path.iter().enumerate().find(|(at, name)| path[..*at].contains(name)) {
                return Err(Error::Network { line, reason: format!("switch {:?} is on the path twice", name.1) });
            }
            fabric.add(host.to_owned(), path, format!("again in line {line}"))?;
        }
        Ok(fabric)
    }

    /// Reads Slurm's `topology.conf` (plugin `topology/tree`), including ranges in brackets.
    ///
    /// # Errors
    /// [`Error::Network`] for an unknown keyword, a switch that is defined twice, below two switches, below itself or
    /// nowhere; [`Error::DuplicateHost`] for a host on two switches.
    pub fn from_topology_conf(text: &str) -> Result<Self> {
        let mut parent: HashMap<String, String> = HashMap::new();
        let mut defined: HashMap<String, usize> = HashMap::new();
        let mut hosts: Vec<(String, String)> = Vec::new();
        let mut used: Vec<(usize, String)> = Vec::new();
        for (line, content) in lines(text) {
            let wrong = |reason: String| Error::Network { line, reason };
            let (mut name, mut nodes, mut switches) = (None, Vec::new(), Vec::new());
            for word in content.split_whitespace() {
                let (key, value) = word.split_once('=').ok_or_else(|| wrong(format!("{word:?} is no Key=Value")))?;
                match key.to_ascii_lowercase().as_str() {
                    "switchname" => name = Some(value.to_owned()),
                    "nodes" => nodes = host_list(value).ok_or_else(|| wrong(format!("{value:?} is no host list")))?,
                    "switches" => {
                        switches =
                            host_list(value).ok_or_else(|| wrong(format!("{value:?} is no list of switches")))?;
                    }
                    "linkspeed" => {}
                    _ => {
                        return Err(wrong(format!(
                            "keyword {key:?} is not one of SwitchName, Switches, Nodes, LinkSpeed"
                        )));
                    }
                }
            }
            let Some(name) = name else { return Err(wrong("it names no switch".to_owned())) };
            if let Some(first) = defined.insert(name.clone(), line) {
                return Err(wrong(format!("switch {name:?} was defined in line {first}")));
            }
            for below in switches {
                if let Some(other) = parent.insert(below.clone(), name.clone()) {
                    return Err(wrong(format!(
                        "switch {below:?} is below {other:?} and {name:?}; only trees are read"
                    )));
                }
                used.push((line, below));
            }
            hosts.extend(nodes.into_iter().map(|host| (host, name.clone())));
        }
        if let Some((line, unknown)) = used.into_iter().find(|(_, below)| !defined.contains_key(below)) {
            return Err(Error::Network { line, reason: format!("switch {unknown:?} is defined nowhere") });
        }
        let mut fabric = Self::default();
        for (host, leaf) in hosts {
            let mut path = vec![leaf];
            let mut seen = HashSet::from([path[0].clone()]);
            while let Some(above) = parent.get(&path[path.len() - 1]) {
                if !seen.insert(above.clone()) {
                    return Err(Error::Network {
                        line: defined[above],
                        reason: format!("switch {above:?} is below itself"),
                    });
                }
                path.push(above.clone());
            }
            path.reverse();
            fabric.add(host, path, "it is on two switches".to_owned())?;
        }
        Ok(fabric)
    }

    fn add(&mut self, host: String, path: Vec<String>, reason: String) -> Result<()> {
        match self.paths.insert(host.clone(), path) {
            Some(_) => Err(Error::DuplicateHost { host, reason }),
            None => Ok(()),
        }
    }

    /// The switches on the path to `host`, the root first.
    pub fn path(&self, host: &str) -> Option<&[String]> {
        self.paths.get(host).map(Vec::as_slice)
    }

    /// The host with its switches.
    ///
    /// # Errors
    /// [`Error::MissingHost`] if it has no entry, others have one, and `missing` refuses that.
    pub fn host(&self, name: &str, missing: Missing) -> Result<Arc<Host>> {
        match self.path(name) {
            Some(path) => Ok(Host::behind(name, path.to_vec())),
            None if self.paths.is_empty() || missing == Missing::UnderCluster => Ok(Host::new(name)),
            None => Err(Error::MissingHost { host: name.to_owned() }),
        }
    }
}

/// The switches of one host from `SLURM_TOPOLOGY_ADDR` and `SLURM_TOPOLOGY_ADDR_PATTERN`.
///
/// The pattern's last part stands for the host, whose name may contain dots itself.
///
/// # Errors
/// [`Error::Network`] if address and pattern do not fit each other.
///
/// ```
/// let path = fusain_topology::network::slurm_path("core.leaf3.node17.site", "switch.switch.node").unwrap();
/// assert_eq!(path, ["core", "leaf3"]);
/// ```
pub fn slurm_path(address: &str, pattern: &str) -> Result<Vec<String>> {
    let wrong = |reason: String| Error::Network { line: 1, reason };
    let kinds: Vec<_> = pattern.split('.').collect();
    let Some((host, above)) = kinds.split_last() else { return Err(wrong("the pattern is empty".to_owned())) };
    if *host != "node" || above.iter().any(|kind| *kind == "node" || kind.is_empty()) {
        return Err(wrong(format!("pattern {pattern:?} does not end in its only \"node\"")));
    }
    let parts: Vec<_> = address.splitn(kinds.len(), '.').collect();
    if parts.len() != kinds.len() || parts.iter().any(|part| part.is_empty()) {
        return Err(wrong(format!("address {address:?} has not the parts of pattern {pattern:?}")));
    }
    Ok(parts[..above.len()].iter().map(|&part| part.to_owned()).collect())
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = |line: &'_ str| -> usize { line.find('#').unwrap_or(line.len()) };
    text.lines()
        .enumerate()
        .map(move |(at, line)| (at + 1, line[..content(line)].trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// Slurm's host lists: `tux[0-3,07],login`. A zero in front keeps the width.
fn host_list(text: &str) -> Option<Vec<String>> {
    /// A longer list is a typing error, not a reason to take up all memory.
    const HOSTS_MAX: usize = 1 << 20;
    let mut hosts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.find([',', '[']).unwrap_or(rest.len());
        let prefix = &rest[..plain];
        if !rest[plain..].starts_with('[') {
            hosts.push(prefix.to_owned());
            rest = rest[plain..].strip_prefix(',').unwrap_or("");
            continue;
        }
        let close = plain + rest[plain..].find(']')?;
        let after = &rest[close + 1..];
        let end = after.find(',').unwrap_or(after.len());
        let suffix = &after[..end];
        for range in rest[plain + 1..close].split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let width = if first.starts_with('0') { first.len() } else { 0 };
            let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
            if last < first || last - first >= HOSTS_MAX {
                return None;
            }
            hosts.extend((first..=last).map(|number| format!("{prefix}{number:0width$}{suffix}")));
        }
        rest = after[end..].strip_prefix(',').unwrap_or("");
    }
    hosts.iter().all(|host| !host.is_empty()).then_some(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_lists() {
        assert_eq!(host_list("tux[0-2,7],login").unwrap(), ["tux0", "tux1", "tux2", "tux7", "login"]);
        assert_eq!(host_list("n[08-11]-ib").unwrap(), ["n08-ib", "n09-ib", "n10-ib", "n11-ib"]);
        for wrong in ["tux[3-1]", "tux[1", "a,,b", "tux[x]", "n[0-9999999]"] {
            assert_eq!(host_list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ragged_lists() {
        let fabric = Fabric::from_list("# host path\na core/leaf0\nb core\nc\n").unwrap();
        assert_eq!(fabric.path("a").unwrap(), ["core", "leaf0"]);
        assert_eq!(fabric.path("b").unwrap(), ["core"]);
        assert!(fabric.path("c").unwrap().is_empty());
    }

    #[test]
    fn what_is_refused() {
        let reason = |result: Result<Fabric>| result.unwrap_err().to_string();
        assert!(reason(Fabric::from_list("a s0\na s1")).contains("\"a\" is used twice"));
        assert!(reason(Fabric::from_list("a s0 s1")).contains("line 1"));
        assert!(reason(Fabric::from_list("a s0/s0")).contains("twice"));
        let conf = Fabric::from_topology_conf;
        assert!(reason(conf("SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=a")).contains("two switches"));
        assert!(reason(conf("SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b")).contains("line 1"));
        assert!(reason(conf("SwitchName=s0 Switches=s1")).contains("defined nowhere"));
        assert!(reason(conf("SwitchName=s0 Switches=s0 Nodes=a")).contains("below itself"));
        assert!(reason(conf("SwitchName=s0 Colour=red")).contains("Colour"));
        assert!(reason(conf("Nodes=a")).contains("no switch"));
        let two = "SwitchName=l Nodes=a\nSwitchName=x Switches=l\nSwitchName=y Switches=l";
        assert!(reason(conf(two)).contains("only trees"));
        assert!(slurm_path("a.b", "switch.switch.node").is_err());
        assert!(slurm_path("a.b", "node.switch").is_err());
        assert_eq!(slurm_path("n0", "node").unwrap(), [""; 0]);
    }
}
