"""ManifestInstaller: installs manifests at each start and each reset of a server."""

from collections.abc import Iterable

from fakeapi.asgi import Application
from fakeapi.clients.in_process import InProcessClient
from fakeapi.installing.installer import AGENT, Installer
from fakeapi.installing.plan import Plan, plan_of
from fakeapi.installing.sources import Source
from fakeapi.machinery.json_types import Object


class ManifestInstaller:
    """Installs manifests before the first request, and after each reset; an Attachment of the cluster."""

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

    async def start(self) -> None:
        await self._install()

    async def stop(self) -> None: ...

    async def before_replacement(self) -> None: ...

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            await self._install()

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
