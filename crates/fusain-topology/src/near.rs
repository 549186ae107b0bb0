//! The devices near processing units, and the speed of cores.

use crate::{CpuSet, Device, DeviceKind, Machine};

impl Machine {
    /// The devices nearest to `cpuset`: those for which the lowest object that covers both is smallest. They are in the order of the
    /// export.
    pub fn nearest_devices(&self, kind: DeviceKind, cpuset: &CpuSet) -> Vec<&Device> {
        let of_kind: Vec<&Device> = self.devices().iter().filter(|device| device.kind == kind).collect();
        let best = of_kind.iter().map(|device| self.distance(&device.near, cpuset)).min();
        of_kind.into_iter().filter(|device| Some(self.distance(&device.near, cpuset)) == best).collect()
    }

    /// Distributes all devices of a kind over ranks with these bindings. Returns the devices of each rank, as indices into
    /// [`devices`](Self::devices).
    ///
    /// The distribution is even. With at least as many ranks as devices, each rank gets one device, and the numbers of ranks per device
    /// differ by at most one. With fewer ranks, each device belongs to one rank, and the numbers of devices per rank differ by at most one.
    /// Near pairs are made first. O(ranks · devices · log).
    ///
    /// ```
    /// use fusain_topology::{DeviceKind, Kind, Machine};
    /// let text = std::fs::read_to_string("tests/machines/192em64t-12gr2n8c2t.xml").unwrap();
    /// let machine = Machine::from_xml(&text).unwrap();
    /// let ranks: Vec<_> = machine.objects(Kind::Package).iter().map(|package| package.cpuset.clone()).collect();
    /// let dealt = machine.distribute_devices(DeviceKind::Nic, &ranks);
    /// assert!(dealt.iter().all(|devices| devices.len() == 1));
    /// ```
    pub fn distribute_devices(&self, kind: DeviceKind, ranks: &[CpuSet]) -> Vec<Vec<usize>> {
        let devices: Vec<usize> = (0..self.devices().len()).filter(|&at| self.devices()[at].kind == kind).collect();
        let mut dealt = vec![Vec::new(); ranks.len()];
        if devices.is_empty() || ranks.is_empty() {
            return dealt;
        }
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for (rank, cpuset) in ranks.iter().enumerate() {
            let near = |&device: &usize| (self.distance(&self.devices()[device].near, cpuset), rank, device);
            pairs.extend(devices.iter().map(near));
        }
        pairs.sort_unstable();
        // Each member of the larger side gets one partner; the smaller side is filled evenly.
        let by_rank = ranks.len() >= devices.len();
        let (many, few) = if by_rank { (ranks.len(), devices.len()) } else { (devices.len(), ranks.len()) };
        let (full, mut extra) = (many / few, many % few);
        let position = |device: usize| devices.partition_point(|&other| other < device);
        let (mut served, mut load) = (vec![false; many], vec![0; few]);
        for (_, rank, device) in pairs {
            let (one, other) = if by_rank { (rank, position(device)) } else { (position(device), rank) };
            let has_room = load[other] < full || (load[other] == full && extra > 0);
            if served[one] || !has_room {
                continue;
            }
            extra -= usize::from(load[other] == full);
            load[other] += 1;
            served[one] = true;
            dealt[rank].push(device);
        }
        dealt.iter_mut().for_each(|devices| devices.sort_unstable());
        dealt
    }

    /// The distance of two sets: the number of processing units of the lowest object that covers both. A device whose processing units may not be used by this process is
    /// farther away than any other.
    fn distance(&self, a: &CpuSet, b: &CpuSet) -> usize {
        if a.is_empty() || b.is_empty() { usize::MAX } else { self.covering(&a.union(b)).len() }
    }

    /// The relative speed of each processing unit of this machine; `None` unless it is known for all.
    pub(crate) fn speeds(&self) -> Option<Vec<u32>> {
        let last = self.cpuset().iter().last()?;
        let mut speeds = vec![0; last + 1];
        for kind in self.cpu_kinds() {
            kind.cpuset.iter().for_each(|pu| speeds[pu] = kind.speed.unwrap_or(0));
        }
        self.cpuset().iter().all(|pu| speeds[pu] > 0).then_some(speeds)
    }
}
