"""FaultArmer: activates the faults of the option `faults` whenever a server starts or is reset."""

from collections.abc import Sequence

from fakeapi.cluster import Attachment, Cluster
from fakeapi.faults.rules import Rule


class FaultArmer(Attachment):
    """Activates faults whenever a server starts or is reset.

    It must be the last attachment, so that faults do not affect the start of other attachments.
    """

    def __init__(self, cluster: Cluster, rules: Sequence[Rule]) -> None:
        self._cluster = cluster
        self._rules = rules

    async def start(self) -> None:
        """Activates the faults. Raises RuleError if a rule cannot match any served resource or verb."""
        self._cluster.faults.arm(self._rules)

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            self._cluster.faults.arm(self._rules)
