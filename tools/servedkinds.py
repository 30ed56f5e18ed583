"""Reads the kinds that a release serves, by group version, from its discovery documents and OpenAPI paths.

The reader checks that both sources agree about a kind. Only discovery has short names, categories and the
hashes of storage versions. Release 1.27 publishes no discovery documents, so the reader uses the discovery
documents of 1.28.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tools.modules import Modules

GroupVersion: TypeAlias = tuple[str, str]
KindEntry: TypeAlias = dict[str, Any]

_VERBS = {"post": "create", "put": "update", "watchlist": "watch"}
_CONNECTED = {"get": "get", "post": "create", "put": "update", "patch": "patch", "delete": "delete"}
_BORROWED = ("short_names", "categories", "storage_version_hash")


class ServedKindsError(Exception):
    """Raised if the discovery documents and the OpenAPI documents of a release contradict each other."""


def openapi_documents(modules: Modules) -> dict[GroupVersion, Any]:
    """Returns the OpenAPI v3 documents that a release publishes, by (group, version)."""
    folder = modules.kubernetes / "api/openapi-spec/v3"
    paths = {("", "v1"): folder / "api__v1_openapi.json"}
    for path in sorted(folder.glob("apis__*__*_openapi.json")):
        _, group, version = path.name.removesuffix("_openapi.json").split("__")
        paths[group, version] = path
    return {gv: json.loads(path.read_text()) for gv, path in paths.items()}


def discovered_groups(modules: Modules) -> list[GroupVersion]:
    """Returns the (group, version) pairs of a release in the order of discovery; the core group is first."""
    folder = modules.kubernetes / "api/discovery"
    versions = json.loads((folder / "apis.json").read_text())["groups"]
    return [
        ("", "v1"),
        *((group["name"], each["version"]) for group in versions for each in group["versions"]),
    ]


def kinds_of_release(modules: Modules, base: Modules | None) -> dict[GroupVersion, list[KindEntry]]:
    """Returns the kinds of a release by (group, version), in the order of discovery.

    `base`: another release whose discovery documents to use if this release publishes none; None for the
    release's own documents. Raises ServedKindsError if discovery and OpenAPI contradict each other.
    """
    stated = {gv: kinds_in_paths(spec, *gv) for gv, spec in openapi_documents(modules).items()}
    if base is not None:
        order = [gv for gv in discovered_groups(base) if gv in stated]
        order += [gv for gv in stated if gv not in order]
        names = _names_by_resource(kinds_of_release(base, None))
        return {gv: [_borrow(gv, kind, names) for kind in stated[gv]] for gv in order}
    kinds = {}
    for gv in discovered_groups(modules):
        listed = kinds_in_discovery(modules.kubernetes / "api/discovery", *gv)
        _compare(gv, listed, stated[gv])
        kinds[gv] = listed
    if missing := set(stated) - set(kinds):
        raise ServedKindsError(f"not in discovery: {missing}")
    return kinds


def kinds_in_discovery(folder: Path, group: str, version: str) -> list[KindEntry]:
    path = folder / (f"apis__{group}__{version}.json" if group else f"api__{version}.json")
    kinds: dict[str, KindEntry] = {}
    subresources = []
    for each in json.loads(path.read_text())["resources"]:
        if "/" in each["name"]:
            subresources.append(each)
            continue
        kinds[each["name"]] = {
            "kind": each["kind"],
            "resource": each["name"],
            "singular": each["singularName"],
            "short_names": each.get("shortNames", []),
            "categories": each.get("categories", []),
            "namespaced": each["namespaced"],
            "verbs": each["verbs"],
            "subresources": {},
            "storage_version_hash": each.get("storageVersionHash", ""),
        }
    for each in subresources:
        resource, _, name = each["name"].partition("/")
        kinds[resource]["subresources"][name] = _subresource(
            each["kind"],
            each.get("group", group),
            each.get("version", version),
            each["verbs"],
            group,
            version,
        )
    return [kinds[resource] for resource in sorted(kinds)]


def kinds_in_paths(spec: Any, group: str, version: str) -> list[KindEntry]:
    """Returns the kinds in the paths of an OpenAPI document.

    Leaves out short names, categories and hashes, because OpenAPI paths do not contain them.
    """
    root = f"/apis/{group}/{version}/" if group else f"/api/{version}/"
    kinds: dict[str, KindEntry] = {}
    for path, operations in sorted(spec["paths"].items()):
        if not path.startswith(root):
            continue
        inner = path.removeprefix(root).removeprefix("watch/")
        namespaced = inner.startswith("namespaces/{namespace}/") and not _is_namespace_part(inner)
        resource, *rest = (
            inner.removeprefix("namespaces/{namespace}/")
            if namespaced
            else inner.replace("{namespace}", "{name}")
        ).split("/")
        for method, operation in operations.items():
            if isinstance(operation, dict) and "x-kubernetes-action" in operation:
                _add(kinds, group, version, resource, rest, namespaced, method, operation)
    for kind in kinds.values():
        kind["verbs"] = sorted(kind["verbs"])
        for subresource in kind["subresources"].values():
            subresource["verbs"] = sorted(subresource["verbs"])
    return [kinds[resource] for resource in sorted(kinds)]


def _is_namespace_part(inner: str) -> bool:
    """Whether a path names a subresource of a Namespace, and not a resource inside a namespace.

    True for `namespaces/{namespace}/status`, false for `namespaces/{namespace}/pods`.
    """
    return inner.removeprefix("namespaces/{namespace}/") in ("status", "finalize")


def _add(
    found: dict[str, KindEntry],
    group: str,
    version: str,
    resource: str,
    rest: list[str],
    namespaced: bool,  # noqa: FBT001 - one of the path's parts
    method: str,
    operation: Mapping[str, Any],
) -> None:
    gvk, action = operation["x-kubernetes-group-version-kind"], operation["x-kubernetes-action"]
    kind = found.setdefault(
        resource,
        {
            "kind": gvk["kind"],
            "resource": resource,
            "singular": gvk["kind"].lower(),
            "namespaced": False,
            "verbs": set(),
            "subresources": {},
        },
    )
    kind["namespaced"] = kind["namespaced"] or namespaced
    if action == "connect":
        verbs = {_CONNECTED[method]} if method in _CONNECTED else set()
    else:
        verbs = {_VERBS.get(action, action)}
    if len(rest) < 2:
        kind["verbs"] |= verbs
        return
    new = _subresource(gvk["kind"], gvk["group"], gvk["version"], set(), group, version)
    kind["subresources"].setdefault(rest[1], new)["verbs"] |= verbs


def _subresource(
    kind: str, group: str, version: str, verbs: Any, own_group: str, own_version: str
) -> dict[str, Any]:
    """Returns the table entry of a subresource.

    - `kind`, `group` and `version`: the kind of the subresource's requests and responses.
    - `own_group` and `own_version`: the group version of the resource. If the kind has the same group
      version, the entry omits it.
    """
    entry: dict[str, Any] = {"kind": kind}
    if (group, version) != (own_group, own_version):
        entry |= {"group": group, "version": version}
    return {**entry, "verbs": verbs}


def _names_by_resource(kinds: Mapping[GroupVersion, list[KindEntry]]) -> dict[tuple[str, str], KindEntry]:
    return {(gv[0], kind["resource"]): kind for gv, entries in kinds.items() for kind in entries}


def _borrow(gv: GroupVersion, kind: KindEntry, names: Mapping[tuple[str, str], KindEntry]) -> KindEntry:
    other = names.get((gv[0], kind["resource"]), {"short_names": [], "categories": []})
    stored = base64.b64encode(hashlib.sha256("/".join((*gv, kind["kind"])).encode()).digest()[:8]).decode()
    has_hash = "list" in kind["verbs"] and kind["kind"] != "ComponentStatus"
    return {
        **kind,
        "singular": other.get("singular", kind["singular"]),
        "short_names": other["short_names"],
        "categories": other["categories"],
        "storage_version_hash": other.get("storage_version_hash", stored if has_hash else ""),
    }


def _compare(gv: GroupVersion, listed: list[KindEntry], stated: list[KindEntry]) -> None:
    left = {kind["resource"]: _without(kind, (*_BORROWED, "singular")) for kind in listed}
    right = {kind["resource"]: _without(kind, (*_BORROWED, "singular")) for kind in stated}
    for resource in sorted(set(left) | set(right)):
        one, other = left.get(resource), right.get(resource)
        if one != other:
            raise ServedKindsError(f"{'/'.join(gv)} {resource}: discovery says {one}, OpenAPI {other}")


def _without(kind: KindEntry, left_out: tuple[str, ...]) -> KindEntry:
    subresources = {
        name: {**each, "verbs": sorted(each["verbs"])} for name, each in kind["subresources"].items()
    }
    kept = {key: value for key, value in kind.items() if key not in left_out}
    return {**kept, "subresources": subresources, "verbs": sorted(kind["verbs"])}
