"""ServerFaults: arms, disarms and lists the faults of a running server."""

from fakeapi.cluster import Cluster
from fakeapi.faults.armed import ArmedFault
from fakeapi.faults.rules import Rule
from fakeapi.serving.runner import Runner


class ServerFaults:
    """The faults of a running server. Call the methods in the thread of a test."""

    def __init__(self, cluster: Cluster, runner: Runner) -> None:
        self._cluster = cluster
        self._runner = runner

    def arm(self, rules: list[Rule]) -> list[ArmedFault]:
        """Arms the faults of rules; returns the armed faults.

        Raises RuleError if a rule cannot match any served resource or verb. After an error, no new fault is
        armed.
        """

        async def arm() -> list[ArmedFault]:
            return self._cluster.faults.arm(rules)

        return self._runner.call(arm)

    def disarm(self, *names: str) -> None:
        """Disarms faults by name, or all if called without names. Raises RuleError for an unknown name."""

        async def disarm() -> None:
            if self._cluster.armed_faults is not None or names:
                self._cluster.faults.disarm(*names)

        self._runner.call(disarm)

    def armed(self) -> list[ArmedFault]:
        """Returns the armed faults in the order of arming."""
        faults = self._cluster.armed_faults
        return [] if faults is None else [*faults.armed]

    def unfired(self) -> list[str]:
        """Returns the names of the faults that never fired, including disarmed faults."""
        faults = self._cluster.armed_faults
        return [] if faults is None else faults.unfired()
