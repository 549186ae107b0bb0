//! Exports that no hwloc wrote: each gives an error that says what is wrong.

use fusain_topology::picture::{Resident, svg};
use fusain_topology::{Error, Machine};

fn reason(text: &str) -> String {
    match Machine::from_xml(text) {
        Err(Error::Xml { reason }) => reason,
        Err(Error::CpuSet { text }) => format!("{text:?} is no cpuset"),
        Err(other) => panic!("another error: {other}"),
        Ok(machine) => panic!("a machine of {} units", machine.cpuset().len()),
    }
}

fn machine(inside: &str) -> String {
    format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0xff\" gp_index=\"1\">{inside}</object></topology>"
    )
}

#[test]
fn objects_that_contradict_each_other() {
    let core = |cpuset: &str, id: u32, inside: &str| {
        format!("<object type=\"Core\" cpuset=\"{cpuset}\" gp_index=\"{id}\">{inside}</object>")
    };
    let outside = machine(&core("0x3", 2, &core("0x4", 3, "")));
    assert!(reason(&outside).contains("the object above has not"), "{}", reason(&outside));
    let siblings = machine(&(core("0x3", 2, "") + &core("0x6", 3, "")));
    assert!(reason(&siblings).contains("of a sibling"));
    let circle = machine(&core("0x3", 2, &core("0x1", 2, "")));
    assert!(reason(&circle).contains("gp_index of another"));
    let own = machine(&core("0x3", 1, ""));
    assert!(reason(&own).contains("gp_index of another"), "the machine's own number");
    let inside = machine("<object type=\"Machine\" cpuset=\"0x3\"/>");
    assert!(reason(&inside).contains("inside a machine"), "{}", reason(&inside));
    let unit = machine("<object type=\"PU\" cpuset=\"0x3\"/>");
    assert!(reason(&unit).contains("not one processing unit"));
    let kinds = machine("<object type=\"PU\" cpuset=\"0x1\"/>")
        .replace("</topology>", "<cpukind cpuset=\"0x3\"/><cpukind cpuset=\"0x2\"/></topology>");
    assert!(reason(&kinds).contains("two kinds of cores"));
}

#[test]
fn absurd_numbers() {
    assert!(
        reason(&machine("<object type=\"Core\" cpuset=\"0-999999999\"/>")).contains("no cpuset"),
        "lists are no masks"
    );
    assert!(reason(&machine("<object type=\"NUMANode\" os_index=\"-1\" cpuset=\"0xff\"/>")).contains("no number"));
    assert!(reason(&machine("<object type=\"NUMANode\" os_index=\"99999999999999999999\"/>")).contains("no number"));
    let high = format!("0x1{}", ",0x0".repeat(1 << 16));
    let text = machine("").replace("0xff", &high);
    assert!(reason(&text).contains("no cpuset"), "a unit past 2^20");
    let version = machine("").replace("2.0", "999999999.0");
    assert!(reason(&version).contains("version 2"));
}

#[test]
fn deep_nesting() {
    for kind in ["Core", "L1iCache", "MemCache", "Bridge", "PCIDev"] {
        let depth = 100_000;
        let text =
            machine(&(format!("<object type=\"{kind}\" cpuset=\"0xff\">").repeat(depth) + &"</object>".repeat(depth)));
        if ["Core", "L1iCache"].contains(&kind) {
            assert!(reason(&text).contains("deep"), "{kind}");
        } else {
            // These are no levels, so the tree is a machine without children. Of the devices, 100,000 are too many.
            let result = Machine::from_xml(&text);
            assert_eq!(result.is_ok(), kind != "PCIDev", "{kind}: {result:?}");
        }
    }
}

#[test]
fn megabytes() {
    let units: String = (0..1 << 18).map(|at| format!("<object type=\"Core\" os_index=\"{at}\"/>")).collect();
    assert!(reason(&machine(&units)).contains("more objects"));
    let attributes: String = (0..1 << 17).map(|at| format!(" a{at}=\"\"")).collect();
    assert!(reason(&machine(&format!("<object{attributes}/>"))).contains("attributes"));
    let nodes = "<a/>".repeat(1 << 22);
    assert!(reason(&machine(&nodes)).contains("nodes limit"));
    assert!(reason(&machine(&" ".repeat(33 << 20))).contains("the most"));
    // A machine of 2^18 units, and 9,000 objects that each would have all of them.
    let all = format!("0x{}", vec!["ffffffff"; 1 << 13].join(","));
    let devices = "<object type=\"PCIDev\"/>".repeat(9_000);
    let text = machine(&devices).replace("0xff", &all);
    assert!(reason(&text).contains("more devices"));
}

#[test]
fn what_makes_a_parser_slow() {
    let laughs = "<!DOCTYPE t [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>".to_owned() + &machine("&b;");
    assert!(reason(&laughs).contains("ENTITY"));
    let spaces: String = (0..1000).map(|at| format!("<x xmlns:n{at}=\"u\">")).collect();
    assert!(reason(&machine(&spaces)).contains("xmlns"));
}

#[test]
fn what_is_cut_short() {
    let text =
        std::fs::read_to_string(format!("{}/tests/machines/fakecpukinds.xml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for end in (0..text.len()).step_by(7) {
        // Never a panic. Only a whole text is a machine.
        assert_eq!(Machine::from_xml(&text[..end]).is_ok(), text[end..].trim().is_empty(), "{end}");
    }
}

#[test]
fn a_picture_with_any_label_is_xml() {
    let machine = Machine::synthetic("Core:2").unwrap();
    let ends = ['\0', '\u{1f}', '\u{7f}', '\u{85}', '\u{fffd}', '\u{fffe}', '\u{ffff}', '\u{1ffff}', char::MAX];
    let label: String = (0..u8::MAX).map(char::from).chain(ends).chain("]]><!--".chars()).collect();
    let picture = svg(&machine, &[Resident { label, group: usize::MAX, cpuset: machine.cpuset().clone() }]);
    assert!(roxmltree::Document::parse(&picture).is_ok());
}
