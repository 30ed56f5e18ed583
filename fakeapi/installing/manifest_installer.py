"""ManifestInstaller: installs manifests at each start and each reset of a server."""

from collections.abc import Callable, Iterable

from fakeapi.asgi import Application
from fakeapi.clients.in_process import InProcessClient
from fakeapi.cluster import Attachment
from fakeapi.installing.installer import AGENT, Installer
from fakeapi.installing.plan import Plan, plan_of
from fakeapi.installing.sources import Source
from fakeapi.machinery.json_types import Object


class ManifestInstaller(Attachment):
    """Installs manifests before the first request and after each reset."""

    def __init__(
        self,
        app: Application,
        sources: Iterable[Source],
        *,
        token: str | None = None,
        host: str = "localhost",
        on_warning: Callable[[str], None] | None = None,
    ) -> None:
        """Reads and checks the manifests of the sources, without a request.

        - `token`, `host`: the bearer token and the header Host of requests to `app`.
        - `on_warning`: called with each Warning header of a response.

        Raises InstallError if a source cannot be read or a manifest is invalid.
        """
        self._on_warning = on_warning
        self._app = app
        self._token = token
        self._host = host
        self._plan = plan_of(sources)
        self._is_checked = False

    async def start(self) -> None:
        await self._install()

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            await self._install()

    async def _install(self) -> None:
        checked, self._is_checked = self._is_checked, True
        await install(
            self._app,
            self._plan,
            token=self._token,
            host=self._host,
            checked=checked,
            on_warning=self._on_warning,
        )


async def install(
    app: Application,
    plan: Plan,
    *,
    token: str | None,
    host: str,
    checked: bool = False,
    on_warning: Callable[[str], None] | None = None,
) -> list[Object]:
    """Installs a plan in a started application; returns the stored objects.

    - `token`, `host`: the bearer token and the header Host of the requests.
    - `checked`: whether to skip the dry runs, which find errors before the first object is created.
    - `on_warning`: called with each Warning header of a response.

    Raises InstallError if the server refuses an object.
    """
    installer = Installer(InProcessClient(app, AGENT, token=token, host=host, on_warning=on_warning))
    if not checked:
        await installer.check(plan)
    return await installer.install(plan)
