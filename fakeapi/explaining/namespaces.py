"""Explains which objects keep a namespace that is being deleted, and what removes them."""

from collections.abc import Iterator

import msgspec

from fakeapi.explaining.cluster_objects import KINDS, NAMESPACED, ClusterObjects, reference
from fakeapi.explaining.finalizers import (
    SKIPS_CLEANUP,
    finalizer_changes,
    finalizer_lines,
    finalizers_of,
    finalizers_reason,
    remover_of,
)
from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_COUNT = lazy_pattern(r"(?P<resource>[\w-]+)\.(?P<group>[\w.-]*) has (?P<count>\d+) resource instances")
_FINALIZER = lazy_pattern(r"(?P<name>\S+) in \d+ resource instances")
_CONTENT, _FINALIZERS = "NamespaceContentRemaining", "NamespaceFinalizersRemaining"
"""The conditions of a namespace that count its objects and their finalizers."""

_BY_CONTENT = "kubernetes"
"""The finalizer that keeps a namespace until all objects in the namespace are deleted."""


def namespace_reason(cluster: ClusterObjects, namespace: Object) -> Reason:
    """Returns the reason why a namespace that is being deleted still exists.

    Names the objects with finalizers, if they could be read. Otherwise reads the number of objects from the
    conditions of the namespace.
    """
    reason = finalizers_reason(cluster, "Namespace", namespace)
    with_finalizers = _held(cluster, namespace["metadata"]["name"])
    left = _remaining(namespace)
    lines = []
    for kind, obj in with_finalizers[:NAMES_SHOWN]:
        own = reference(kind, obj)
        reason.blame.append(own)
        lines += [f"{own}: {line}" for line in finalizer_lines(cluster, obj)]
        reason.changes += [
            msgspec.structs.replace(
                change, sufficient=False, needs=f"{len(with_finalizers)} objects are held"
            )
            if len(with_finalizers) > 1
            else change
            for change in finalizer_changes(cluster, kind, obj)
        ]
    if with_finalizers:
        raw = {_message(namespace, kind) for kind in (_CONTENT, _FINALIZERS)}
        reason.details = [*lines, *(one for one in reason.details if one not in raw)]
    else:
        reason.changes += _changes_by_condition(namespace)
    text = _text(with_finalizers, left, _finalizers(namespace))
    if text and finalizers_of(namespace) == [_BY_CONTENT]:
        reason.text = text
        if len(with_finalizers) == 1:
            reason.object, reason.path = reason.blame[0], "metadata.finalizers"
    return reason


def _held(cluster: ClusterObjects, namespace: str) -> list[tuple[str, Object]]:
    """Returns the objects of a namespace that have finalizers, each with its kind."""
    known = [
        (KINDS[resource][1], obj)
        for resource in sorted(NAMESPACED)
        for obj in cluster.of(resource)
        if obj["metadata"]["namespace"] == namespace
    ]
    known += [(obj["kind"], obj) for obj in cluster.contents]
    return [(kind, obj) for kind, obj in known if finalizers_of(obj)]


def _text(
    with_finalizers: list[tuple[str, Object]], left: list[tuple[str, int]], finalizers: list[str]
) -> str:
    """Returns a sentence about the objects for which a namespace waits; "" if these objects are unknown."""
    if with_finalizers:
        kind, obj = with_finalizers[0]
        first = reference(kind, obj)
        if len(with_finalizers) == 1:
            return f"waits for {first} with finalizer {', '.join(finalizers_of(obj))}"
        return f"waits for {len(with_finalizers)} objects with finalizers, such as {first}"
    if not left:
        return ""
    counts = [f"{count} {resource if count > 1 else _singular(resource)}" for resource, count in left]
    text = f"waits for {', '.join(counts)}"
    noun = "finalizer" if len(finalizers) == 1 else "finalizers"
    return f"{text} with {noun} {', '.join(finalizers)}" if finalizers else text


def _changes_by_condition(namespace: Object) -> Iterator[Change]:
    """Yields the changes that remove the finalizers named in the conditions of a namespace."""
    name = namespace["metadata"]["name"]
    resources = ",".join(resource for resource, _ in _remaining(namespace))
    for finalizer in _finalizers(namespace):
        if remover_of(finalizer) is not None:
            continue
        domain, slash, _ = finalizer.partition("/")
        component = f"the controller of {domain}" if slash else "the controller of the finalizer"
        yield Change(f"let {component} finish its cleanup and remove {finalizer}", "wait")
        text = (
            f"remove {finalizer} from metadata.finalizers of the objects that "
            f"kubectl get {resources or 'all'} -n {name} lists"
        )
        yield Change(text, "edit", path="metadata.finalizers", harm=SKIPS_CLEANUP)


def _remaining(namespace: Object) -> list[tuple[str, int]]:
    """Returns the resources in a namespace with the number of objects, from the namespace's conditions."""
    message = _message(namespace, _CONTENT)
    return [
        (f"{one['resource']}.{one['group']}".rstrip("."), int(one["count"]))
        for one in _COUNT.finditer(message)
    ]


def _finalizers(namespace: Object) -> list[str]:
    """Returns the finalizers of the objects in a namespace, from the namespace's conditions."""
    message = _message(namespace, _FINALIZERS)
    return [one["name"] for one in _FINALIZER.finditer(message)]


def _message(namespace: Object, kind: str) -> str:
    for condition in namespace["status"].get("conditions") or ():
        if condition["type"] == kind and condition["status"] == "True":
            return str(condition.get("message", ""))
    return ""


def _singular(resource: str) -> str:
    """Returns the singular of a resource, such as "configmap" for "configmaps"."""
    plural, dot, group = resource.partition(".")
    for end, singular in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if plural.endswith(end):
            return f"{plural.removesuffix(end)}{singular}{dot}{group}"
    return resource
