"""OpenAPI 3 path items: the paths of a resource, with their operations.

Names, parameters and responses follow k8s.io/apiserver `pkg/endpoints/installer.go`.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from fakeapi.http.discovery.openapi.schemas import Schema, kind_reference, reference
from fakeapi.http.negotiation import LISTED, OFFERED, PATCH_TYPES
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Kind
from fakeapi.releases.kinds import Subresource

PathItem: TypeAlias = dict[str, Any]

_STRING, _INTEGER, _BOOLEAN = "string", "integer", "boolean"
_PRETTY = ("pretty", _STRING)
_DRY_RUN = ("dryRun", _STRING)
WRITE = (_DRY_RUN, ("fieldManager", _STRING), ("fieldValidation", _STRING))
_SELECT = (("continue", _STRING), ("fieldSelector", _STRING), ("labelSelector", _STRING), ("limit", _INTEGER))
_VERSIONS = (
    ("resourceVersion", _STRING),
    ("resourceVersionMatch", _STRING),
    ("sendInitialEvents", _BOOLEAN),
    ("timeoutSeconds", _INTEGER),
)
LIST = (("allowWatchBookmarks", _BOOLEAN), *_SELECT, *_VERSIONS, ("watch", _BOOLEAN))
_SHARDS = (("shardSelector", _STRING),)
DELETE = (
    _DRY_RUN,
    ("gracePeriodSeconds", _INTEGER),
    ("orphanDependents", _BOOLEAN),
    ("propagationPolicy", _STRING),
)
_IGNORE_READ_ERRORS = "ignoreStoreReadErrorWithClusterBreakingPotential"
_ANSWERS = {"200": "OK", "201": "Created", "202": "Accepted"}
_CORE = "core"
_FOR_ALL = "ForAllNamespaces"
_OPTIONS = "Options"
"""The suffix of a subresource's kind, such as PodExecOptions, if the subresource opens a connection."""
_PROXY, _LOG, _TEXT = "proxy", "log", "text/plain"
_GROUPS_THAT_RETURN = frozenset(("resource.k8s.io", "storage.k8s.io"))
_NOT_RETURNED = frozenset((("v1", "csistoragecapacities"), ("v1", "devicetaintrules")))
_RETURNED = frozenset(
    ("", name)
    for name in (
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "podtemplates",
        "resourcequotas",
        "serviceaccounts",
        "services",
    )
)
"""The resources of the core group, as (group, resource), whose delete operation returns the object.

The delete operation of all other resources in the core group returns a Status.
"""

STREAM_METHODS = ("get", "post")
PROXY_METHODS = ("delete", "get", "head", "options", "patch", "post", "put")
_ATTACH = (
    ("container", _STRING),
    ("stderr", _BOOLEAN),
    ("stdin", _BOOLEAN),
    ("stdout", _BOOLEAN),
    ("tty", _BOOLEAN),
)
CONNECT_QUERY: dict[str, tuple[tuple[str, str], ...]] = {
    "attach": _ATTACH,
    "exec": (("command", _STRING), *_ATTACH),
    "portforward": (("ports", _INTEGER),),
    "proxy": (("path", _STRING),),
}
"""The name and type of each query parameter of the subresources attach, exec, portforward and proxy."""
LOG_QUERY = (
    ("container", _STRING),
    ("follow", _BOOLEAN),
    ("insecureSkipTLSVerifyBackend", _BOOLEAN),
    ("limitBytes", _INTEGER),
    ("previous", _BOOLEAN),
    ("sinceSeconds", _INTEGER),
    ("stream", _STRING),
    ("tailLines", _INTEGER),
    ("timestamps", _BOOLEAN),
)
"""The name and type of each query parameter of the subresource log: the fields of PodLogOptions."""


def path_items(resource: Resource) -> Iterator[tuple[str, PathItem]]:
    """Yields each path of a resource, of its subresources and of its watches, with the OpenAPI path item."""
    yield from _Paths(resource).items()


def group_tag(group: str) -> str:
    """Returns the name of an API group in tags and operation ids.

    The name is the group in camel case, without `.k8s.io`. For example, `flowcontrol.apiserver.k8s.io` gives
    `flowcontrolApiserver`, and "" gives `core`.
    """
    first, *others = group.removesuffix(".k8s.io").split(".")
    return "".join((first, *(word.capitalize() for word in others))) or _CORE


def operation(tag: str, name: str, answers: dict[str, Schema], produced: tuple[str, ...]) -> PathItem:
    """Returns an OpenAPI operation without parameters.

    - `tag`: the tag of the operation, such as `core_v1`.
    - `name`: the operation id.
    - `answers`: the schemas of responses by status code.
    - `produced`: the media types of responses.
    """
    responses: dict[str, Any] = {
        code: {
            "description": _ANSWERS[code],
            "content": {media_type: {"schema": schema} for media_type in sorted(produced)},
        }
        for code, schema in answers.items()
    }
    responses["401"] = {"description": "Unauthorized"}
    return {"tags": [tag], "operationId": name, "responses": responses}


class Target(msgspec.Struct, frozen=True):
    """The kind that an operation reads or writes, with the OpenAPI schema of this kind."""

    group: str
    version: str
    kind: str
    schema: Schema


class _Paths(msgspec.Struct, frozen=True):
    """Generates the OpenAPI path items of one resource."""

    resource: Resource

    @property
    def kind(self) -> Kind:
        return self.resource.kind

    @property
    def tag(self) -> str:
        return f"{group_tag(self.kind.group)}_{self.kind.version}"

    def items(self) -> Iterator[tuple[str, PathItem]]:
        kind = self.kind
        root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
        scope = "/namespaces/{namespace}" if kind.namespaced else ""
        where = ("namespace",) if kind.namespaced else ()
        collection = f"{scope}/{kind.resource}"
        item = f"{collection}/{{name}}"
        scoped = "Namespaced" if kind.namespaced else ""
        on_one = ("name", *where)
        if item_methods := self._collection(scoped):
            yield f"{root}{collection}", self._with_parameters(item_methods, self._collection_query(), where)
        if item_methods := self._item(f"{scoped}{kind.kind}", kind.verbs, self.target):
            yield f"{root}{item}", self._with_parameters(item_methods, (), on_one)
        for sub in kind.subresources:
            yield from self._subresource(f"{root}{item}/{sub.name}", scoped, sub, on_one)
        if kind.namespaced and "list" in kind.verbs:
            listed = {"get": self._list("list", f"{kind.kind}{_FOR_ALL}", kind_reference(kind, of_list=True))}
            yield f"{root}/{kind.resource}", self._with_parameters(listed, self._list_query, ())
        if "watch" in kind.verbs:
            if kind.namespaced:
                yield (
                    f"{root}/watch/{kind.resource}",
                    self._watch("watchlist", f"{kind.kind}List{_FOR_ALL}", ()),
                )
            yield f"{root}/watch{collection}", self._watch("watchlist", f"{scoped}{kind.kind}List", where)
            yield f"{root}/watch{item}", self._watch("watch", f"{scoped}{kind.kind}", on_one)

    @property
    def target(self) -> Target:
        return Target(self.kind.group, self.kind.version, self.kind.kind, kind_reference(self.kind))

    @property
    def _shards(self) -> tuple[tuple[str, str], ...]:
        return _SHARDS if self.resource.release.quirks.openapi_lists_have_shards else ()

    @property
    def _list_query(self) -> tuple[tuple[str, str], ...]:
        return (*LIST, *self._shards)

    def _collection_query(self) -> tuple[tuple[str, str], ...]:
        """Returns the query parameters that a collection's path item declares for all its operations.

        A path item declares query parameters only if its single operation is a list or a create. If there are
        several operations, each operation declares its own parameters, and this function returns an empty
        tuple.
        """
        verbs = self.kind.verbs
        if "create" not in verbs and "deletecollection" not in verbs:
            return self._list_query
        return () if "list" in verbs else WRITE

    def _collection(self, scoped: str) -> PathItem:
        kind, name = self.kind, f"{scoped}{self.kind.kind}"
        path_item: PathItem = {}
        shared = self._collection_query()
        if "list" in kind.verbs:
            path_item["get"] = self._list("list", name, kind_reference(kind, of_list=True))
            if not shared:
                path_item["get"]["parameters"] = parameters(self._list_query)
        if "create" in kind.verbs:
            path_item["post"] = self._write("post", f"create{{}}{name}", ("200", "201", "202"), self.target)
            if shared:
                del path_item["post"]["parameters"]
        if "deletecollection" in kind.verbs:
            status = reference("meta/v1.Status")
            deleted = self._operation("deletecollection", f"delete{{}}Collection{name}", {"200": status})
            deleted["parameters"] = parameters(
                (*_SELECT, *DELETE, *self._forced(), *_VERSIONS, *self._shards)
            )
            deleted["requestBody"] = body_of(reference("meta/v1.DeleteOptions"), required=False)
            path_item["delete"] = deleted
        return path_item

    def _item(self, name: str, verbs: tuple[str, ...], target: Target) -> PathItem:
        own = {"200": target.schema}
        operations: dict[str, tuple[str, Callable[[], PathItem]]] = {
            "get": ("get", lambda: self._operation("get", f"read{{}}{name}", own, target=target)),
            "update": ("put", lambda: self._write("put", f"replace{{}}{name}", ("200", "201"), target)),
            "delete": ("delete", lambda: self._delete(name)),
            "patch": ("patch", lambda: self._patch(name, target)),
        }
        return {method: make() for verb, (method, make) in operations.items() if verb in verbs}

    def _subresource(
        self, path: str, scoped: str, sub: Subresource, where: tuple[str, ...]
    ) -> Iterator[tuple[str, PathItem]]:
        """Yields each path of a subresource, with the OpenAPI path item.

        A proxy also has a path with `{path}`.

        - `path`: the first path of the subresource.
        - `scoped`: "Namespaced" for namespaced resources, otherwise ""; a part of operation ids.
        - `where`: the names of the parameters in the path.
        """
        name = f"{scoped}{self.kind.kind}{sub.name.capitalize()}"
        if sub.kind.endswith(_OPTIONS):
            query = CONNECT_QUERY[sub.name]
            yield path, self._with_parameters(self._connect(name, sub), query, where, pretty=False)
            if sub.name == _PROXY:
                behind = self._connect(f"{name}WithPath", sub)
                yield f"{path}/{{path}}", self._with_parameters(behind, query, (*where, "path"), pretty=False)
            return
        if sub.name == _LOG:
            answer: Schema = {"type": _STRING}
            path_item = {"get": self._operation("get", f"read{{}}{name}", {"200": answer}, (*OFFERED, _TEXT))}
            streams = self.resource.release.quirks.openapi_log_has_stream
            query = tuple(parameter for parameter in LOG_QUERY if streams or parameter[0] != "stream")
            yield path, self._with_parameters(path_item, query, where)
            return
        kind = self.resource.release.all_kinds.kind_of_subresource(self.kind, sub)
        target = Target(sub.group, sub.version, sub.kind, kind_reference(kind))
        if sub.verbs == ("create",):
            path_item = {"post": self._write("post", f"create{{}}{name}", ("200", "201", "202"), target)}
            del path_item["post"]["parameters"]
            yield path, self._with_parameters(path_item, WRITE, where)
            return
        path_item = self._item(name, sub.verbs, target)
        if path_item.keys() == {"put"}:
            del path_item["put"]["parameters"]
            yield path, self._with_parameters(path_item, WRITE, where)
            return
        yield path, self._with_parameters(path_item, (), where)

    def _connect(self, name: str, sub: Subresource) -> PathItem:
        """Returns the operations of a subresource such as exec or proxy. Each operation returns a string.

        `name`: the end of the operation ids, such as the scope and kind.
        """
        methods = PROXY_METHODS if sub.name == _PROXY else STREAM_METHODS
        target = Target(sub.group, sub.version, sub.kind, {"type": _STRING})
        return {
            method: self._operation(
                "connect", f"connect{{}}{method.capitalize()}{name}", {"200": target.schema}, ("*/*",), target
            )
            for method in methods
        }

    def _watch(self, action: str, name: str, where: tuple[str, ...]) -> PathItem:
        watch_operation = self._list(action, name, reference("meta/v1.WatchEvent"), verb="watch")
        return self._with_parameters({"get": watch_operation}, self._list_query, where)

    def _list(self, action: str, name: str, answer: Schema, verb: str = "list") -> PathItem:
        return self._operation(action, f"{verb}{{}}{name}", {"200": answer}, LISTED)

    def _write(self, action: str, name: str, codes: tuple[str, ...], target: Target) -> PathItem:
        write = self._operation(action, name, dict.fromkeys(codes, target.schema), target=target)
        write["parameters"] = parameters(WRITE)
        write["requestBody"] = body_of(target.schema, required=self._requires_bodies)
        return write

    def _patch(self, name: str, target: Target) -> PathItem:
        patch = self._write("patch", f"patch{{}}{name}", ("200", "201"), target)
        patch["parameters"] += parameters((("force", _BOOLEAN),))
        patch["requestBody"] = body_of(
            reference("meta/v1.Patch"), required=self._requires_bodies, media_types=PATCH_TYPES
        )
        return patch

    @property
    def _requires_bodies(self) -> bool:
        return self.resource.release.quirks.openapi_requires_bodies

    def _delete(self, name: str) -> PathItem:
        """Returns the delete operation.

        The response is the deleted object for some kinds, and a Status for all others.
        """
        kind = self.kind
        answers_object = (kind.group, kind.resource) in _RETURNED or (
            kind.group in _GROUPS_THAT_RETURN and (kind.version, kind.resource) not in _NOT_RETURNED
        )
        answer = kind_reference(kind) if answers_object else reference("meta/v1.Status")
        delete = self._operation("delete", f"delete{{}}{name}", dict.fromkeys(("200", "202"), answer))
        delete["parameters"] = parameters((*DELETE, *self._forced()))
        delete["requestBody"] = body_of(reference("meta/v1.DeleteOptions"), required=False)
        return delete

    def _forced(self) -> tuple[tuple[str, str], ...]:
        known = self.resource.release.schemas.struct("meta/v1.DeleteOptions").fields
        return ((_IGNORE_READ_ERRORS, _BOOLEAN),) if _IGNORE_READ_ERRORS in known else ()

    def _operation(
        self,
        action: str,
        name: str,
        answers: dict[str, Schema],
        produced: tuple[str, ...] = OFFERED,
        target: Target | None = None,
    ) -> PathItem:
        """Returns an OpenAPI operation of the resource, with the Kubernetes extensions.

        - `action`: the value of `x-kubernetes-action`.
        - `name`: the operation id, with `{}` in place of group and version.
        - `answers`: the schemas of responses by status code.
        - `produced`: the media types of responses.
        - `target`: the kind of the operation; None for the kind of the resource.
        """
        kind = self.kind
        tag = group_tag(kind.group)
        version = f"{tag[:1].upper()}{tag[1:]}{kind.version.capitalize()}"
        about = target or self.target
        return {
            **operation(self.tag, name.format(version), answers, produced),
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {
                "group": about.group,
                "kind": about.kind,
                "version": about.version,
            },
        }

    def _with_parameters(
        self,
        item: PathItem,
        query: tuple[tuple[str, str], ...],
        where: tuple[str, ...],
        *,
        pretty: bool = True,
    ) -> PathItem:
        """Returns the path item with the parameters that all its operations share.

        - `query`: the name and type of each query parameter.
        - `where`: the names of the parameters in the path.
        - `pretty`: whether to add the query parameter `pretty`.
        """
        in_path = [
            {"name": name, "in": "path", "required": True, "schema": {"type": _STRING, "uniqueItems": True}}
            for name in where
        ]
        return {**item, "parameters": [*in_path, *parameters((*((_PRETTY,) if pretty else ()), *query))]}


def parameters(named: tuple[tuple[str, str], ...]) -> list[Schema]:
    return [
        {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}} for name, kind in named
    ]


def body_of(schema: Schema, *, required: bool, media_types: tuple[str, ...] = ("*/*",)) -> Schema:
    body: Schema = {"content": {media_type: {"schema": schema} for media_type in sorted(media_types)}}
    return {**body, "required": True} if required else body
