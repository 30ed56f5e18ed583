"""OpenAPI documents: an OpenAPI 3 document for each API version, and one OpenAPI 2 document for all versions.

Follows k8s.io/kube-openapi `pkg/builder3` and `pkg/builder`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from fakeapi.http.discovery.openapi.extensions import COMMON, common_kind_entries
from fakeapi.http.discovery.openapi.operations import PathItem, group_tag, operation, path_items
from fakeapi.http.discovery.openapi.roots import root_schemas
from fakeapi.http.discovery.openapi.schemas import (
    REFERENCE,
    ReleaseSchemas,
    Schema,
    openapi_name,
    reference,
    schemas_of,
)
from fakeapi.http.discovery.openapi.swagger import swagger_of
from fakeapi.http.negotiation import OFFERED
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Release

if TYPE_CHECKING:
    from fakeapi.registry.custom.kind import CustomKind

Document: TypeAlias = dict[str, Any]

_TITLE = "Kubernetes"
_KIND = "x-kubernetes-group-version-kind"
_SECURITY = {
    "BearerToken": {
        "type": "apiKey",
        "description": "A bearer token in the header Authorization.",
        "name": "authorization",
        "in": "header",
    }
}


def resources_by_version(catalogue: Catalogue) -> dict[str, list[Resource]]:
    """Returns the resources of each API version, by the name of the version's OpenAPI document.

    For example, resource.k8s.io/v1alpha3 gives the name `apis/resource.k8s.io/v1alpha3`. Sorts the versions
    and the resources.
    """
    versions: dict[tuple[str, str], list[Resource]] = {}
    for resource in sorted(catalogue.resources, key=lambda resource: resource.kind.resource):
        versions.setdefault((resource.kind.group, resource.kind.version), []).append(resource)
    return {
        f"apis/{group}/{version}" if group else f"api/{version}": resources
        for (group, version), resources in sorted(versions.items(), key=itemgetter(0))
    }


def document_of(resources: list[Resource], *, is_v2: bool = False) -> Document:
    """Returns the OpenAPI 3 document of one API version. Can be called in any thread.

    - `resources`: all resources of the API version.
    - `is_v2`: whether the schemas of custom kinds are for OpenAPI 2, which has fewer keywords.
    """
    group, version = resources[0].kind.group, resources[0].kind.version
    paths = _paths(resources, group, version)
    release = resources[0].release
    known, referring = _known(resources, schemas_of(release.name), is_v2=is_v2)
    schemas = {name: known[name] for name in sorted(_referred(paths, referring))}
    components: dict[str, Any] = {"schemas": schemas}
    if not resources[0].kind.unstructured:
        components["securitySchemes"] = _SECURITY
        if release.quirks.openapi_documents_mark_own_version:
            for go in COMMON:
                name = openapi_name(go)
                if name in schemas:
                    schemas[name] = {**schemas[name], _KIND: common_kind_entries(go, group, version)}
    return {
        "openapi": "3.0.0",
        "info": {"title": _TITLE, "version": release.version},
        "paths": paths,
        "components": components,
    }


def root_document(release: Release, path: str, item: PathItem) -> Document:
    """Returns the OpenAPI 3 document of a path that belongs to no API version, such as /apis/apps/.

    `item`: the OpenAPI path item of the path.
    """
    known = root_schemas(release)
    referred = sorted(_referred(item, known.__getitem__))
    schemas: dict[str, Any] = {"schemas": {key: known[key] for key in referred}} if referred else {}
    return {
        "openapi": "3.0.0",
        "info": {"title": _TITLE, "version": release.version},
        "paths": {path: item},
        "components": {**schemas, "securitySchemes": _SECURITY},
    }


def swagger(release: Release, roots: Mapping[str, PathItem], documents: Iterable[Document]) -> Document:
    """Returns the OpenAPI 2 document of the whole server. Can be called in any thread.

    - `roots`: the path items of paths that belong to no API version, such as /apis/apps/.
    - `documents`: the results of `document_of` with `is_v2` for all API versions.

    If API versions come from different releases and share a type, the schema of the type comes from the last
    document. The types in COMMON and the types of `roots` come from `release`.
    """
    paths: dict[str, Any] = {}
    schemas: dict[str, Schema] = {}
    for document in documents:
        paths |= document["paths"]
        schemas |= document["components"]["schemas"]
    paths |= roots
    own = root_schemas(release)
    schemas |= {name: own[name] for name in _referred(dict(roots), own.__getitem__)}
    known = schemas_of(release.name)
    schemas |= {name: known[name] for name in map(openapi_name, COMMON) if name in schemas}
    return swagger_of(_TITLE, release.version, paths, schemas, _SECURITY)


def _paths(resources: list[Resource], group: str, version: str) -> dict[str, Any]:
    named = group_tag(group)
    tag = f"{named}_{version}"
    name = f"get{named[:1].upper()}{named[1:]}{version.capitalize()}APIResources"
    root = f"/apis/{group}/{version}/" if group else f"/api/{version}/"
    paths: dict[str, Any] = {
        root: {"get": operation(tag, name, {"200": reference("meta/v1.APIResourceList")}, OFFERED)}
    }
    for resource in resources:
        paths.update(_items(resource))
    return dict(sorted(paths.items()))


def _items(resource: Resource) -> Iterator[tuple[str, PathItem]]:
    if not resource.kind.unstructured:
        return path_items(resource)
    from fakeapi.http.discovery.openapi.custom import custom_path_items  # noqa: PLC0415 - loaded only for custom resources

    return custom_path_items(cast("CustomKind", resource.kind))


def _known(
    resources: list[Resource], known: ReleaseSchemas, *, is_v2: bool
) -> tuple[Mapping[str, Schema], Callable[[str], Any]]:
    """Returns the schemas by OpenAPI name, and a function that finds the parts of a schema with references.

    The function takes the name of a schema, and returns the parts of this schema that can refer to others.

    - `resources`: the resources of one API version.
    - `known`: the schemas of the release's built-in types.
    - `is_v2`: whether schemas of custom kinds are for OpenAPI 2.
    """
    custom = [cast("CustomKind", resource.kind) for resource in resources if resource.kind.unstructured]
    if not custom:
        return known, known.__getitem__
    from fakeapi.http.discovery.openapi.custom import CustomSchemas  # noqa: PLC0415 - loaded only for custom resources

    schemas = CustomSchemas(custom, known, is_v2=is_v2)
    return schemas, schemas.referring


def _referred(value: Any, referring: Callable[[str], Any]) -> set[str]:
    """Returns the names of all schemas that a JSON value refers to, directly or through other schemas.

    `referring`: maps the name of a schema to its parts that can contain references to other schemas.
    """
    names: set[str] = set()
    waiting: list[Any] = [value]
    while waiting:
        match waiting.pop():
            case {"$ref": str(target)}:
                name = target.removeprefix(REFERENCE)
                if name not in names:
                    names.add(name)
                    waiting.append(referring(name))
            case dict(members):
                waiting.extend(members.values())
            case list(items):
                waiting.extend(items)
    return names
