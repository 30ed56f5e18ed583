"""Canonical claims of every release, and errors as the triples that tables of tests hold."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fakeapi.machinery.field_errors import FieldError
from fakeapi.releases import KNOWN_RELEASES, Gates, load_release
from fakeapi.releases.rules import ReleaseRules, rules_of

Triple = tuple[str, str, str]

RULES = {release: rules_of(load_release(release)) for release in KNOWN_RELEASES}
"""The rules by release, its gates as they are by default."""

DEVICE = {"driver": "gpu.example.com", "pool": "pool-1", "device": "gpu-0"}


def rules_with(release: str, **gates: bool) -> ReleaseRules:
    """The rules of a release with these gates, and no others, on."""
    rules = RULES[release]
    return replace(rules, gates=Gates({**dict.fromkeys(rules.gates.known, False), **gates}))


def triples(errors: Iterable[FieldError]) -> list[Triple]:
    """(field, reason without `FieldValue`, message) of each error."""
    return [(error.field, error.reason.removeprefix("FieldValue"), error.body) for error in errors]


def places(errors: Iterable[FieldError]) -> list[str]:
    return [error.field for error in errors]


def claim(spec: dict[str, Any], status: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "claim-a", "namespace": "default", "creationTimestamp": None, **metadata},
        "spec": spec,
        "status": status or {},
    }


def v1alpha2_claim(status: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return claim(
        {"resourceClassName": "class-a", "allocationMode": "WaitForFirstConsumer"}, status, **metadata
    )


def request(name: str = "gpu", **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "deviceClassName": "gpu.example.com",
        "allocationMode": "ExactCount",
        "count": 1,
    } | fields


def devices(*requests: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"requests": list(requests) or None, **fields}


def v1alpha3_claim(
    status: dict[str, Any] | None = None, *requests: dict[str, Any], **metadata: Any
) -> dict[str, Any]:
    return claim({"devices": devices(*(requests or (request(),)))}, status, **metadata)


def consumer(number: int, **fields: Any) -> dict[str, Any]:
    return {"resource": "pods", "name": f"pod-{number}", "uid": f"pod-uid-{number}"} | fields


def result(**fields: Any) -> dict[str, Any]:
    """A result as releases from 1.32 write it."""
    return {"request": "gpu", **DEVICE, "adminAccess": None} | fields


def allocated(*reserved: int, results: list[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    """The status of an allocated v1alpha3 claim."""
    status: dict[str, Any] = {"allocation": {"devices": {"results": results or [result()]}}}
    if reserved:
        status["reservedFor"] = [consumer(number) for number in reserved]
    return status | fields
