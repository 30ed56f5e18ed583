"""Builds canonical ResourceClaims for every release. Formats validation errors for the test tables."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fakeapi.kinds.common.defaults.walk import apply_defaults
from fakeapi.kinds.resource.layout import Layout
from fakeapi.machinery.field_errors import FieldError
from fakeapi.releases import Gates, load_release
from fakeapi.releases.release import COMPILED_RELEASES
from fakeapi.releases.rules import ReleaseRules, rules_of

GROUP = "resource.k8s.io"
Triple = tuple[str, str, str]

RULES = {release: rules_of(load_release(release)) for release in COMPILED_RELEASES}
"""The validation rules of each release with its default feature gates, by release."""

DEVICE = {"driver": "gpu.example.com", "pool": "pool-1", "device": "gpu-0"}


def rules_with(release: str, **gates: bool) -> ReleaseRules:
    """Returns the validation rules of a release with only these feature gates on; all other gates are off."""
    rules = RULES[release]
    return replace(rules, gates=Gates({**dict.fromkeys(rules.gates.known, False), **gates}))


def triples(errors: Iterable[FieldError]) -> list[Triple]:
    """Converts errors to (field, reason, message), without the prefix `FieldValue` of the reasons."""
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


def template(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Returns a ResourceClaimTemplate.

    `spec` and `metadata`: the spec and metadata of the claims that the template creates.
    """
    return {
        "metadata": {"name": "t", "namespace": "default"},
        "spec": {"metadata": {"creationTimestamp": None, **metadata}, "spec": spec},
    }


ODD_TEMPLATES: tuple[Any, ...] = (None, [], {"spec": None}, {"spec": {"metadata": []}})
"""Malformed ResourceClaimTemplates. Some cannot be decoded, but code before validation must accept them."""


def nested_request(name: str = "gpu", **fields: Any) -> dict[str, Any]:
    """Returns a claim's device request in the layout of v1alpha3 and v1beta1: all fields at the top level."""
    return {
        "name": name,
        "deviceClassName": "gpu.example.com",
        "allocationMode": "ExactCount",
        "count": 1,
    } | fields


def subrequest(name: str, **fields: Any) -> dict[str, Any]:
    """Returns a subrequest of a claim's device request. Its layout is the same in all versions."""
    return nested_request(name, **fields)


def request(name: str = "gpu", **fields: Any) -> dict[str, Any]:
    """Returns a claim's device request in the layout of v1: all fields inside `exactly`.

    Only `name` and `firstAvailable` are at the top level.
    """
    choice = {key: fields.pop(key) for key in ("firstAvailable",) if key in fields}
    exactly = nested_request(**fields)
    del exactly["name"]
    return {"name": name, "exactly": exactly, **choice}


def devices(*requests: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"requests": list(requests) or None, **fields}


def v1alpha3_claim(
    status: dict[str, Any] | None = None, *requests: dict[str, Any], **metadata: Any
) -> dict[str, Any]:
    return claim({"devices": devices(*(requests or (request(),)))}, status, **metadata)


def consumer(number: int, **fields: Any) -> dict[str, Any]:
    return {"resource": "pods", "name": f"pod-{number}", "uid": f"pod-uid-{number}"} | fields


def result(**fields: Any) -> dict[str, Any]:
    """Returns a claim's device allocation result with the field `adminAccess`, which exists since 1.32."""
    return {"request": "gpu", **DEVICE, "adminAccess": None} | fields


def allocated(*reserved: int, results: list[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    """Returns the status of an allocated v1alpha3 ResourceClaim.

    - `reserved`: the numbers of the pods in `reservedFor`; number 0 is the pod `pod-0`
    - `results`: the device allocation results; None means one default result
    - `fields`: additional status fields
    """
    status: dict[str, Any] = {"allocation": {"devices": {"results": results or [result()]}}}
    if reserved:
        status["reservedFor"] = [consumer(number) for number in reserved]
    return status | fields


def defaulted(
    release: str, body: dict[str, Any], *, layout: Layout = Layout.FLAT, resource: str = "resourceclaims"
) -> dict[str, Any]:
    """Returns a copy of `body` with the defaults of a release.

    Uses the newest API version of the release that has this layout.
    """
    loaded = load_release(release)
    known = {kind.version: kind for kind in loaded.kinds if (kind.group, kind.resource) == (GROUP, resource)}
    nested = ("v1beta1", "v1alpha3")
    order = nested if layout is Layout.NESTED else ("v1", "v1beta2", *nested)
    kind = next(known[version] for version in order if version in known)
    tables = loaded.all_kinds.tables
    return apply_defaults(body, kind.schema, lambda: tables.defaults, loaded.gates)
