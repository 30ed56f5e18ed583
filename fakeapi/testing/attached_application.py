"""AttachedApplication: an ASGI application with the attachments of its cluster, such as controllers."""

from collections.abc import Coroutine, Sequence
from typing import Any

from fakeapi.asgi import Application, Receive, Scope, Send
from fakeapi.cluster import Attachment, Cluster


class AttachedApplication:
    """An ASGI application that starts and stops its attachments, such as controllers.

    - Starts the attachments after the application itself has started.
    - Stops the attachments in reverse order, before the application itself stops.
    - Registers the attachments as followers of the cluster.
    """

    def __init__(self, app: Application, cluster: Cluster, attachments: Sequence[Attachment]) -> None:
        self._app = app
        self._cluster = cluster
        self._attachments = list(attachments)
        for attachment in attachments:
            cluster.follow(attachment)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        return self._app(scope, receive, send)

    async def startup(self) -> None:
        await self._app.startup()
        for attachment in self._attachments:
            await attachment.start()

    async def shutdown(self) -> None:
        for attachment in reversed(self._attachments):
            await attachment.stop()
        await self._app.shutdown()

    async def reset(self) -> None:
        await self._app.reset()

    def end_watches(self) -> None:
        self._app.end_watches()
