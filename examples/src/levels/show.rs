//! A plan as a picture and as JSON.

use anyhow::Context;
use fusain::topology::picture::{Resident, svg};
use fusain::topology::{Group, Groups, Object, Place};
use serde_json::{Value, json as value};

use super::Plan;

/// One host with its ranks and their workers, as SVG.
///
/// # Errors
/// If the host has no ranks.
pub fn picture(plan: &Plan, host: usize) -> anyhow::Result<String> {
    let mut residents = Vec::new();
    for (rank, planned) in plan.ranks.iter().enumerate().filter(|(_, planned)| planned.host_number == host) {
        let label = format!("rank {rank}");
        residents.push(Resident { label, group: rank, cpuset: planned.part.clone() });
        // A rank's only worker is the rank.
        let workers = if planned.workers.len() > 1 { planned.workers.len() } else { 0 };
        for worker in 0..workers {
            let cpuset = planned.workers.cpuset(worker).clone();
            residents.push(Resident { label: format!("{rank}.{worker}"), group: rank, cpuset });
        }
    }
    anyhow::ensure!(!residents.is_empty(), "host {host} has no ranks");
    Ok(svg(&plan.machine, &residents))
}

/// The machine, where ranks and workers are, and the tree of groups.
///
/// # Errors
/// If the places do not fit together.
pub fn json(plan: &Plan) -> anyhow::Result<String> {
    let places: Vec<Place> = (0..plan.ranks.len()).map(|rank| plan.place(rank)).collect::<anyhow::Result<_>>()?;
    let groups = Groups::build(&places)?;
    let ranks: Vec<Value> = plan
        .ranks
        .iter()
        .enumerate()
        .map(|(rank, planned)| {
            let worker = |worker| planned.workers.cpuset(worker).to_string();
            let workers: Vec<String> = (0..planned.workers.len()).map(worker).collect();
            value!({
                "rank": rank, "host": planned.host.name(), "switches": planned.host.switches(), "cpuset": planned.part.to_string(),
                "workers": workers, "weights": planned.workers.weights(),
            })
        })
        .collect();
    let devices: Vec<Value> = plan
        .machine
        .devices()
        .iter()
        .map(|device| value!({"names": device.names, "kind": format!("{:?}", device.kind), "pci": device.pci, "uuid": device.uuid, "near": device.near.to_string()}))
        .collect();
    let whole = value!({"machine": object(plan.machine.root()), "devices": devices, "ranks": ranks, "groups": group(groups.root())});
    serde_json::to_string_pretty(&whole).context("values are always JSON")
}

fn object(of: &Object) -> Value {
    let children: Vec<Value> = of.children.iter().map(object).collect();
    value!({"kind": of.kind.to_string(), "logical": of.logical, "cpuset": of.cpuset.to_string(), "children": children})
}

fn group(of: Group<'_>) -> Value {
    let children: Vec<Value> = of.children().into_iter().map(group).collect();
    value!({
        "kind": of.info().kind.to_string(), "label": of.label(), "ranks": of.ranks(), "spanning_ranks": of.spanning_ranks(), "children": children,
    })
}
