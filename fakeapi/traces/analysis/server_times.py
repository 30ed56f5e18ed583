"""The times outside of metadata that the API server itself writes into objects.

A client reads such a time, and often sends it back in a later update. A replay must then send the time of the
replay target. Otherwise the update would change the field, and the client would become its manager.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.traces.analysis.request_facts import RequestFacts, version_number
from fakeapi.traces.model import Exchange

Steps = tuple[str, ...]
"""The path of a field. "*" matches each element of a list and each key of a map."""

_CONDITIONS: Steps = ("status", "conditions", "*")
_TIMES: dict[tuple[str, str], tuple[str, tuple[Steps, ...]]] = {
    ("", "pods"): ("Pod", ((*_CONDITIONS, "lastTransitionTime"),)),
    ("", "persistentvolumes"): ("PersistentVolume", (("status", "lastPhaseTransitionTime"),)),
    ("policy", "poddisruptionbudgets"): ("PodDisruptionBudget", (("status", "disruptedPods", "*"),)),
    ("resource.k8s.io", "devicetaintrules"): ("DeviceTaintRule", (("spec", "taint", "timeAdded"),)),
    ("resource.k8s.io", "resourceslices"): (
        "ResourceSlice",
        (("spec", "devices", "*", "taints", "*", "timeAdded"),),
    ),
    ("certificates.k8s.io", "certificatesigningrequests"): (
        "CertificateSigningRequest",
        ((*_CONDITIONS, "lastUpdateTime"), (*_CONDITIONS, "lastTransitionTime")),
    ),
    ("apiextensions.k8s.io", "customresourcedefinitions"): (
        "CustomResourceDefinition",
        ((*_CONDITIONS, "lastTransitionTime"),),
    ),
    ("apiregistration.k8s.io", "apiservices"): ("APIService", ((*_CONDITIONS, "lastTransitionTime"),)),
}
"""Maps group and resource to the kind and the paths of the times that the API server can set.

Sources: pkg/registry/core/pod (binding, eviction, gated pods), pkg/registry/core/persistentvolume,
pkg/registry/resource, pkg/registry/certificates, apiextensions-apiserver and kube-aggregator.
"""

_PATHS = dict(_TIMES.values())
_CONDITION_TYPES = {"Pod": frozenset({"PodScheduled", "DisruptionTarget"})}
"""The types of the conditions that the API server sets. For other kinds, it can set all conditions."""

_NAMES = ("type", "name", "key")


class ServerTime(NamedTuple):
    """A time in a decoded object, at a field that the API server can set.

    - `place`: the steps to the field. Elements of lists have their type, name or key as step.
    - `holder` and `key`: the map that contains the time, and the key of the time in this map.
    """

    place: Steps
    holder: dict[str, Any]
    key: str

    @property
    def value(self) -> str:
        return str(self.holder[self.key])


def kind_of(group: str, resource: str) -> str:
    """Returns the kind of a resource whose objects can have times of the server; "" for other resources."""
    return _TIMES.get((group, resource), ("",))[0]


def server_times(kind: str, obj: Any) -> Iterator[ServerTime]:
    """Yields the times in an object that the API server can have set. Yields nothing for other kinds.

    `obj`: a decoded object, or a merge patch for it.
    """
    for path in _PATHS.get(kind, ()):
        yield from _at(kind, obj, path, ())


def _at(kind: str, value: Any, path: Steps, place: Steps) -> Iterator[ServerTime]:
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        for index, item in enumerate(value):
            if step == "*" and isinstance(item, dict) and rest and _is_of_server(kind, item):
                yield from _at(kind, item, rest, (*place, _name(item) or str(index)))
    elif isinstance(value, dict):
        for name in list(value) if step == "*" else [step] if step in value else []:
            if rest:
                yield from _at(kind, value[name], rest, (*place, name))
            elif isinstance(value[name], str):
                yield ServerTime((*place, name), value, name)


def _is_of_server(kind: str, item: dict[str, Any]) -> bool:
    types = _CONDITION_TYPES.get(kind)
    return types is None or item.get("type") in types


def _name(item: dict[str, Any]) -> str:
    return next((name for key in _NAMES if isinstance(name := item.get(key), str)), "")


class ServerTimesScan:
    """Collects the times of the server in the responses and watch events of a trace.

    Keeps two numbers for each time of an object, and not the objects.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[int, float]] = {}

    def take(self, exchange: Exchange, facts: RequestFacts) -> None:
        """Collects the times in the response of one exchange, and in the events of a watch."""
        path = facts.path
        kind = kind_of(*path.group_resource)
        if not kind or path.subresource not in {"", "status"} or not 200 <= facts.status < 300:
            return
        if exchange.events is not None:
            for event in exchange.events:
                self._note(facts, kind, event.line, event.offset)
        elif exchange.response is not None:
            self._note(facts, kind, exchange.response.body, exchange.offset + exchange.duration)

    def _note(self, facts: RequestFacts, kind: str, body: bytes, offset: float) -> None:
        try:
            value = decode(body)
        except JsonError:
            return
        if isinstance(value, dict) and "object" in value:
            value = value["object"]
        items = value.get("items") if isinstance(value, dict) else None
        group, resource = facts.path.group_resource
        for obj in items if isinstance(items, list) else [value]:
            metadata = obj.get("metadata") if isinstance(obj, dict) else None
            if not isinstance(metadata, dict):
                continue
            key = (group, resource, str(metadata.get("namespace", "")), str(metadata.get("name", "")))
            version = version_number(str(metadata.get("resourceVersion", "")))
            for time in server_times(kind, obj):
                sighting = hash((key, time.place, time.value))
                first = self._first.get(sighting, (version, offset))
                self._first[sighting] = min(version, first[0]), min(offset, first[1])

    def was_read(self, time: ServerTime, facts: RequestFacts, offset: float) -> bool:
        """Whether the client of a write can have read this time of the object before the write.

        True if the object had the time in an older resourceVersion, or in a response before the request. The
        versions are needed because a client in the server can read an event before it is recorded.

        - `facts`: the facts of the write.
        - `offset`: the time of the request, in seconds after the start of the trace.
        """
        first = self._first.get(hash((facts.path.key, time.place, time.value)))
        return first is not None and (0 < first[0] < facts.answered_version or first[1] < offset)
