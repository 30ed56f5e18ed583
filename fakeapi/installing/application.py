"""InstallingApplication: installs manifests at each start and each reset of a server."""

from collections.abc import Coroutine, Iterable
from typing import Any

from fakeapi.asgi import Application, Receive, Scope, Send
from fakeapi.clients.in_process import InProcessClient
from fakeapi.installing.installer import AGENT, Installer
from fakeapi.installing.plan import Plan, plan_of
from fakeapi.installing.sources import Source
from fakeapi.machinery.json_types import Object


class InstallingApplication:
    """Installs manifests before the first request, and again after each reset of the cluster.

    Wrap the outermost application that owns the cluster, and register this object with `Cluster.follow`.
    """

    def __init__(
        self,
        app: Application,
        sources: Iterable[Source],
        *,
        token: str | None = None,
        host: str = "localhost",
    ) -> None:
        """`token` and `host` are the credentials for requests to `app`. Raises InstallError."""
        self._app = app
        self._token = token
        self._host = host
        self._plan = plan_of(sources)
        self._is_checked = False

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        return self._app(scope, receive, send)

    async def startup(self) -> None:
        await self._app.startup()
        await self._install()

    async def shutdown(self) -> None:
        await self._app.shutdown()

    async def reset(self) -> None:
        await self._app.reset()

    async def before_replacement(self) -> None: ...

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            await self._install()

    def end_watches(self) -> None:
        self._app.end_watches()

    async def _install(self) -> None:
        checked, self._is_checked = self._is_checked, True
        await install(self._app, self._plan, token=self._token, host=self._host, checked=checked)


async def install(
    app: Application, plan: Plan, *, token: str | None, host: str, checked: bool = False
) -> list[Object]:
    """Installs a plan in a started application; returns the stored objects.

    Unless `checked`, dry runs find errors before the first object is installed. Raises InstallError.
    """
    installer = Installer(InProcessClient(app, AGENT, token=token, host=host))
    if not checked:
        await installer.check(plan)
    return await installer.install(plan)
