"""Feature gates that change the server's API, but have no effect in the controllers yet."""

import logging
from collections.abc import Container, Iterable

import msgspec

from fakeapi.releases.gates import Gates

log = logging.getLogger("fakeapi.controllers")


class Gap(msgspec.Struct, frozen=True):
    """A feature that a controller does not implement.

    - `gates`: the feature gate of the feature; then the gates that replaced it in later releases.
    - `consequence`: how the cluster differs from a real cluster if the gate is enabled.
    - `until`: a feature gate. The gap exists only in releases without this gate; "" for all releases.
    """

    controller: str
    gates: tuple[str, ...]
    consequence: str
    until: str = ""

    def gate_in(self, gates: Gates) -> str | None:
        """Returns the enabled gate that the controller ignores; None without such a gate.

        Considers only the first of the Gap's `gates` that the release has. Returns None if the release has
        the gate `until`.
        """
        if self.until and self.until in gates:
            return None
        known = next((name for name in self.gates if name in gates), None)
        return known if known is not None and gates.enabled(known) else None


GAPS = (
    Gap(
        "scheduler",
        ("GangScheduling",),
        "the pods of a gang are scheduled one by one, without waiting for minCount",
        until="DRAWorkloadResourceClaims",
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
    """Logs a warning for each enabled feature gate that the running controllers do not implement."""
    for gate, gap in _open(controllers, gates):
        log.warning(
            "feature gate %s has no effect in the controller %s: %s", gate, gap.controller, gap.consequence
        )


def _open(controllers: Container[str], gates: Gates) -> Iterable[tuple[str, Gap]]:
    for gap in GAPS:
        gate = gap.gate_in(gates)
        if gate is not None and gap.controller in controllers:
            yield gate, gap
