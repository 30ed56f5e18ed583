"""A blocking client for tests. Works with any Kubernetes API server."""

import ssl
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.insight import Insight
from fakeapi.testing.manifests import Manifest, load, namespace_of, one_object
from fakeapi.testing.object_life import ObjectLife
from fakeapi.testing.served_kinds import items_of
from fakeapi.testing.waiting import Waiting
from fakeapi.testing.watching import selectors
from fakeapi.testing.wire import Wire
from fakeapi.testing.write_options import PatchOptions, WriteOptions, query_of

if TYPE_CHECKING:
    from fakeapi.testing.objects import ObjectBuilder

__tracebackhide__ = hides_expected_errors

Objects = list[Object]
PatchType = Literal["json", "merge", "strategic", "apply"]


class Verbs(Waiting, ObjectLife):
    """A client that creates, reads and changes objects.

    - `kind`: as in a manifest (`ResourceClaim`) or as kubectl accepts it (`resourceclaims`).
    - `api_version`: such as "apps/v1"; None for the version that the server prefers.

    Every method raises StatusError if the server refuses the request, and ValueError for a kind or a
    subresource that the server does not serve.
    """

    def create(
        self, manifest: Manifest, *, namespace: str | None = None, **options: Unpack[WriteOptions]
    ) -> Object:
        """Creates one object from a manifest; returns the stored object.

        - `manifest`: a dict, YAML or JSON text, or the path of a file.
        - `namespace`: overrides the namespace in the manifest; None keeps it. Without both, the namespace is
          `default`.
        - `options`: the query parameters `fieldManager`, `fieldValidation` and `dryRun`.

        Raises ValueError if the manifest does not contain exactly one object, and OSError for an unreadable
        file. Raises TypeError for an unknown keyword argument.
        """
        query = query_of("create", options, WriteOptions, ("namespace",))
        return self._create(one_object(manifest), namespace, query)

    def create_all(
        self, manifest: Manifest, *, namespace: str | None = None, **options: Unpack[WriteOptions]
    ) -> Objects:
        """Creates all objects of a manifest in order; returns the stored objects.

        - `manifest`: a dict, a list of dicts, YAML or JSON text, or the path of a file.
        - `namespace`: overrides the namespaces in the manifest.
        - `options`: the query parameters `fieldManager`, `fieldValidation` and `dryRun`.

        Raises StatusError for the first refused object; the objects before it stay. Raises ValueError for an
        invalid manifest, OSError for an unreadable file, and TypeError for an unknown keyword argument.
        """
        query = query_of("create_all", options, WriteOptions, ("namespace",))
        return [self._create(obj, namespace, query) for obj in load(manifest)]

    def _create(self, obj: Object, namespace: str | None, query: Mapping[str, Any]) -> Object:
        resource = self._resource(obj["kind"], obj.get("apiVersion"))
        created: Object = self.request(
            "POST", resource.path(namespace or namespace_of(obj)), obj, query=query
        )
        return created

    def create_namespace(self, name: str) -> Object:
        """Creates a namespace; returns the stored object."""
        return self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def get(
        self, kind: str, name: str, *, namespace: str = "default", api_version: str | None = None
    ) -> Object:
        """Returns one object. Raises StatusError with code 404 if the object does not exist.

        `api_version`: such as "apps/v1"; None for the version that the server prefers.
        """
        obj: Object = self.request("GET", self._subresource_path(kind, name, "", namespace, api_version))
        return obj

    def list(
        self,
        kind: str,
        *,
        namespace: str | None = None,
        api_version: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> Objects:
        """Returns the objects of a kind, in one namespace or in all namespaces.

        Each returned object has apiVersion and kind.

        - `namespace`: None for all namespaces.
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `label_selector`, `field_selector`: as for `kubectl get`; "" selects all objects.
        """
        resource = self._resource(kind, api_version)
        query = selectors(label_selector, field_selector)
        listed = self.request("GET", resource.path(namespace or ""), query=query)
        return items_of(listed, resource)

    def update(
        self, obj: Mapping[str, Any], *, subresource: str = "", **options: Unpack[WriteOptions]
    ) -> Object:
        """Replaces an object (PUT); returns the stored object.

        - `subresource`: such as "status"; "" replaces the object itself.
        - `options`: the query parameters `fieldManager`, `fieldValidation` and `dryRun`.

        The namespace comes from the metadata of the object; without one, it is `default`. Raises StatusError
        with code 409 if the resourceVersion is not the stored one.
        """
        query = query_of("update", options, WriteOptions, ("subresource",))
        updated: Object = self.request("PUT", self._path_of(obj, subresource), obj, query=query)
        return updated

    def update_status(self, obj: Mapping[str, Any]) -> Object:
        """Replaces the status of an object (PUT on the subresource `status`); returns the stored object."""
        return self.update(obj, subresource="status")

    def patch(
        self,
        kind: str,
        name: str,
        patch: Any,
        *,
        type: PatchType = "merge",  # noqa: A002 - Kubernetes' own word
        namespace: str = "default",
        api_version: str | None = None,
        subresource: str = "",
        **options: Unpack[PatchOptions],
    ) -> Object:
        """Patches an object; returns the stored object.

        - `patch`: a dict or list, or the patch as text or bytes.
        - `type`: `json`, `merge`, `strategic`, or `apply` for server-side apply.
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `subresource`: such as "status"; "" patches the object itself.
        - `options`: the query parameters `fieldManager`, `fieldValidation`, `dryRun` and `force`.

        Raises ValueError for an unknown `type`, and TypeError for an unknown keyword argument.
        """
        others = ("type", "namespace", "api_version", "subresource")
        query = query_of("patch", options, PatchOptions, others)
        if type not in SHORT_NAMES:
            raise ValueError(f"the type of a patch is one of {', '.join(SHORT_NAMES)}, not {type!r}")
        path = self._subresource_path(kind, name, subresource, namespace, api_version)
        patched: Object = self.request("PATCH", path, patch, query=query, content_type=SHORT_NAMES[type])
        return patched

    @overload
    def delete(self, kind: Mapping[str, Any], /, *, options: Mapping[str, Any] | None = None) -> Object: ...

    @overload
    def delete(
        self,
        kind: str,
        name: str,
        *,
        namespace: str = "default",
        api_version: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Object: ...

    def delete(
        self,
        kind: str | Mapping[str, Any],
        name: str = "",
        *,
        namespace: str = "default",
        api_version: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Object:
        """Deletes an object; returns the body of the response: the object or a Status.

        - `kind`: the kind; or the object itself, and then `name` is omitted.
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `options`: the DeleteOptions, such as `{"propagationPolicy": "Foreground"}`; None sends no options.
        """
        if isinstance(kind, str):
            path = self._subresource_path(kind, name, "", namespace, api_version)
        else:
            path = self._path_of(kind)
        deleted: Object = self.request("DELETE", path, options)
        return deleted

    def _path_of(self, obj: Mapping[str, Any], subresource: str = "") -> str:
        """Returns the path of an object, or of its subresource. Raises ValueError if its kind is missing."""
        if not isinstance(obj, Mapping) or not obj.get("kind"):
            raise ValueError(f"not a Kubernetes object with apiVersion and kind: {obj!r:.200}")
        name = (obj.get("metadata") or {}).get("name", "")
        return self._subresource_path(
            obj["kind"], name, subresource, namespace_of(obj), obj.get("apiVersion")
        )

    @property
    def objects(self) -> "ObjectBuilder":
        """Builds objects for the version of resource.k8s.io that the server prefers.

            api.create(api.objects.claim("gpu", count=2))

        Raises ValueError if the server prefers a version without devices (v1alpha2, up to release 1.30).
        """
        from fakeapi.testing.objects import ObjectBuilder  # noqa: PLC0415 - loaded only when used

        return ObjectBuilder(self._resource("resourceclaims.resource.k8s.io", None).version)

    def as_user(self, user: str, *, groups: Sequence[str] = (), uid: str = "") -> "Client":
        """Returns a client that sends its requests as another user, by impersonation.

            api.as_user("system:serviceaccount:team:driver").get("ResourceClaim", "gpu", namespace="team")

        - `user`: the name of the user.
        - `groups`: the groups of the user; without them, a service account has its usual groups.
        - `uid`: the uid of the user; "" for none.

        On a server with `authorization="rbac"`, the roles of this user decide which requests are allowed. The
        method `wait_for` sends its requests as the administrator.
        """
        wire = self._wire().as_user(user, tuple(groups), uid)
        return Client(wire.url, wire=wire, insight=self._insight())


class Client(Verbs):
    """A client of the API server at a URL, for several threads and forked processes."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        wire: Wire | None = None,
        insight: Insight | None = None,
    ) -> None:
        """Creates a client without connecting to the server.

        - `url`: the URL of the server, such as "http://127.0.0.1:8001".
        - `token`: the bearer token; None for no token.
        - `tls`: the context that verifies the server's certificate; None to use the CA certificates of the
          system.
        - `wire`: connections to use instead of new connections, for example as another user. With a wire,
          `url`, `token` and `tls` have no effect.
        - `insight`: reads the server to explain time-outs; None reads with this client.
        """
        super().__init__()
        self._connected = wire or Wire(url, token=token, tls=tls)
        self._own_insight = insight

    def _wire(self) -> Wire:
        return self._connected

    def _insight(self) -> Insight:
        return self._own_insight or super()._insight()

    def __repr__(self) -> str:
        return f"<Client of {self._connected.url}{self._connected.identity}>"

    def close(self) -> None:
        """Closes the idle connections. A later request opens a new connection."""
        self._connected.close()
