"""ExistingCluster: a real cluster instead of FakeAPI, for tests that use only the Kubernetes API."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from fakeapi.clients.errors import StatusError
from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import Target
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.request_info import parse
from fakeapi.testing.client import Verbs
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.manifests import Manifest, namespace_of, one_object
from fakeapi.testing.wire import JSON, Wire

if TYPE_CHECKING:
    from fakeapi.explaining.explanation import Explanation

__tracebackhide__ = hides_expected_errors


class NotOnExistingCluster(FakeAPIError):
    """Raised for attributes that only a fakeapi server has, such as `faults`, `requests` and `clock`."""


class ExistingCluster(Verbs):
    """The methods of FakeAPI that use only the Kubernetes API, for a cluster that already runs.

    The cluster remembers the objects that the test creates with its methods. `close` deletes these objects.
    """

    def __init__(self, target: Target, kubeconfig: Path) -> None:
        """Creates a client without connecting. `kubeconfig`: the file from which `target` was read."""
        super().__init__()
        authorization = target.authorization()
        headers = {} if authorization is None else {"Authorization": authorization}
        self._connected = Wire(target.url, tls=target.tls, headers=headers)
        self._target = target
        self._created: list[str] = []
        self._kubeconfig = kubeconfig

    def __repr__(self) -> str:
        return f"<ExistingCluster {self.url}>"

    @property
    def url(self) -> str:
        """The URL of the cluster's API server."""
        return self._connected.url

    @property
    def kubeconfig(self) -> Path:
        """The path of the kubeconfig."""
        return self._kubeconfig

    @property
    def release(self) -> str:
        """The minor release of the cluster, such as "1.34"."""
        version = self._connected.request("GET", "/version", observes=True)
        return f"{version['major']}.{version['minor'].rstrip('+')}"

    @property
    def running(self) -> bool:
        """Whether the cluster runs: always true."""
        return True

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
    ) -> Any:
        answer = super().request(method, path, body, query=query, content_type=content_type)
        info = parse(path)
        is_create = method == "POST" and info is not None and info.resource and not info.name
        if is_create and "dryRun" not in (query or {}):
            metadata = answer.get("metadata") or {}
            if metadata.get("uid"):  # servers do not store reviews such as SubjectAccessReview
                self._created.append(f"{path}/{metadata['name']}")
        return answer

    def apply(
        self,
        manifest: Manifest,
        *,
        manager: str = "fakeapi",
        force: bool = False,
        namespace: str | None = None,
        subresource: str = "",
    ) -> Object:
        obj = one_object(manifest)
        resource = self._resource(obj["kind"], obj.get("apiVersion"))
        path = resource.path(namespace or namespace_of(obj), (obj.get("metadata") or {}).get("name", ""))
        is_new = not self._exists(path)
        applied = super().apply(
            obj, manager=manager, force=force, namespace=namespace, subresource=subresource
        )
        if is_new:
            self._created.append(path)
        return applied

    def explain(self, kind: str, name: str, *, namespace: str = "default") -> "Explanation":
        """Explains an object as `FakeAPI.explain` does, by the rules of the cluster's release.

        Sends only GET requests. Raises ValueError as `FakeAPI.explain` does, and StatusError if the cluster
        refuses a request.
        """
        from fakeapi.explaining.explain import place_of, resource_of  # noqa: PLC0415 - loaded only when used
        from fakeapi.explaining.remote_cluster import explain_remote  # noqa: PLC0415 - loaded only when used

        resource = resource_of(kind)
        where, own = place_of(resource, name, default=namespace)
        with ThreadPoolExecutor(1) as thread:  # the test may run in an event loop
            return thread.submit(asyncio.run, explain_remote(self._target, resource, where, own)).result()

    def close(self) -> None:
        """Deletes the objects that the test has created, newest first, and closes the connections.

        Ignores objects that do not exist any more.
        """
        while self._created:
            try:
                self._connected.request("DELETE", self._created.pop())
            except StatusError as error:
                if not error.is_not_found:
                    raise
        self._connected.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wire(self) -> Wire:
        return self._connected

    def _exists(self, path: str) -> bool:
        try:
            self._connected.request("GET", path, observes=True)
        except StatusError as error:
            if error.is_not_found:
                return False
            raise
        return True

    if not TYPE_CHECKING:  # type checkers see only the attributes of a real cluster

        def __getattr__(self, name: str) -> Any:
            from fakeapi.testing.server import FakeAPI  # noqa: PLC0415 - loaded only for an error

            if hasattr(FakeAPI, name) and not name.startswith("_"):
                raise NotOnExistingCluster(f"`{name}` needs a fakeapi server, not an existing cluster")
            raise AttributeError(f"ExistingCluster has no attribute {name!r}")


def existing_cluster(kubeconfig: str | Path) -> ExistingCluster:
    """Returns the cluster of a kubeconfig. Raises TargetError if the file cannot be used."""
    path = Path(kubeconfig).expanduser()
    return ExistingCluster(target_of_kubeconfig(path), path)
