"""Situations: clusters in which a pod or claim waits, with the expected first line of the explanation.

The modules `*_situations` build the clusters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakeapi import FakeAPI
from tests.explaining.manifests import (
    Object,
    claim,
    device_class,
    node,
    pod,
    request,
    resource_slice,
)

ALL_GATES = {
    "DRADeviceTaints": True,
    "DRADeviceTaintRules": True,
    "DRAPartitionableDevices": True,
    "DRAConsumableCapacity": True,
    "DRAExtendedResource": True,
}

Build = Callable[[FakeAPI], Any]


@dataclass(frozen=True)
class Situation:
    """A cluster, and the expected explanation of one object.

    - `target`: the kind and the name to explain.
    - `code`: the code of the first reason; "" for an object without reasons.
    """

    build: Build
    code: str
    summary: str
    target: tuple[str, str]
    release: str
    gates: bool
    controllers: str

    @property
    def name(self) -> str:
        return self.build.__name__


SITUATIONS: list[Situation] = []

USUAL = "scheduler,resourceclaim"


def situation(
    code: str,
    summary: str,
    target: tuple[str, str] = ("pod", "train"),
    *,
    release: str = "1.36",
    gates: bool = True,
    controllers: str = USUAL,
) -> Callable[[Build], Build]:
    """Decorator that adds a function that builds a cluster to SITUATIONS."""

    def register(build: Build) -> Build:
        SITUATIONS.append(Situation(build, code, summary, target, release, gates, controllers))
        return build

    return register


def cluster(api: FakeAPI, *devices: Object, nodes: str = "a") -> None:
    """Creates nodes, the class of DRIVER, and a slice with devices for the first node."""
    for name in nodes:
        node(api, name)
    device_class(api)
    if devices:
        resource_slice(api, nodes[0], devices)


def train(api: FakeAPI, *requests: Object, **devices: Any) -> None:
    """Creates the claim gpu, and the pod train that uses it."""
    claim(api, "gpu", *requests, **devices)
    pod(api, "train", "gpu")


def use(api: FakeAPI, name: str, count: int = 1) -> None:
    """Creates a claim for `count` devices and a pod that uses the claim."""
    claim(api, name, request(count=count))
    pod(api, f"{name}-user", name)
    api.settle()
