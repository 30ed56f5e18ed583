"""Converts objects to plain manifests, which lack the fields that only a server sets."""

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
"""`{}` in base64: the placeholder for Docker credentials in a Secret, which must be JSON."""


def plain_manifests(objects: Iterable[ReadObject], *, status: bool) -> list[tuple[ReadObject, Object]]:
    """Returns pairs of an object and its manifest without the fields that only a server sets.

    A server can create the objects in the order of the pairs. References between these objects lose their
    uids, because an import assigns new uids.

    `status`: whether manifests contain the status of objects with the subresource `status`.
    """
    read = list(objects)
    known = Identities()
    for item in read:
        known.add(item.obj, str(item.obj["metadata"].get("uid") or ""), item.kind.plural)
    plain = [(item, _manifest(item, known, status=status)) for item in read]
    return sorted(plain, key=lambda pair: rank_of(pair[1]))


def _manifest(read: ReadObject, known: Identities, *, status: bool) -> Object:
    manifest = without_server_fields(read.obj)
    for reference in references_of(manifest):
        if reference.uid and reference.uid == known.find(reference):
            del reference.holder["uid"]
    if read.kind.has_status and not (status and manifest.get("status")):
        manifest.pop("status", None)
    return manifest


def without_server_fields(obj: Object) -> Object:
    """Copies an object without the fields that only a server sets.

    Examples of these fields are the uid, the resourceVersion and managedFields. Also removes the annotation
    of `kubectl apply`. In the copy, `apiVersion`, `kind` and `metadata` come first.
    """
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]}
    manifest = copy.deepcopy(head | {name: value for name, value in obj.items() if name not in head})
    metadata = manifest["metadata"]
    for name in (*OF_THE_SERVER, *_DELETION):
        metadata.pop(name, None)
    _without(metadata, "annotations", _APPLIED)
    if manifest["kind"] == "Namespace" and manifest["apiVersion"] == "v1":
        _without(metadata, "labels", "kubernetes.io/metadata.name")
        manifest.pop("spec", None)  # the spec has only the finalizer that every namespace has
    _without_null_times(manifest)
    return manifest


def _without_null_times(value: Any) -> None:
    """Removes `creationTimestamp: null` from all metadata in place. Go clients write it in templates."""
    if isinstance(value, list):
        for item in value:
            _without_null_times(item)
    elif isinstance(value, dict):
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and metadata.get("creationTimestamp", "") is None:
            del metadata["creationTimestamp"]
        for member in value.values():
            _without_null_times(member)


def _without(metadata: Object, field: str, key: str) -> None:
    """Removes the label or annotation `key` in place. Also removes `field` if it becomes empty.

    `field`: "labels" or "annotations".
    """
    entries = metadata.get(field)
    if isinstance(entries, dict):
        entries.pop(key, None)
        if not entries:
            del metadata[field]


def redact(obj: Object) -> None:
    """Replaces, in place, the data of a Secret or the credentials of another object with placeholders.

    Placeholders have the types of the values, so that the object stays valid. Also removes the annotation of
    `kubectl apply`.
    """
    annotations = obj["metadata"].get("annotations")
    if isinstance(annotations, dict):
        annotations.pop(_APPLIED, None)
    if (obj["apiVersion"], obj["kind"]) != ("v1", "Secret"):
        scrub(obj, secrets=False)
        return
    data = obj.get("data")
    if isinstance(data, dict):
        obj["data"] = {key: _NO_CREDENTIALS if key in _DOCKER else _REDACTED for key in data}
