//! `seeds FOLDER`: writes valid first inputs for each target, each to `FOLDER/TARGET/NAME`.

use std::error::Error;
use std::fs;
use std::path::Path;

use fusain_schedule::goal::{Rank, Writer, patterns};

/// Machines, as hwloc describes and exports them.
const MACHINES: [&str; 5] = [
    "Package:2 NUMANode:1 L3:1 L2:4 core:2 pu:1",
    "2 [numa] 3 4",
    r#"<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x3"><object type="Core" os_index="0" cpuset="0x3">
<object type="PU" os_index="0" cpuset="0x1"/><object type="PU" os_index="1" cpuset="0x2"/></object></object></topology>"#,
    r#"<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0"><object type="Machine" cpuset="0xf,0x0"><info name="a" value="b"/>
<object type="NUMANode" os_index="0" cpuset="0xf,0x0" nodeset="0x1"/><object type="PU" os_index="32" cpuset="0x1,0x0"/></object></topology>"#,
    r#"<topology version="2.0"><object type="Machine" cpuset="0x3" gp_index="1"><object type="PU" cpuset="0x1"/><object type="PU" cpuset="0x2"/>
<object type="Bridge"><object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0302 [10de:1db6]"><object type="OSDev" name="nvml0" osdev_type="1">
<info name="NVIDIAUUID" value="GPU-1"/></object></object></object></object><cpukind cpuset="0x1" forced_efficiency="0"><info name="FrequencyMaxMHz" value="1"/></cpukind></topology>"#,
];

/// Networks: two in Slurm's form, one as a list, and one host's path with its pattern.
const NETWORKS: [&str; 4] = [
    "SwitchName=leaf0 Nodes=node[0-3]\nSwitchName=leaf1 Nodes=node[4-7,09-12],login # far\nSwitchName=core Switches=leaf[0-1] LinkSpeed=3\n",
    "SwitchName=s2 Switches=s[0,1]\nSwitchName=s1 Nodes=b-[00-03]-ib\nSwitchName=s0 Nodes=a\n",
    "# host path\nnode1 core/leaf3\nnode2 core/leaf4\nnode3\n",
    "core.leaf3.node17.site\nswitch.switch.node",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("say where to: seeds FOLDER")?;
    let keep = |target: &str, name: String, bytes: &[u8]| {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    };
    let texts: [fn(&mut Rank, u32, u32, u64); 2] = [patterns::dissemination, patterns::linear_alltoall];
    for (number, fill) in texts.into_iter().enumerate() {
        let (mut text, mut rank) = (Vec::new(), Rank::default());
        let mut writer = Writer::new(&mut text, 3)?;
        for at in 0..3 {
            fill(&mut rank, at, 3, 100_000);
            writer.write(&rank)?;
        }
        writer.finish()?;
        keep("schedule_text", format!("pattern-{number}"), &text)?;
    }
    for example in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/goal"))? {
        let example = example?;
        keep("schedule_text", example.file_name().to_string_lossy().into_owned(), &fs::read(example.path())?)?;
    }
    let schedules = [vec![fusain_fuzz::all_kinds()?], fusain_fuzz::collectives()?].concat();
    for (number, schedule) in schedules.iter().enumerate() {
        keep("schedule_binary", format!("schedule-{number}"), &schedule.to_bytes())?;
    }
    for (number, machine) in MACHINES.into_iter().enumerate() {
        keep("machine", format!("machine-{number}"), machine.as_bytes())?;
    }
    for (number, network) in NETWORKS.into_iter().enumerate() {
        keep("fabric", format!("network-{number}"), network.as_bytes())?;
    }
    // The fuzzer finds the first bytes of a message quickly: a version, a kind of message, a few numbers.
    keep("cluster_message", "empty".to_owned(), &[])?;
    Ok(())
}
