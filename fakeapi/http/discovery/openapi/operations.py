"""OpenAPI 3 path items: the paths of an API version and the operations of each.

Names, parameters and answers follow k8s.io/apiserver `pkg/endpoints/installer.go`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from fakeapi.http.discovery.openapi.schemas import Schema, kind_reference, reference
from fakeapi.http.negotiation import LISTED, OFFERED, PATCH_TYPES
from fakeapi.registry.resource import Resource
from fakeapi.releases import Kind

PathItem: TypeAlias = dict[str, Any]

_STRING, _INTEGER, _BOOLEAN = "string", "integer", "boolean"
_PRETTY = ("pretty", _STRING)
_DRY_RUN = ("dryRun", _STRING)
_WRITE = (_DRY_RUN, ("fieldManager", _STRING), ("fieldValidation", _STRING))
_SELECT = (("continue", _STRING), ("fieldSelector", _STRING), ("labelSelector", _STRING), ("limit", _INTEGER))
_VERSIONS = (
    ("resourceVersion", _STRING),
    ("resourceVersionMatch", _STRING),
    ("sendInitialEvents", _BOOLEAN),
    ("timeoutSeconds", _INTEGER),
)
_LIST = (("allowWatchBookmarks", _BOOLEAN), *_SELECT, *_VERSIONS, ("watch", _BOOLEAN))
_DELETE = (
    _DRY_RUN,
    ("gracePeriodSeconds", _INTEGER),
    ("orphanDependents", _BOOLEAN),
    ("propagationPolicy", _STRING),
)
_IGNORE_READ_ERRORS = "ignoreStoreReadErrorWithClusterBreakingPotential"
_ANSWERS = {"200": "OK", "201": "Created", "202": "Accepted"}
_CORE = "core"


def path_items(resource: Resource) -> Iterator[tuple[str, PathItem]]:
    """The paths of a resource, those of its subresources and those that only watch."""
    yield from _Paths(resource).items()


def group_tag(group: str) -> str:
    """How operations name a group: its first word, `core` for the core group."""
    return group.partition(".")[0] or _CORE


def operation(tag: str, name: str, answers: dict[str, Schema], produced: tuple[str, ...]) -> PathItem:
    """An operation without parameters; `answers` by status code."""
    responses: dict[str, Any] = {
        code: {
            "description": _ANSWERS[code],
            "content": {media_type: {"schema": schema} for media_type in sorted(produced)},
        }
        for code, schema in answers.items()
    }
    responses["401"] = {"description": "Unauthorized"}
    return {"tags": [tag], "operationId": name, "responses": responses}


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths of one resource."""

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
        yield f"{root}{collection}", self._collection(scoped, where)
        yield f"{root}{item}", self._item(scoped, ("name", *where))
        for sub in kind.subresources:
            if sub.name in self.resource.subresources:
                found = self._item(scoped, ("name", *where), sub.name, sub.verbs)
                yield f"{root}{item}/{sub.name}", found
        for_all = "ForAllNamespaces"
        if kind.namespaced:
            listed = {"get": self._list("list", f"{kind.kind}{for_all}", kind_reference(kind, of_list=True))}
            yield f"{root}/{kind.resource}", self._with_parameters(listed, _LIST, ())
            yield f"{root}/watch/{kind.resource}", self._watch("watchlist", f"{kind.kind}List{for_all}", ())
        yield f"{root}/watch{collection}", self._watch("watchlist", f"{scoped}{kind.kind}List", where)
        yield f"{root}/watch{item}", self._watch("watch", f"{scoped}{kind.kind}", ("name", *where))

    def _collection(self, scoped: str, where: tuple[str, ...]) -> PathItem:
        kind, name = self.kind, f"{scoped}{self.kind.kind}"
        found: PathItem = {}
        if "list" in kind.verbs:
            found["get"] = self._list("list", name, kind_reference(kind, of_list=True))
            found["get"]["parameters"] = _parameters(_LIST)
        if "create" in kind.verbs:
            found["post"] = self._write("post", f"create{{}}{name}", ("200", "201", "202"))
        if "deletecollection" in kind.verbs:
            status = reference("meta/v1.Status")
            deleted = self._operation("deletecollection", f"delete{{}}Collection{name}", {"200": status})
            deleted["parameters"] = _parameters((*_SELECT, *_DELETE, *_VERSIONS))
            deleted["requestBody"] = _body(reference("meta/v1.DeleteOptions"), required=False)
            found["delete"] = deleted
        return self._with_parameters(found, (), where)

    def _item(
        self, scoped: str, where: tuple[str, ...], sub: str = "", verbs: tuple[str, ...] | None = None
    ) -> PathItem:
        name = f"{scoped}{self.kind.kind}{sub.capitalize()}"
        own = kind_reference(self.kind)
        made: dict[str, tuple[str, Callable[[], PathItem]]] = {
            "get": ("get", lambda: self._operation("get", f"read{{}}{name}", {"200": own})),
            "update": ("put", lambda: self._write("put", f"replace{{}}{name}", ("200", "201"))),
            "delete": ("delete", lambda: self._delete(name)),
            "patch": ("patch", lambda: self._patch(name)),
        }
        found = {
            method: make()
            for verb, (method, make) in made.items()
            if verb in (self.kind.verbs if verbs is None else verbs)
        }
        return self._with_parameters(found, (), where)

    def _watch(self, action: str, name: str, where: tuple[str, ...]) -> PathItem:
        found = self._list(action, name, reference("meta/v1.WatchEvent"), verb="watch")
        return self._with_parameters({"get": found}, _LIST, where)

    def _list(self, action: str, name: str, answer: Schema, verb: str = "list") -> PathItem:
        return self._operation(action, f"{verb}{{}}{name}", {"200": answer}, LISTED)

    def _write(self, action: str, name: str, codes: tuple[str, ...]) -> PathItem:
        own = kind_reference(self.kind)
        found = self._operation(action, name, dict.fromkeys(codes, own))
        found["parameters"] = _parameters(_WRITE)
        found["requestBody"] = _body(own, required=True)
        return found

    def _patch(self, name: str) -> PathItem:
        found = self._write("patch", f"patch{{}}{name}", ("200", "201"))
        found["parameters"] += _parameters((("force", _BOOLEAN),))
        found["requestBody"] = _body(reference("meta/v1.Patch"), required=True, media_types=PATCH_TYPES)
        return found

    def _delete(self, name: str) -> PathItem:
        """A namespace goes on existing for a while, so that its deletion answers with how that went."""
        answer = kind_reference(self.kind) if self.kind.group else reference("meta/v1.Status")
        found = self._operation("delete", f"delete{{}}{name}", dict.fromkeys(("200", "202"), answer))
        known = self.resource.release.schemas.struct("meta/v1.DeleteOptions").fields
        forced = ((_IGNORE_READ_ERRORS, _BOOLEAN),) if _IGNORE_READ_ERRORS in known else ()
        found["parameters"] = _parameters((*_DELETE, *forced))
        found["requestBody"] = _body(reference("meta/v1.DeleteOptions"), required=False)
        return found

    def _operation(
        self, action: str, name: str, answers: dict[str, Schema], produced: tuple[str, ...] = OFFERED
    ) -> PathItem:
        kind = self.kind
        version = f"{group_tag(kind.group).capitalize()}{kind.version.capitalize()}"
        return {
            **operation(self.tag, name.format(version), answers, produced),
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {
                "group": kind.group,
                "kind": kind.kind,
                "version": kind.version,
            },
        }

    def _with_parameters(
        self, found: PathItem, query: tuple[tuple[str, str], ...], where: tuple[str, ...]
    ) -> PathItem:
        """A path item with what all of its operations take; `where` names the parts of its path."""
        in_path = [
            {"name": name, "in": "path", "required": True, "schema": {"type": _STRING, "uniqueItems": True}}
            for name in where
        ]
        return {**found, "parameters": [*in_path, *_parameters((_PRETTY, *query))]}


def _parameters(named: tuple[tuple[str, str], ...]) -> list[Schema]:
    return [
        {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}} for name, kind in named
    ]


def _body(schema: Schema, *, required: bool, media_types: tuple[str, ...] = ("*/*",)) -> Schema:
    body: Schema = {"content": {media_type: {"schema": schema} for media_type in sorted(media_types)}}
    return {**body, "required": True} if required else body
