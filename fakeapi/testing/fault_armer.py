"""FaultArmer: arms the faults of the settings at each start and each reset."""

from collections.abc import Sequence

from fakeapi.cluster import Cluster
from fakeapi.faults.rules import Rule


class FaultArmer:
    """Arms faults after the other parts of the server have started, which the faults must not affect.

    It is an Attachment of the cluster. A reset drops the armed faults, so they are armed again.
    """

    def __init__(self, cluster: Cluster, rules: Sequence[Rule]) -> None:
        self._cluster = cluster
        self._rules = rules

    async def start(self) -> None:
        """Raises RuleError for a rule that cannot match any served resource or verb."""
        self._cluster.faults.arm(self._rules)

    async def stop(self) -> None: ...

    async def before_replacement(self) -> None: ...

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            self._cluster.faults.arm(self._rules)
