"""Known differences between explain and kube-scheduler that no mistake causes, each with its reason."""

from tests.differential.exchanges.known import Known

KNOWN: tuple[Known, ...] = ()
