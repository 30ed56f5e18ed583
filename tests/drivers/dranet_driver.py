"""The released driver for networks, dranet: its chart or manifests, and the manifests of its own tests."""

from functools import partial
from pathlib import Path

from fakeapi import FakeAPI
from tests.drivers.driver_setup import NODE, Demo, DriverSetup
from tests.drivers.own_network import LINKS, own_network
from tests.drivers.released_driver import ReleasedDriver
from tests.drivers.running_demo import RunningDemo, devices_of

NAME = "dra.net"
_DEMOS = {
    "resourceclaim_advanced": LINKS[:1],
    "resourceclaim_bigtcp": LINKS[:1],
    "resourceclaim_disable_ebpf": LINKS[:1],
    "resourceclaimtemplate": LINKS[:1],
    "resourceclaimtemplate_double": LINKS,
}
"""The links that each demo gets."""


def _published(api: FakeAPI) -> bool:
    slices = [each["spec"] for each in api.list("ResourceSlice") if each["spec"]["driver"] == NAME]
    return {device["name"] for spec in slices for device in spec["devices"]} == set(LINKS)


def _check(demo: RunningDemo, links: tuple[str, ...]) -> None:
    """Asserts that a demo gets its links.

    The driver injects nothing with CDI: it moves links when the container runtime creates a pod.
    """
    [pod] = demo.pods
    [claim] = demo.claims(pod).values()
    assert sorted(devices_of(claim)) == sorted(links)
    assert demo.api.node(NODE).cdi_devices("default", pod["metadata"]["name"]) == []


def _write_hardware(root: Path) -> None:
    """Writes a /sys without PCI devices, in which the links have no hardware."""
    (root / "sys" / "bus" / "pci" / "devices").mkdir(parents=True)
    links = root / "sys" / "class" / "net"
    links.mkdir(parents=True)
    for name in LINKS:
        (root / "sys" / "devices" / "virtual" / "net" / name).mkdir(parents=True)
        (links / name).symlink_to(f"../../devices/virtual/net/{name}")


def _setup(driver: ReleasedDriver, chart: str, manifests: tuple[str, ...]) -> DriverSetup:
    return DriverSetup(
        driver=driver,
        namespace="kube-system",
        chart=chart,
        manifests=manifests,
        values={"args.cloudProviderHint": "NONE"},
        options={"nri": True, "nodes": NODE},
        write_hardware=_write_hardware,
        network=own_network,
        published=_published,
        demos=tuple(
            Demo(
                ("tests/manifests/deviceclass.yaml", f"tests/manifests/{name}.yaml"),
                partial(_check, links=links),
            )
            for name, links in _DEMOS.items()
        ),
    )


def _driver(module: str, version: str, go: str, release: str) -> ReleasedDriver:
    return ReleasedDriver(
        name="dranet",
        module=module,
        version=version,
        go=go,
        release=release,
        image="*/dranet",
        programs={"dranet": "cmd/dranet"},
    )


SETUPS = (
    _setup(_driver("github.com/google/dranet", "v1.0.1", "1.24.3", "1.34"), "", ("install.yaml",)),
    _setup(_driver("sigs.k8s.io/dranet", "v1.4.0", "1.26.0", "1.36"), "deployments/helm/dranet", ()),
)
