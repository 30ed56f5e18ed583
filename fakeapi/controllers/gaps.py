"""Gaps: feature gates that change the API here, and that the controllers do not act on yet."""

import logging
from collections.abc import Container, Iterable
from dataclasses import dataclass

from fakeapi.releases.gates import Gates

log = logging.getLogger("fakeapi.controllers")


@dataclass(frozen=True, slots=True)
class Gap:
    """What a controller does not do. `gates` are the gate and those that took it over in later releases."""

    controller: str
    gates: tuple[str, ...]
    consequence: str

    def gate_in(self, gates: Gates) -> str | None:
        """The gate that is on and would have an effect on the controller; None if there is none."""
        known = next((name for name in self.gates if name in gates), None)
        return known if known is not None and gates.enabled(known) else None


GAPS = (
    Gap(
        "resourceclaim",
        ("DRAWorkloadResourceClaims",),
        "no ResourceClaims are created for PodGroups, each pod gets its own",
    ),
    Gap(
        "scheduler",
        ("GangScheduling", "GenericWorkload"),
        "the pods of a gang are scheduled one by one, without waiting for minCount",
    ),
    Gap(
        "scheduler",
        ("TopologyAwareWorkloadScheduling",),
        "the topology constraints of a PodGroup are ignored",
    ),
    Gap(
        "scheduler",
        ("WorkloadAwarePreemption",),
        "pods are preempted one by one, not with their PodGroup",
    ),
)


def warn_of_gaps(controllers: Container[str], gates: Gates) -> None:
    """Logs a warning for each gate that is on and that the running controllers do not act on."""
    for gate, gap in _open(controllers, gates):
        log.warning(
            "feature gate %s: the controller %s does not act on it: %s", gate, gap.controller, gap.consequence
        )


def _open(controllers: Container[str], gates: Gates) -> Iterable[tuple[str, Gap]]:
    for gap in GAPS:
        gate = gap.gate_in(gates)
        if gate is not None and gap.controller in controllers:
            yield gate, gap
