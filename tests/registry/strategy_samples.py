"""Compares fakeapi with recorded results of Kubernetes' own strategies.

`tools/strategy_samples.py` records the samples. A result has the errors as (reason, field, message) and the
warnings. A result without errors also has the object after the strategy's preparation.
"""

import copy
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fakeapi.kinds import definition_of
from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs import changing, creating
from fakeapi.releases import load_release

NOW = "2025-01-01T00:00:00Z"
ADMIN_ACCESS = ("resource.k8s.io/admin-access", "resource.kubernetes.io/admin-access")

FIELDS_WITH_EMPTY_LISTS = frozenset(
    {"spec", "spec.cidrs", "status.allocation", "status.conditions", "status.responders"}
)
"""Fields whose error messages print a struct or a list of the new object.

In these messages, Kubernetes prints an empty list as `[]` if the request had it. fakeapi prints null, because
its decoder drops empty lists of fields with `omitempty`.
"""

NO_SERVER: Any = None
"""The value of the argument `server` of a WriteRequest. Strategies do not use the server."""

Sample = dict[str, Any]
Answer = dict[str, Any]


def read_samples(path: Path) -> Iterator[Sample]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _labels(namespace: str) -> Mapping[str, str]:
    return dict.fromkeys(ADMIN_ACCESS, "true") if namespace == "admin" else {}


@cache
def resource_of(release: str, api_version: str, name: str, gates: tuple[str, ...]) -> Resource:
    loaded = load_release(release, dict.fromkeys(gates, True))
    group, _, version = api_version.rpartition("/")
    context = StrategyContext(namespace_labels=_labels, now=lambda: NOW, apply_defaults=apply_defaults)
    return Resource(loaded.kind(group, version, name), loaded, definition_of, context)


def answered(sample: Sample, release: str, gates: tuple[str, ...] = ()) -> Answer:
    """Returns fakeapi's result for a sample: errors, warnings and the prepared object.

    `gates`: feature gates to enable.
    """
    resource = resource_of(release, sample["new"]["apiVersion"], sample["resource"], gates)
    new = _canonical(resource, sample["new"], sample["subresource"])
    warnings = Warnings()
    meta = new["metadata"]
    target = ObjectReference(meta.get("namespace", ""), meta["name"], sample["subresource"])
    request: ServerWrite = WriteRequest(NO_SERVER, resource, target, WriteOptions(manager=""), warnings)
    try:
        if sample["old"] is None:
            new["metadata"] |= {"uid": "u", "creationTimestamp": "1970-01-01T00:00:01Z"}
            done = creating._before_create(request, new)
        else:
            old = _canonical(resource, sample["old"], sample["subresource"])
            done = changing._before_update(request, new, old)
    except ApiError as error:
        error_causes = () if error.details is None else error.details.causes
        causes = [[cause.reason, cause.field, cause.message] for cause in error_causes]
        return {"errors": _without_empty_lists(causes), "warnings": [], "object": None}
    obj = resource.from_hub(done)
    return {"errors": [], "warnings": warnings.texts, "object": _comparable(obj)}


def expected(sample: Sample) -> Answer:
    """Returns the recorded result of a sample: errors, warnings and the prepared object."""
    obj = None if sample["errors"] else _comparable(sample["object"])
    errors = _without_empty_lists(sample["errors"])
    return {"errors": errors, "warnings": sample.get("warnings") or [], "object": obj}


def _without_empty_lists(errors: list[list[str]]) -> list[list[str]]:
    """Replaces `[]` with null in the error messages of FIELDS_WITH_EMPTY_LISTS; returns all errors."""
    return [
        [reason, field, _with_null(message) if field in FIELDS_WITH_EMPTY_LISTS else message]
        for reason, field, message in errors
    ]


def _with_null(message: str) -> str:
    return message.replace(":[]", ":null").replace("value: []", "value: null")


def _canonical(resource: Resource, body: dict[str, Any], subresource: str) -> dict[str, Any]:
    sent = copy.deepcopy(body)
    obj, _ = decode(sent, resource.schema)
    restored = resource.strategy_for(subresource).restore_after_decoding(obj, body)
    return resource.to_hub(resource.body_type.default(restored))


def _comparable(shown: Any) -> Any:
    """Returns a copy of a JSON value that can be compared.

    The copy has no nulls, no empty lists and maps, and no fields `creationTimestamp` and `timeAdded`.
    """
    if isinstance(shown, dict):
        return {
            key: _comparable(value)
            for key, value in shown.items()
            if key not in ("timeAdded", "creationTimestamp") and value not in (None, [], {})
        }
    return [_comparable(item) for item in shown] if isinstance(shown, list) else shown
