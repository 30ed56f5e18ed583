"""OpenAPI of custom resources: their paths, and the schemas of their objects.

Follows k8s.io/apiextensions-apiserver `pkg/controller/openapi/builder`. The schema of a version comes from
its CustomResourceDefinition, with `apiVersion`, `kind` and `metadata` added.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fakeapi.http.discovery.openapi.operations import (
    DELETE,
    LIST,
    WRITE,
    PathItem,
    body_of,
    group_tag,
    operation,
    parameters,
)
from fakeapi.http.discovery.openapi.schemas import REFERENCE, ReleaseSchemas, Schema, reference
from fakeapi.http.negotiation import CUSTOM_PATCH_TYPES, JSON
from fakeapi.machinery.structural.openapi import Publication, extensions, model_name, published_schema
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.requests.decoding import YAML

_PRODUCED = (JSON, YAML)
_PRETTY = ("pretty", "string")
_GET = (("resourceVersion", "string"),)
_METADATA = "meta/v1.ObjectMeta"
_LIST_METADATA = "meta/v1.ListMeta"
_MORE = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_STANDARD_OBJECT = f"Standard object's metadata. {_MORE}#metadata"
_STANDARD_LIST = f"Standard list metadata. {_MORE}#types-kinds"
_API_VERSION = (
    "APIVersion defines the versioned schema of this representation of an object. Servers should convert "
    "recognized schemas to the latest internal value, and may reject unrecognized values. "
    f"{_MORE}#resources"
)
_KIND = (
    "Kind is a string value representing the REST resource this object represents. Servers may infer this "
    f"from the endpoint the client submits requests to. Cannot be updated. In CamelCase. {_MORE}#types-kinds"
)
_EMBEDDED_API_VERSION = (
    f"apiVersion defines the versioned schema of this representation of an object. {_MORE}#resources"
)
_EMBEDDED_KIND = (
    f"kind is a string value representing the type of this object. In CamelCase. {_MORE}#types-kinds"
)


def custom_name(kind: CustomKind, name: str) -> str:
    """Returns the OpenAPI name of the type `name` in the API version of a custom kind.

    For example, Widget of example.com/v1 gives `com.example.v1.Widget`.
    """
    return model_name(kind.group, kind.version, name)


def _published(kind: CustomKind, *, is_v2: bool) -> Schema:
    """Returns the OpenAPI schema of a custom kind. The first call caches the schema in the kind.

    `is_v2`: whether the schema is for OpenAPI 2, which has fewer keywords.
    """
    schema = kind.published.get(is_v2)
    if schema is None:
        definition = kind.version_specification.schema
        schema = kind.published[is_v2] = published_schema(definition, _publication(kind, is_v2=is_v2))
    return schema


class CustomSchemas(Mapping[str, Schema]):
    """The OpenAPI schemas of custom kinds and of the release's built-in types, by OpenAPI name."""

    def __init__(self, kinds: list[CustomKind], known: ReleaseSchemas, *, is_v2: bool) -> None:
        self._known = known
        self._own: dict[str, Schema] = {}
        self._referring: dict[str, Any] = {}
        for kind in kinds:
            publication = _publication(kind, is_v2=is_v2)
            name, schema = custom_name(kind, kind.kind), _published(kind, is_v2=is_v2)
            self._own[name] = schema
            self._referring[name] = publication.resource_members if "properties" in schema else {}
            self._own[custom_name(kind, kind.list_kind)] = {
                **_list_schema(kind),
                **extensions(publication, kind.list_kind),
            }

    def referring(self, name: str) -> Any:
        """Returns the parts of the schema `name` that can contain references to other schemas.

        Omits the schema in a CustomResourceDefinition, which never refers to other schemas. The defaults and
        examples in that schema can contain a key `$ref` that is not a reference.
        """
        return self._referring[name] if name in self._referring else self[name]

    def __getitem__(self, name: str) -> Schema:
        return self._own[name] if name in self._own else self._known[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._known

    def __len__(self) -> int:
        return len(self._own) + len(self._known)


def _publication(kind: CustomKind, *, is_v2: bool) -> Publication:
    specification, version = kind.specification, kind.version_specification
    metadata = {"allOf": [reference(_METADATA)], "description": _STANDARD_OBJECT}
    return Publication(
        group=kind.group,
        version=kind.version,
        kind=kind.kind,
        resource_members={
            "apiVersion": {"type": "string", "description": _API_VERSION},
            "kind": {"type": "string", "description": _KIND},
            "metadata": metadata,
        },
        embedded_members={
            "apiVersion": {"type": "string", "description": _EMBEDDED_API_VERSION},
            "kind": {"type": "string", "description": _EMBEDDED_KIND},
            "metadata": metadata,
        },
        is_v2=is_v2,
        preserves_unknown_fields=specification.preserves_unknown_fields,
        selectable_fields=version.selectable,
        rules=kind.rules,
    )


def _list_schema(kind: CustomKind) -> Schema:
    items = {"$ref": REFERENCE + custom_name(kind, kind.kind)}
    return {
        "type": "object",
        "description": f"{kind.list_kind} is a list of {kind.kind}",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": _API_VERSION},
            "items": {
                "type": "array",
                "items": items,
                "description": f"List of {kind.resource}. {_MORE}",
            },
            "kind": {"type": "string", "description": _KIND},
            "metadata": {"allOf": [reference(_LIST_METADATA)], "description": _STANDARD_LIST},
        },
    }


def _gvk(kind: CustomKind, name: str) -> dict[str, str]:
    return {"group": kind.group, "kind": name, "version": kind.version}


def custom_path_items(kind: CustomKind) -> Iterator[tuple[str, PathItem]]:
    """Yields each path of a custom resource and of its subresources, with the OpenAPI path item."""
    root = f"/apis/{kind.group}/{kind.version}"
    scoped = "Namespaced" if kind.namespaced else ""
    where = ("namespace",) if kind.namespaced else ()
    collection = f"{root}{'/namespaces/{namespace}' if kind.namespaced else ''}/{kind.resource}"
    own = {"$ref": REFERENCE + custom_name(kind, kind.kind)}
    listed = {"$ref": REFERENCE + custom_name(kind, kind.list_kind)}
    status = reference("meta/v1.Status")
    if kind.namespaced:
        name = f"list{{}}{kind.kind}ForAllNamespaces"
        reads = {"get": _operation(kind, "list", name, {"200": listed}, LIST)}
        yield f"{root}/{kind.resource}", _with_path(reads, ())
    name = f"{scoped}{kind.kind}"
    yield (
        collection,
        _with_path(
            {
                "get": _operation(kind, "list", f"list{{}}{name}", {"200": listed}, LIST),
                "post": _with_body(
                    _operation(kind, "post", f"create{{}}{name}", _codes(own, "200", "201", "202"), WRITE),
                    own,
                ),
                "delete": _operation(
                    kind, "deletecollection", f"delete{{}}Collection{name}", {"200": status}, LIST
                ),
            },
            where,
        ),
    )
    deleted = _operation(kind, "delete", f"delete{{}}{name}", _codes(status, "200", "202"), DELETE)
    deleted["requestBody"] = body_of(reference("meta/v1.DeleteOptions"), required=False)
    on_one = ("name", *where)
    item = {**_reads_and_writes(kind, name, own), "delete": deleted}
    yield f"{collection}/{{name}}", _with_path(item, on_one)
    for sub in kind.subresources:
        answer = own if sub.kind == kind.kind else reference("autoscaling/v1.Scale")
        item = _reads_and_writes(kind, f"{name}{sub.name.capitalize()}", answer)
        yield f"{collection}/{{name}}/{sub.name}", _with_path(item, on_one)


def _reads_and_writes(kind: CustomKind, name: str, own: Schema) -> PathItem:
    patch = _operation(kind, "patch", f"patch{{}}{name}", {"200": own}, (*WRITE, ("force", "boolean")))
    patch["requestBody"] = body_of(reference("meta/v1.Patch"), required=False, media_types=CUSTOM_PATCH_TYPES)
    put = _operation(kind, "put", f"replace{{}}{name}", _codes(own, "200", "201"), WRITE)
    return {
        "get": _operation(kind, "get", f"read{{}}{name}", {"200": own}, _GET),
        "put": _with_body(put, own),
        "patch": patch,
    }


def _codes(answer: Schema, *codes: str) -> dict[str, Schema]:
    return dict.fromkeys(codes, answer)


def _with_body(item: PathItem, schema: Schema) -> PathItem:
    return {**item, "requestBody": body_of(schema, required=False, media_types=_PRODUCED)}


def _operation(
    kind: CustomKind,
    action: str,
    name: str,
    answers: dict[str, Schema],
    query: tuple[tuple[str, str], ...],
) -> PathItem:
    tag = group_tag(kind.group)
    version = f"{tag[:1].upper()}{tag[1:]}{kind.version.capitalize()}"
    return {
        **operation(f"{tag}_{kind.version}", name.format(version), answers, _PRODUCED),
        "parameters": parameters(query),
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(kind, kind.kind),
    }


def _with_path(item: PathItem, where: tuple[str, ...]) -> PathItem:
    """Adds the parameters of a path, and the parameter `pretty`, to an OpenAPI path item.

    Returns the new path item. `where`: the names of the parameters in the path.
    """
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "uniqueItems": True}}
        for name in where
    ]
    return {**item, "parameters": [*in_path, *parameters((_PRETTY,))]}
