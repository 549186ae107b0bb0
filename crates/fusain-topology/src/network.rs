//! Switches: the path from each host to the root of the network.
//!
//! There are three sources. All are text that the caller has read:
//!
//! | source | what it looks like | read by |
//! |---|---|---|
//! | Slurm's variables | `SLURM_TOPOLOGY_ADDR=core.leaf3.node17`, `SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node` | [`slurm_path`], one host |
//! | Slurm's `topology.conf` | `SwitchName=leaf3 Nodes=node[12-17]`, `SwitchName=core Switches=leaf[0-3]` | [`Fabric::from_topology_conf`] |
//! | a list | `node17 core/leaf3` | [`Fabric::from_list`] |
//!
//! Paths may have different lengths. A host name that occurs twice is refused. If some hosts have a path and others have none, [`Missing`]
//! says what to do. If no host has a path, there are no network levels.

mod names;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::{Error, Host, Result};
use names::Names;

/// The maximum number of switches on one path. Otherwise a long chain with a line for each switch would take memory in proportion to the
/// square of their number.
const DEPTH_MAX: usize = 64;

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
    /// The path of each host. Hosts on the same switch share their path.
    paths: BTreeMap<String, Arc<[String]>>,
}

/// What to do with a host that is not in the description of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Missing {
    /// The host is an error.
    #[default]
    Refuse,
    /// The host is put directly below the root of all hosts.
    UnderCluster,
}

impl Fabric {
    /// Reads lines of the form `host switch/switch/...`, the root first. `#` begins a comment. A host alone on a line is put directly below
    /// the root.
    ///
    /// # Errors
    /// [`Error::Network`], also for more than 64 switches on a path; [`Error::DuplicateHost`].
    pub fn from_list(text: &str) -> Result<Self> {
        let mut fabric = Self::default();
        for (line, content) in lines(text) {
            let mut words = content.split_whitespace();
            let Some(host) = words.next() else { continue };
            let path = words.next().unwrap_or_default();
            if let Some(extra) = words.next() {
                return Err(Error::Network { line, reason: format!("{extra:?} follows host and path") });
            }
            let names = path.split('/').filter(|name| !name.is_empty());
            let path: Vec<String> = names.take(DEPTH_MAX + 1).map(str::to_owned).collect();
            if path.len() > DEPTH_MAX {
                return Err(Error::Network { line, reason: too_deep(host) });
            }
            if let Some(name) = path.iter().enumerate().find(|(at, name)| path[..*at].contains(name)) {
                return Err(Error::Network { line, reason: format!("switch {:?} is on the path twice", name.1) });
            }
            fabric.add(host.to_owned(), path.into(), format!("again in line {line}"))?;
        }
        Ok(fabric)
    }

    /// Reads Slurm's `topology.conf` (plugin `topology/tree`), including ranges in brackets.
    ///
    /// # Errors
    /// [`Error::Network`] for a keyword that is unknown or occurs twice in a line, for a switch that is defined twice, below two switches,
    /// below itself or nowhere, and for more than any network has: more than 2^20 names, a name of more than 255 bytes or a number of more
    /// than 20 digits, more than 64 switches on a path, more than 64 MiB of names and paths; [`Error::DuplicateHost`] for a host on two
    /// switches.
    pub fn from_topology_conf(text: &str) -> Result<Self> {
        let mut parent: HashMap<String, String> = HashMap::new();
        let mut defined: HashMap<String, usize> = HashMap::new();
        let mut hosts: Vec<(Vec<String>, String)> = Vec::new();
        let mut names = Names::default();
        let mut used: Vec<(usize, String)> = Vec::new();
        for (line, content) in lines(text) {
            let wrong = |reason: String| Error::Network { line, reason };
            let (mut name, mut nodes, mut switches) = (None, Vec::new(), Vec::new());
            let mut keys = Vec::new();
            for word in content.split_whitespace() {
                let (key, value) = word.split_once('=').ok_or_else(|| wrong(format!("{word:?} is no Key=Value")))?;
                let small = key.to_ascii_lowercase();
                // Otherwise the first list would be lost.
                if keys.contains(&small) {
                    return Err(wrong(format!("keyword {key:?} is there twice: write one list")));
                }
                match small.as_str() {
                    "switchname" => {
                        if value.is_empty() {
                            return Err(wrong(format!("{word} is followed by no name")));
                        }
                        names::check(value).map_err(wrong)?;
                        name = Some(value.to_owned());
                    }
                    "nodes" => nodes = names.read(value).map_err(wrong)?,
                    "switches" => switches = names.read(value).map_err(wrong)?,
                    "linkspeed" => {}
                    _ => {
                        return Err(wrong(format!(
                            "keyword {key:?} is not one of SwitchName, Switches, Nodes, LinkSpeed"
                        )));
                    }
                }
                keys.push(small);
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
            hosts.push((nodes, name));
        }
        if let Some((line, unknown)) = used.into_iter().find(|(_, below)| !defined.contains_key(below)) {
            return Err(Error::Network { line, reason: format!("switch {unknown:?} is defined nowhere") });
        }
        let mut fabric = Self::default();
        for (hosts, leaf) in hosts {
            // Also for a switch without hosts, so that a cycle is always reported.
            let path: Arc<[String]> = path_to(&leaf, &parent, &defined)?.into();
            let bytes = path.iter().map(String::len).sum();
            names.take_bytes(bytes).map_err(|reason| Error::Network { line: defined[&leaf], reason })?;
            for host in hosts {
                fabric.add(host, Arc::clone(&path), "it is on two switches".to_owned())?;
            }
        }
        Ok(fabric)
    }

    fn add(&mut self, host: String, path: Arc<[String]>, reason: String) -> Result<()> {
        match self.paths.insert(host.clone(), path) {
            Some(_) => Err(Error::DuplicateHost { host, reason }),
            None => Ok(()),
        }
    }

    /// The switches on the path to `host`, the root first.
    pub fn path(&self, host: &str) -> Option<&[String]> {
        self.paths.get(host).map(|path| &**path)
    }

    /// The host with its switches.
    ///
    /// # Errors
    /// [`Error::MissingHost`] if the host has no entry, other hosts have one, and `missing` refuses that.
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
/// The pattern's last part stands for the host, whose name may contain dots.
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

/// The switches from the root to `leaf`, given the parent of each switch and the line that defines it.
fn path_to(leaf: &str, parent: &HashMap<String, String>, defined: &HashMap<String, usize>) -> Result<Vec<String>> {
    let wrong = |switch: &str, reason: String| Error::Network { line: defined[switch], reason };
    let mut path = vec![leaf.to_owned()];
    while let Some(above) = parent.get(&path[path.len() - 1]) {
        if path.contains(above) {
            return Err(wrong(above, format!("switch {above:?} is below itself")));
        }
        if path.len() == DEPTH_MAX {
            return Err(wrong(leaf, too_deep(leaf)));
        }
        path.push(above.clone());
    }
    path.reverse();
    Ok(path)
}

fn too_deep(end: &str) -> String {
    format!("the path to {end:?} has more than {DEPTH_MAX} switches")
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = |line: &'_ str| -> usize { line.find('#').unwrap_or(line.len()) };
    text.lines()
        .enumerate()
        .map(move |(at, line)| (at + 1, line[..content(line)].trim()))
        .filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ragged_lists() {
        let fabric = Fabric::from_list("# host path\na core/leaf0\nb core\nc\n").unwrap();
        assert_eq!(fabric.path("a").unwrap(), ["core", "leaf0"]);
        assert_eq!(fabric.path("b").unwrap(), ["core"]);
        assert!(fabric.path("c").unwrap().is_empty());
    }

    #[test]
    fn hosts_on_one_switch_share_its_path() {
        let fabric = Fabric::from_topology_conf("SwitchName=s Nodes=a[0-99]").unwrap();
        let (first, last) = (fabric.path("a0").unwrap(), fabric.path("a99").unwrap());
        assert!(std::ptr::eq(first, last) && first == ["s"]);
    }

    #[test]
    fn a_line_has_a_keyword_once() {
        let error = Fabric::from_topology_conf("\nSwitchName=s Nodes=a LinkSpeed=1 nodes=b").unwrap_err().to_string();
        assert_eq!(error, "line 2 of the network description: keyword \"nodes\" is there twice: write one list");
    }

    #[test]
    fn a_switch_has_a_name() {
        let error = Fabric::from_topology_conf("SwitchName= Nodes=a").unwrap_err().to_string();
        assert!(error.contains("line 1 of the network description: SwitchName= is followed by no name"), "{error}");
    }

    #[test]
    fn a_circle_of_switches_is_refused_also_without_hosts() {
        let text = "SwitchName=leaf Nodes=n\nSwitchName=a Switches=b\nSwitchName=b Switches=a";
        let error = Fabric::from_topology_conf(text).unwrap_err().to_string();
        assert!(error.contains("line 2 of the network description: switch \"a\" is below itself"), "{error}");
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
        assert!(reason(conf("SwitchName=s Nodes=a[000-0]\n\nSwitchName=t Nodes=a[1")).contains("line 3"));
        let wide = format!("\nSwitchName=s Nodes=a[{}-3]", "0".repeat(70_000));
        assert!(
            reason(conf(&wide)).contains("line 2 of the network description: a number behind \"a\" has more than 20")
        );
        let ranges = "SwitchName=s0 Nodes=a[1-10]\nSwitchName=s1 Nodes=b[1-1048570]";
        assert!(reason(conf(ranges)).contains("line 2"), "neither range is too long, but together they are");
        let long = format!("SwitchName={} Nodes=a", "s".repeat(300));
        assert!(reason(conf(&long)).contains("more than 255 bytes"));
        let names = format!("SwitchName=s Nodes={}[0-1048000]", "x".repeat(240));
        assert!(reason(conf(&names)).contains("line 1 of the network description: all names and paths"));
        let below: String =
            (1..60).map(|at| format!("SwitchName={0}{at} Switches={0}{1}\n", "s".repeat(240), at + 1)).collect();
        let leaves = format!("SwitchName={}60 Switches=l[1-9999]\n", "s".repeat(240));
        let hosts: String = (1..10_000).map(|at| format!("SwitchName=l{at} Nodes=n{at}\n")).collect();
        assert!(reason(conf(&(below + &leaves + &hosts))).contains("all names and paths"));
        let chain = |length: usize| -> String {
            (1..length).map(|at| format!("SwitchName=s{at} Switches=s{}\n", at - 1)).collect::<String>()
                + "SwitchName=s0 Nodes=a\n"
        };
        assert_eq!(conf(&chain(64)).unwrap().path("a").unwrap().len(), 64);
        assert!(
            reason(conf(&chain(65)))
                .contains("line 65 of the network description: the path to \"s0\" has more than 64")
        );
        let list = |length: usize| "a ".to_owned() + &(0..length).map(|at| format!("s{at}/")).collect::<String>();
        assert_eq!(Fabric::from_list(&list(64)).unwrap().path("a").unwrap().len(), 64);
        assert!(reason(Fabric::from_list(&list(65))).contains("more than 64"));
        assert!(slurm_path("a.b", "switch.switch.node").is_err());
        assert!(slurm_path("a.b", "node.switch").is_err());
        assert_eq!(slurm_path("n0", "node").unwrap(), [""; 0]);
    }
}
