"""Defines the kind CertificateSigningRequest of certificates.k8s.io/v1.

Follows k8s.io/kubernetes `pkg/registry/certificates/certificates`. The server stores the user who creates
a request as the requestor. Updates of a request change only metadata. Writes to `/approval` and `/status`
change different fields of the status.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.certificates.signing_request_validation import (
    APPROVED,
    DENIED,
    FAILED,
    Allowed,
    update_errors,
    validate_signing_request,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.columns import Cell, age
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

_ORDER = (
    "request",
    "signerName",
    "expirationSeconds",
    "usages",
    "username",
    "uid",
    "groups",
    "extra",
)
_OF_USER = ("username", "uid", "groups", "extra")
_CONDITION_ORDER = ("type", "status", "reason", "message", "lastUpdateTime", "lastTransitionTime")


class SigningRequestStrategy(Strategy):
    """Strategy for CertificateSigningRequests. Updates change only metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("status",))
    allowed: ClassVar[Allowed] = Allowed()

    def __init__(self, rules: ReleaseRules, context: StrategyContext) -> None:
        self._rules = rules
        self._context = context

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_signing_request(obj, None, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return {**new, "spec": old["spec"], "status": old["status"]}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *validate_signing_request(new, old, self._rules)]
        return [*errors, *update_errors(new, old, self.allowed), *metadata.of_change]


class SigningRequestStatusStrategy(SigningRequestStrategy):
    """Strategy for `/status` of CertificateSigningRequests.

    Writes may set the certificate, and all conditions except Approved and Denied.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("status", "conditions"))
    allowed: ClassVar[Allowed] = Allowed(certificate=True)

    def prepare_update(self, new: Object, old: Object) -> Object:
        status = dict(new["status"])
        conditions = [*(status.get("conditions") or ())]
        for kind in (APPROVED, DENIED):
            before, now = _places(old["status"], kind), _places(status, kind)
            if len(before) == len(now):
                for was, place in zip(before, now, strict=True):
                    conditions[place] = old["status"]["conditions"][was]
        if conditions:
            status["conditions"] = _timed(conditions, old["status"], self._context.now())
        return {**new, "spec": old["spec"], "status": status}


class SigningRequestApprovalStrategy(SigningRequestStrategy):
    """Strategy for `/approval` of CertificateSigningRequests. Writes only change conditions."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("status", "certificate"))
    allowed: ClassVar[Allowed] = Allowed(approval=True)

    def prepare_update(self, new: Object, old: Object) -> Object:
        conditions = new["status"].get("conditions") or []
        status = {name: value for name, value in old["status"].items() if name != "conditions"}
        if conditions:
            timed = _timed(conditions, old["status"], self._context.now())
            status = {"conditions": timed, **status}
        return {**new, "spec": old["spec"], "status": status}


def _places(status: Object, kind: str) -> list[int]:
    conditions = status.get("conditions") or ()
    return [place for place, condition in enumerate(conditions) if condition["type"] == kind]


def _timed(conditions: list[dict[str, Any]], before: Object, now: str) -> list[dict[str, Any]]:
    """Returns the conditions with missing times filled in.

    A missing lastUpdateTime becomes `now`. A missing lastTransitionTime comes from the stored condition with
    the same type and status, or becomes `now`.

    `before`: the status of the stored CertificateSigningRequest
    `now`: the time in RFC 3339
    """
    return [_with_times(condition, before, now) for condition in conditions]


def _with_times(condition: dict[str, Any], before: Object, now: str) -> dict[str, Any]:
    timed = dict(condition)
    if not timed.get("lastUpdateTime"):
        timed["lastUpdateTime"] = now
    if not timed.get("lastTransitionTime"):
        same = (
            earlier["lastTransitionTime"]
            for earlier in before.get("conditions") or ()
            if earlier["type"] == timed["type"]
            and earlier["status"] == timed["status"]
            and earlier.get("lastTransitionTime")
        )
        timed["lastTransitionTime"] = next(same, now)
    return {name: timed[name] for name in _CONDITION_ORDER if name in timed}


def signed(obj: Object, user: User) -> Object:
    """Returns a CertificateSigningRequest with `user` as requestor instead of the requestor in `obj`."""
    spec = {name: value for name, value in obj["spec"].items() if name not in _OF_USER}
    by: dict[str, Any] = {
        "username": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {key: list(values) for key, values in sorted(user.extra.items())},
    }
    spec |= {name: value for name, value in by.items() if value}
    return {**obj, "spec": {name: spec[name] for name in _ORDER if name in spec}}


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": SigningRequestStrategy(rules, context),
        "status": SigningRequestStatusStrategy(rules, context),
        "approval": SigningRequestApprovalStrategy(rules, context),
    }


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "SignerName": lambda obj, now: obj["spec"].get("signerName") or "<none>",
        "Requestor": lambda obj, now: obj["spec"].get("username", ""),
        "RequestedDuration": _duration,
        "Condition": _condition,
    }


def _duration(obj: Object, now: float) -> str:
    seconds = obj["spec"].get("expirationSeconds")
    return "<none>" if seconds is None else age(seconds)


def _condition(obj: Object, now: float) -> str:
    status = obj["status"]
    kinds = {condition["type"] for condition in status.get("conditions") or ()}
    state = DENIED if DENIED in kinds else APPROVED if APPROVED in kinds else "Pending"
    if FAILED in kinds:
        state += f",{FAILED}"
    return f"{state},Issued" if status.get("certificate") else state


def _signer(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"spec.signerName": obj["spec"].get("signerName", "")}


def _any_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return []


CERTIFICATE_SIGNING_REQUEST = KindDefinition(
    group="certificates.k8s.io",
    resource="certificatesigningrequests",
    strategies=_strategies,
    name_validator=_any_name,
    field_labels=lambda kind: FieldLabels((NAME, "spec.signerName"), NOT_SUPPORTED, _signer),
    cells=_cells,
    signs=signed,
    table_subresources=frozenset({"status"}),
)
