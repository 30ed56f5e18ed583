"""FaultArmer: arms the faults of the option `faults` at each start and reset of a server."""

from collections.abc import Sequence

from fakeapi.cluster import Attachment, Cluster
from fakeapi.faults.rules import Rule


class FaultArmer(Attachment):
    """Arms faults at each start and reset of a server.

    Attach it last, so that faults do not affect the start of other attachments.
    """

    def __init__(self, cluster: Cluster, rules: Sequence[Rule]) -> None:
        self._cluster = cluster
        self._rules = rules

    async def start(self) -> None:
        """Arms the faults. Raises RuleError if a rule cannot match any served resource or verb."""
        self._cluster.faults.arm(self._rules)

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            self._cluster.faults.arm(self._rules)
