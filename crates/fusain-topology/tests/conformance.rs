//! The tree of groups, compared with a simple reference: RR-9077's Algorithm 1 taken literally, over sets of processing units.
//!
//! The reference uses no paths and no tries. It has one tree of everything (cluster, switches, hosts, objects), each node with the set of its units. It splits
//! a set of ranks by finding, for each rank, the child of their deepest common object that contains its binding. For the files of real machines it also has its
//! own XML reader.

use std::collections::BTreeSet;

use fusain_topology::{CpuSet, Group, Groups, Host, Kind, Machine, Object, Place};

/// A unit: the host and the number.
type Unit = (usize, usize);

struct Node {
    kind: Kind,
    units: BTreeSet<Unit>,
    children: Vec<Node>,
}

struct Rank {
    host: usize,
    units: BTreeSet<Unit>,
    /// Bound to its whole machine, which counts as unbound.
    unbound: bool,
}

impl Node {
    fn new(kind: Kind, children: Vec<Self>) -> Self {
        let units = children.iter().flat_map(|child| child.units.iter().copied()).collect();
        Self { kind, units, children }
    }

    fn of_object(object: &Object, host: usize) -> Self {
        let children = object.children.iter().map(|child| Self::of_object(child, host)).collect();
        Self { kind: object.kind, units: object.cpuset.iter().map(|pu| (host, pu)).collect(), children }
    }

    /// Whether the node contains the rank's binding. An unbound rank is in its machine and in no object below it.
    fn holds(&self, rank: &Rank) -> bool {
        let inside = !matches!(self.kind, Kind::Cluster | Kind::Switch(_) | Kind::Machine);
        rank.units.is_subset(&self.units) && !(inside && rank.unbound)
    }

    /// The deepest object that contains all the ranks; `kinds` gets the kinds from below this node down to it.
    fn ancestor<'a>(&'a self, ranks: &[&Rank], kinds: &mut Vec<Kind>) -> &'a Self {
        match self.children.iter().find(|child| ranks.iter().all(|rank| child.holds(rank))) {
            Some(child) => {
                kinds.push(child.kind);
                child.ancestor(ranks, kinds)
            }
            None => self,
        }
    }
}

/// The reference's result for a set of ranks: kind, ranks, children.
#[derive(Debug, PartialEq)]
struct Expected {
    kind: Kind,
    ranks: Vec<usize>,
    children: Vec<Expected>,
}

fn split(object: &Node, kind: Kind, members: &[usize], ranks: &[Rank]) -> Expected {
    let mut children: Vec<(usize, Vec<usize>)> = Vec::new();
    for &rank in members {
        let Some(color) = object.children.iter().position(|child| child.holds(&ranks[rank])) else { continue };
        match children.iter_mut().find(|(other, _)| *other == color) {
            Some((_, same)) => same.push(rank),
            None => children.push((color, vec![rank])),
        }
    }
    // Each child is named after the lowest kind that all siblings have between this object and their own.
    let ways: Vec<(&Node, Vec<Kind>)> = children
        .iter()
        .map(|(color, members)| {
            let child = &object.children[*color];
            let mut kinds = vec![child.kind];
            let of_child: Vec<&Rank> = members.iter().map(|&rank| &ranks[rank]).collect();
            (child.ancestor(&of_child, &mut kinds), kinds)
        })
        .collect();
    let common = ways.first().and_then(|(_, first)| {
        first.iter().rev().find(|kind| ways.iter().all(|(_, kinds)| kinds.contains(kind))).copied()
    });
    let all = children
        .iter()
        .zip(&ways)
        .map(|((_, members), (own, kinds))| split(own, common.unwrap_or(kinds[kinds.len() - 1]), members, ranks));
    Expected { kind, ranks: members.to_vec(), children: all.collect() }
}

fn expected(whole: &Node, ranks: &[Rank]) -> Expected {
    let all: Vec<&Rank> = ranks.iter().collect();
    let mut kinds = vec![whole.kind];
    let object = whole.ancestor(&all, &mut kinds);
    split(object, kinds[kinds.len() - 1], &(0..ranks.len()).collect::<Vec<_>>(), ranks)
}

fn found(group: Group<'_>) -> Expected {
    Expected {
        kind: group.info().kind,
        ranks: group.ranks(),
        children: group.children().into_iter().map(found).collect(),
    }
}

/// Random numbers from a fixed seed (xorshift, Marsaglia 2003), so that every run has the same cases.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn random_machine(dice: &mut Dice) -> Machine {
    let kinds = ["Group", "Package", "Die", "NUMANode", "L3", "L2", "L1", "Core", "PU"];
    let mut text: Vec<String> = Vec::new();
    let mut units = 1;
    for kind in kinds {
        let count = 1 + dice.below(3);
        if dice.below(2) == 0 && units * count <= 36 {
            units *= count;
            text.push(format!("{kind}:{count}"));
        }
    }
    Machine::synthetic(if text.is_empty() { "PU:3".to_owned() } else { text.join(" ") }.as_str()).unwrap()
}

fn random_binding(dice: &mut Dice, machine: &Machine) -> CpuSet {
    let units: Vec<usize> = machine.cpuset().iter().collect();
    match dice.below(4) {
        0 => {
            let one = units[dice.below(units.len())];
            units.iter().copied().filter(|&pu| pu == one || dice.below(3) == 0).collect()
        }
        1 => {
            let kinds = [Kind::Package, Kind::NumaNode, Kind::L3Cache, Kind::Core, Kind::Pu];
            let objects = machine.objects(kinds[dice.below(kinds.len())]);
            if objects.is_empty() {
                machine.cpuset().clone()
            } else {
                objects[dice.below(objects.len())].cpuset.clone()
            }
        }
        _ => {
            let first = dice.below(units.len());
            units[first..].iter().take(1 + dice.below(3)).copied().collect()
        }
    }
}

/// The switches above a host: two levels of them, only the upper one, or none.
fn random_switches(dice: &mut Dice) -> Vec<String> {
    let depth = dice.below(3);
    (0..depth).map(|level| format!("s{level}.{}", dice.below(2))).collect()
}

fn cluster(hosts: &[(Vec<String>, Node)], used: &BTreeSet<usize>) -> Node {
    fn below(path: &[String], hosts: &[(usize, &Vec<String>, &Node)]) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut seen: Vec<&String> = Vec::new();
        for (_, switches, node) in hosts.iter().filter(|(_, switches, _)| switches.starts_with(path)) {
            match switches.get(path.len()) {
                None => nodes.push(copy(node)),
                Some(name) if !seen.contains(&name) => {
                    seen.push(name);
                    let path = [path, std::slice::from_ref(name)].concat();
                    let longest = hosts.iter().filter(|(_, switches, _)| switches.starts_with(&path));
                    let height = longest.map(|(_, switches, _)| switches.len() - path.len()).max().unwrap();
                    nodes.push(Node::new(Kind::Switch(height as u32), below(&path, hosts)));
                }
                Some(_) => {}
            }
        }
        nodes
    }
    let hosts: Vec<(usize, &Vec<String>, &Node)> = hosts
        .iter()
        .enumerate()
        .filter(|(at, _)| used.contains(at))
        .map(|(at, (switches, node))| (at, switches, node))
        .collect();
    Node::new(Kind::Cluster, below(&[], &hosts))
}

fn copy(node: &Node) -> Node {
    Node { kind: node.kind, units: node.units.clone(), children: node.children.iter().map(copy).collect() }
}

#[test]
fn random_trees_and_bindings() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut spanning_ranks = 0;
    for case in 0..4_000 {
        let hosts: Vec<(Vec<String>, Machine)> =
            (0..1 + dice.below(4)).map(|_| (random_switches(&mut dice), random_machine(&mut dice))).collect();
        let (mut ranks, mut places) = (Vec::new(), Vec::new());
        for _ in 0..1 + dice.below(20) {
            let host = dice.below(hosts.len());
            let (switches, machine) = &hosts[host];
            let binding = random_binding(&mut dice, machine);
            let seen = Host::behind(format!("h{host}"), switches.clone());
            places.push(Place::bound(&seen, machine, &binding).unwrap());
            let unbound = binding == *machine.cpuset();
            ranks.push(Rank { host, units: binding.iter().map(|pu| (host, pu)).collect(), unbound });
        }
        let used: BTreeSet<usize> = ranks.iter().map(|rank| rank.host).collect();
        let nodes: Vec<(Vec<String>, Node)> = hosts
            .iter()
            .enumerate()
            .map(|(host, (switches, machine))| (switches.clone(), Node::of_object(machine.root(), host)))
            .collect();
        let groups = Groups::build(&places).unwrap();
        assert_eq!(found(groups.root()), expected(&cluster(&nodes, &used), &ranks), "case {case}\n{groups}");
        spanning_ranks += groups.spanning_ranks().len();
    }
    assert!(spanning_ranks > 4_000, "bindings that straddle are among the cases: {spanning_ranks}");
}

/// The reference's own reader of an export: tags in order, attributes by their names, without a parser.
fn read(text: &str) -> Node {
    /// Kind (none for an object that is no level), units, whether memory is attached to it, children.
    struct Open {
        name: String,
        units: BTreeSet<Unit>,
        memory: bool,
        children: Vec<Node>,
    }
    let attribute = |tag: &str, name: &str| {
        let begin = tag.find(&format!(" {name}=\""))? + name.len() + 3;
        tag[begin..].split('"').next().map(str::to_owned)
    };
    let mask = |text: &str| -> BTreeSet<Unit> {
        let digits: Vec<u32> = text
            .split(',')
            .flat_map(|word| format!("{:0>8}", word.trim_start_matches("0x")).chars().collect::<Vec<_>>())
            .map(|digit| digit.to_digit(16).unwrap())
            .collect();
        let bits = digits.iter().rev().flat_map(|digit| (0..4).map(move |bit| digit >> bit & 1 == 1));
        bits.enumerate().filter(|(_, is_set)| *is_set).map(|(pu, _)| (0, pu)).collect()
    };
    let kind = |name: &str| {
        Some(match name {
            "Machine" => Kind::Machine,
            "Group" => Kind::Group,
            "Package" => Kind::Package,
            "Die" => Kind::Die,
            "L3Cache" => Kind::L3Cache,
            "L2Cache" => Kind::L2Cache,
            "L1Cache" => Kind::L1Cache,
            "Core" => Kind::Core,
            "PU" => Kind::Pu,
            _ => return None,
        })
    };
    let mut open: Vec<Open> =
        vec![Open { name: String::new(), units: BTreeSet::new(), memory: false, children: Vec::new() }];
    let mut allowed = BTreeSet::new();
    for tag in text.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        let begins = tag.starts_with("object ");
        if begins {
            let name = attribute(tag, "type").unwrap();
            if name == "Machine" {
                allowed = mask(&attribute(tag, "allowed_cpuset").or(attribute(tag, "cpuset")).unwrap());
            }
            let units = attribute(tag, "cpuset").map(|text| mask(&text)).unwrap_or_default();
            let units = units.intersection(&allowed).copied().collect();
            open.push(Open { name, units, memory: false, children: Vec::new() });
        }
        if tag.starts_with("/object") || (begins && tag.ends_with('/')) {
            let Open { name, units, memory, mut children } = open.pop().unwrap();
            let above = open.last_mut().unwrap();
            if name == "NUMANode" || (name == "MemCache" && memory) {
                above.memory = true;
                continue;
            }
            if units.is_empty() {
                continue;
            }
            if memory && name != "Machine" {
                children = vec![Node { kind: Kind::NumaNode, units: units.clone(), children }];
            }
            match kind(&name) {
                Some(kind) => above.children.push(Node { kind, units, children }),
                None => above.children.extend(children),
            }
        }
    }
    open.remove(0).children.remove(0)
}

fn same(object: &Object, node: &Node) {
    let units: BTreeSet<Unit> = object.cpuset.iter().map(|pu| (0, pu)).collect();
    assert_eq!((object.kind, units), (node.kind, node.units.clone()));
    assert_eq!(object.children.len(), node.children.len(), "below {:?} {}", object.kind, object.cpuset);
    object.children.iter().zip(&node.children).for_each(|(object, node)| same(object, node));
}

#[test]
fn the_files_of_real_machines() {
    let mut dice = Dice(7);
    let mut files = 0;
    for entry in std::fs::read_dir(format!("{}/tests/machines", env!("CARGO_MANIFEST_DIR"))).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "xml") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let (machine, node) = (Machine::from_xml(&text).unwrap(), read(&text));
        same(machine.root(), &node);
        let host = Host::new("host");
        let whole = Node::new(Kind::Cluster, vec![node]);
        for _ in 0..50 {
            let bindings: Vec<CpuSet> = (0..1 + dice.below(40)).map(|_| random_binding(&mut dice, &machine)).collect();
            let places: Vec<Place> =
                bindings.iter().map(|binding| Place::bound(&host, &machine, binding).unwrap()).collect();
            let rank = |binding: &CpuSet| Rank {
                host: 0,
                units: binding.iter().map(|pu| (0, pu)).collect(),
                unbound: binding == machine.cpuset(),
            };
            let ranks: Vec<Rank> = bindings.iter().map(rank).collect();
            let groups = Groups::build(&places).unwrap();
            assert_eq!(found(groups.root()), expected(&whole, &ranks), "{}\n{groups}", path.display());
        }
    }
    assert_eq!(files, 7);
}
