"""Reads manifests and returns the API path of each object. Changes no objects."""

from typing import Any

import msgspec

from fakeapi.clients.served_resource import api_version_of, version_path
from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.machinery.documents import DocumentError, documents_of
from fakeapi.registry.model.resource import Resource

TEXT_MAX = 4 * 1024 * 1024
"""Maximum length of the manifests' text in characters; a longer text gets 413."""


class ManifestText(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Manifests in YAML or JSON.

    `namespace`: the namespace for manifests without one.
    """

    text: str
    namespace: str = "default"


class ManifestView(msgspec.Struct, rename="camel"):
    """An object in a manifest.

    - `collection`: the path to create the object with POST.
    - `path`: the path of the object; equal to `collection` if the manifest has no name.
    - `exists`: whether the server has an object of this name.
    """

    group: str
    version: str
    resource: str
    kind: str
    namespace: str
    name: str
    collection: str
    path: str
    exists: bool
    object: Any


async def read(call: Call) -> list[ManifestView]:
    body: ManifestText = call.body
    if len(body.text) > TEXT_MAX:
        raise refused(413, f"the text is longer than {TEXT_MAX} characters")
    try:
        documents = documents_of(body.text)
    except DocumentError as error:
        raise refused(400, str(error)) from None
    if not documents:
        raise refused(400, "the text has no object")
    return [_view(call, document, body.namespace) for document in documents]


def _view(call: Call, document: Any, default_namespace: str) -> ManifestView:
    """Returns an object with its path.

    Raises ApiError 400 if the document is not a Kubernetes object, or if the server does not serve its kind.
    """
    if not isinstance(document, dict):
        raise refused(400, "a Kubernetes object is a mapping with apiVersion, kind and metadata")
    api_version, kind_name = document.get("apiVersion"), document.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind_name, str) or not api_version or not kind_name:
        raise refused(400, "the object needs an apiVersion and a kind")
    group, _, version = api_version.rpartition("/")
    resource = _resource(call, group, version, kind_name)
    if resource is None:
        raise refused(400, f"the server does not serve the kind {kind_name!r} in {api_version!r}")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    namespace = _text(metadata, "namespace") or default_namespace if resource.kind.namespaced else ""
    name = _text(metadata, "name")
    root = version_path(api_version_of(group, version))
    collection = f"{root}/namespaces/{namespace}" if namespace else root
    collection = f"{collection}/{resource.kind.resource}"
    stored = call.server.cluster.storage.get(resource.key(namespace, name)) if name else None
    return ManifestView(
        group,
        version,
        resource.kind.resource,
        kind_name,
        namespace,
        name,
        collection,
        f"{collection}/{name}" if name else collection,
        stored is not None,
        document,
    )


def _resource(call: Call, group: str, version: str, kind: str) -> Resource | None:
    resources = call.server.cluster.catalogue.of_version(group, version)
    return next((resource for resource in resources if resource.kind.kind == kind), None)


def _text(metadata: dict[str, Any], name: str) -> str:
    """Returns a field of metadata as text; "" if it is missing. Raises ApiError 400 if the value is not a
    name.
    """
    value = metadata.get(name) or ""
    if not isinstance(value, str) or "/" in value:
        raise refused(400, f"metadata.{name}: {value!r} is not a name")
    return value


ROUTES = (
    Route(
        "POST",
        "/manifests",
        read,
        "Read manifests in YAML or JSON, without changing anything: the path of each object.",
        answer=list[ManifestView],
        body=ManifestText,
    ),
)
