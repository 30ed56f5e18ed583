"""Makes plain manifests of objects: what a server says of an object by itself is left out."""

import base64
import copy
from collections.abc import Iterable
from typing import Any

from fakeapi.installing.plan import OF_THE_SERVER, rank_of
from fakeapi.installing.references import Identities, references_of
from fakeapi.machinery.json_types import Object
from fakeapi.traces.recording.credentials import REDACTED
from fakeapi.traces.recording.redaction import scrub
from fakeapi.transfer.reading import ReadObject

_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_DOCKER = (".dockercfg", ".dockerconfigjson")
_REDACTED = base64.b64encode(REDACTED.encode()).decode()
_NO_CREDENTIALS = "e30="
"""`{}` in base64: these keys of a Secret have to hold JSON."""


def plain_manifests(objects: Iterable[ReadObject], *, status: bool) -> list[tuple[ReadObject, Object]]:
    """Plain manifests, each with what it was made of; references to objects among these lose their uids.

    They come in the order in which they can be created.

    Without `status`, what is a subresource of its own is left out.
    """
    read = list(objects)
    known = Identities()
    for each in read:
        known.add(each.obj, str(each.obj["metadata"].get("uid") or ""), each.kind.plural)
    plain = [(each, _manifest(each, known, status=status)) for each in read]
    return sorted(plain, key=lambda each: rank_of(each[1]))


def _manifest(read: ReadObject, known: Identities, *, status: bool) -> Object:
    manifest = without_server_fields(read.obj)
    for reference in references_of(manifest):
        if reference.uid and reference.uid == known.find(reference):
            del reference.holder["uid"]
    if read.kind.has_status and not (status and manifest.get("status")):
        manifest.pop("status", None)
    return manifest


def without_server_fields(obj: Object) -> Object:
    """A copy without what only a server says, its type and metadata first."""
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]}
    manifest = copy.deepcopy(head | {name: held for name, held in obj.items() if name not in head})
    metadata = manifest["metadata"]
    for name in (*OF_THE_SERVER, *_DELETION):
        metadata.pop(name, None)
    _without(metadata, "annotations", _APPLIED)
    if manifest["kind"] == "Namespace" and manifest["apiVersion"] == "v1":
        _without(metadata, "labels", "kubernetes.io/metadata.name")
        manifest.pop("spec", None)  # the finalizer that every namespace is given
    _without_null_times(manifest)
    return manifest


def _without_null_times(value: Any) -> None:
    """Removes `creationTimestamp: null`, which Go writes in templates."""
    if isinstance(value, list):
        for each in value:
            _without_null_times(each)
    elif isinstance(value, dict):
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and metadata.get("creationTimestamp", "") is None:
            del metadata["creationTimestamp"]
        for each in value.values():
            _without_null_times(each)


def _without(metadata: Object, field: str, key: str) -> None:
    """Removes a label or an annotation, and the map that it leaves empty."""
    held = metadata.get(field)
    if isinstance(held, dict):
        held.pop(key, None)
        if not held:
            del metadata[field]


def redact(obj: Object) -> None:
    """Removes the data of a Secret, and credentials elsewhere, in place; values keep their type."""
    annotations = obj["metadata"].get("annotations")
    if isinstance(annotations, dict):
        annotations.pop(_APPLIED, None)
    if (obj["apiVersion"], obj["kind"]) != ("v1", "Secret"):
        scrub(obj, secrets=False)
        return
    data = obj.get("data")
    if isinstance(data, dict):
        obj["data"] = {key: _NO_CREDENTIALS if key in _DOCKER else _REDACTED for key in data}
