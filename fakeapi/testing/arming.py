"""ArmingApplication: arms the faults of the settings at each start and each reset."""

from collections.abc import Coroutine, Sequence
from typing import Any

from fakeapi.asgi import Application, Receive, Scope, Send
from fakeapi.cluster import Cluster
from fakeapi.faults.rules import Rule


class ArmingApplication:
    """Arms the faults after the inner application has started, so that faults do not affect its startup."""

    def __init__(self, app: Application, cluster: Cluster, rules: Sequence[Rule]) -> None:
        self._app = app
        self._cluster = cluster
        self._rules = rules

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        return self._app(scope, receive, send)

    async def startup(self) -> None:
        """Raises RuleError for a rule that cannot match any served resource or verb."""
        await self._app.startup()
        self._cluster.faults.arm(self._rules)

    async def shutdown(self) -> None:
        await self._app.shutdown()

    async def reset(self) -> None:
        await self._app.reset()
        self._cluster.faults.arm(self._rules)

    def end_watches(self) -> None:
        self._app.end_watches()
