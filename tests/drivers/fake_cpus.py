"""Writes the files of Linux about CPUs, which drivers read at /sys, for a node with many CPUs."""

from pathlib import Path

from tests.drivers.fake_files import write

CPUS = 32
_PER_CORE = 2
_PER_NODE = 16


def write_cpus(sys: Path) -> None:
    """Writes 32 CPUs: two sockets, each with a NUMA node, an L3 cache and a PCIe root; two CPUs in each core.

    `sys`: the directory that containers see as /sys. A CPU shares its core with its neighbor.
    """
    system = sys / "devices" / "system"
    write(system / "cpu" / "online", f"0-{CPUS - 1}")
    write(system / "cpu" / "smt" / "control", "on")
    write(sys / "fs" / "cgroup" / "cpuset.cpus.effective", f"0-{CPUS - 1}")
    for cpu in range(CPUS):
        node = cpu // _PER_NODE
        first = node * _PER_NODE
        of_node = f"{first}-{first + _PER_NODE - 1}"
        folder = system / "cpu" / f"cpu{cpu}"
        write(folder / "topology" / "physical_package_id", f"{node}")
        write(folder / "topology" / "core_id", f"{cpu % _PER_NODE // _PER_CORE}")
        write(folder / "topology" / "cluster_id", f"{node}")
        write(folder / "cache" / "index3" / "level", "3")
        write(folder / "cache" / "index3" / "shared_cpu_list", of_node)
        write(folder / "cache" / "index3" / "id", f"{node}")
        write(system / "node" / f"node{node}" / "cpulist", of_node)
        bus = f"0000:{node * 0x40:02x}"
        write(sys / "devices" / f"pci{bus}" / "pci_bus" / bus / "cpulistaffinity", of_node)
        (folder / f"node{node}").symlink_to(f"../../node/node{node}")
