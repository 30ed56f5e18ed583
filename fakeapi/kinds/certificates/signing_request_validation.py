"""Validates CertificateSigningRequests.

Follows k8s.io/kubernetes `pkg/apis/certificates/validation`. An update may keep some invalid values that the
stored request already has.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fakeapi.kinds.certificates.pem import certificates_problem, decode_bytes, request_problem
from fakeapi.kinds.common.printing.texts import printed_bytes
from fakeapi.kinds.common.signer_names import validate_signer_name
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
LEGACY_SIGNER = "kubernetes.io/legacy-unknown"
EXPIRATION_MIN = 600
_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
_STATUSES = ("False", "True", "Unknown")
_EXCLUSIVE = "Approved and Denied conditions are mutually exclusive"
_CONDITIONS = "status.conditions"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The parts of a CertificateSigningRequest's status that a write may change.

    - `approval`: the conditions Approved and Denied
    - `certificate`: the issued certificate
    """

    approval: bool = False
    certificate: bool = False


def validate_signing_request(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates a CertificateSigningRequest. `old`: the stored request on update; None on create."""
    spec, before = obj["spec"], old["spec"] if old else {}
    errors: list[FieldError] = []
    content = spec.get("request")
    problem = request_problem(decode_bytes(content))
    if problem:
        errors.append(invalid("spec.request", printed_bytes(content, rules.quirks.wording), problem))
    errors += _usage_errors(spec.get("usages") or [], before.get("usages") or [])
    signer = spec.get("signerName", "")
    if signer == LEGACY_SIGNER and before.get("signerName") != LEGACY_SIGNER:
        why = "the legacy signerName is not allowed via this API version"
        errors.append(invalid("spec.signerName", signer, why))
    else:
        errors += validate_signer_name(signer, "spec.signerName", rules.quirks.wording)
    expiration = spec.get("expirationSeconds")
    if expiration is not None and expiration < EXPIRATION_MIN:
        why = "may not specify a duration less than 600 seconds (10 minutes)"
        errors.append(invalid("spec.expirationSeconds", expiration, why))
    status, status_before = obj["status"], old["status"] if old else {}
    errors += _condition_errors(status.get("conditions") or [], status_before.get("conditions") or [], rules)
    return errors + _certificate_errors(status, status_before if old else None)


def update_errors(new: Object, old: Object, allowed: Allowed) -> list[FieldError]:
    """Validates changes of a CertificateSigningRequest's conditions and certificate.

    `allowed`: the protected parts of the status that this write may change
    """
    errors = [
        forbidden(_CONDITIONS, f'updates may not remove a condition of type "{kind}"')
        for kind in (APPROVED, DENIED, FAILED)
        if len(_of_type(new, kind)) < len(_of_type(old, kind))
    ]
    for kind in () if allowed.approval else (APPROVED, DENIED):
        now, before = _of_type(new, kind), _of_type(old, kind)
        if len(now) > len(before):
            errors.append(forbidden(_CONDITIONS, f'updates may not add a condition of type "{kind}"'))
        elif len(now) == len(before) and now != before:
            errors.append(forbidden(_CONDITIONS, f'updates may not modify a condition of type "{kind}"'))
    certificate, certificate_before = new["status"].get("certificate"), old["status"].get("certificate")
    if certificate != certificate_before:
        if not allowed.certificate:
            errors.append(forbidden("status.certificate", "updates may not set certificate content"))
        elif certificate_before:
            why = "updates may not modify existing certificate content"
            errors.append(forbidden("status.certificate", why))
    return errors


def _of_type(obj: Object, kind: str) -> list[dict[str, Any]]:
    return [condition for condition in obj["status"].get("conditions") or () if condition["type"] == kind]


def _usage_errors(usages: list[str], before: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    if not usages:
        errors.append(required("spec.usages"))
    if all(usage in _USAGES for usage in before):
        errors += [
            not_supported(f"spec.usages[{index}]", usage, _USAGES)
            for index, usage in enumerate(usages)
            if usage not in _USAGES
        ]
    if len(set(before)) == len(before):
        errors += [
            duplicate(f"spec.usages[{index}]", usage)
            for index, usage in enumerate(usages)
            if usage in usages[:index]
        ]
    return errors


def _condition_errors(
    conditions: list[dict[str, Any]], before: list[dict[str, Any]], rules: ReleaseRules
) -> list[FieldError]:
    errors: list[FieldError] = []
    types_before = Counter(stored["type"] for stored in before)
    may_be_both = {APPROVED, DENIED} <= types_before.keys()
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        path, kind, status = f"{_CONDITIONS}[{index}]", condition["type"], condition["status"]
        if not kind and "" not in types_before:
            errors.append(required(f"{path}.type"))
        statuses = ("True",) if kind in (APPROVED, DENIED, FAILED) else _STATUSES
        if not status:
            errors.append(required(f"{path}.status"))
        elif status not in statuses:
            errors.append(not_supported(f"{path}.status", status, statuses))
        other = {APPROVED: DENIED, DENIED: APPROVED}.get(kind)
        if other in seen and not may_be_both:
            whole = rules.quirks.exclusive_conditions_are_of_the_list
            errors.append(invalid(_CONDITIONS if whole else f"{path}.type", kind, _EXCLUSIVE))
        if kind in seen and max(types_before.values(), default=1) == 1:
            errors.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
    return errors


def _certificate_errors(status: Object, before: Object | None) -> list[FieldError]:
    certificate = decode_bytes(status.get("certificate"))
    if before is not None:
        stored = decode_bytes(before.get("certificate"))
        if stored == certificate or certificates_problem(stored):
            return []
    problem = certificates_problem(certificate)
    return [invalid("status.certificate", "<certificate data>", problem)] if problem else []
