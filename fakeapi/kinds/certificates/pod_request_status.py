"""Validates the status of a PodCertificateRequest.

The status is immutable once the request is issued, denied or failed. Follows
`ValidatePodCertificateRequestStatusUpdate` of k8s.io/kubernetes `pkg/apis/certificates/validation`.
"""

from datetime import datetime, timedelta
from typing import Any

from fakeapi.kinds.certificates.pem import CERTIFICATE, authority_of, blocks, decode_bytes
from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.machinery.field_errors import (
    FieldError,
    invalid,
    invalid_without_value,
    not_supported,
    required,
    too_long,
)
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.times import EPOCH, since_epoch
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import byte_length
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases.rules import ReleaseRules

ISSUED = "Issued"
DECIDED = (ISSUED, "Denied", "Failed")
CHAIN_MAX = 100 * 1024
SKEW = timedelta(minutes=5)
MARGIN = timedelta(minutes=10)
LIFETIME_MIN = timedelta(hours=1)
_CHAIN, _STATUS = "status.certificateChain", "status"
_ONLY_BLOCKS = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks"


def validate_status(new: Object, old: Object, now: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates an update of a PodCertificateRequest's status. `now`: the time in RFC 3339."""
    status, before = new["status"], old["status"]
    errors = _condition_errors(status.get("conditions") or [])
    errors += validate_conditions(status.get("conditions") or [], "status.conditions", rules)
    if errors:
        return errors
    if any(map(_is_decided, before.get("conditions") or ())):
        why = "immutable after PodCertificateRequest is issued, denied, or failed"
        return [] if semantically_equal(status, before) else [invalid_without_value(_STATUS, why)]
    decided = next(
        (condition["type"] for condition in status.get("conditions") or () if _is_decided(condition)), None
    )
    if decided == ISSUED:
        return _issued_errors(status, old["spec"], now, rules)
    if decided is not None:
        why = "non-condition status fields must be empty when denying or failing the PodCertificateRequest"
        return (
            [invalid_without_value(_STATUS, why)]
            if any(status.get(name) for name in status if name != "conditions")
            else []
        )
    why = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"'
    return [] if semantically_equal(status, before) else [invalid_without_value(_STATUS, why)]


def _is_decided(condition: dict[str, Any]) -> bool:
    return condition["type"] in DECIDED and condition["status"] == "True"


def _condition_errors(conditions: list[dict[str, Any]]) -> list[FieldError]:
    errors: list[FieldError] = []
    known = 0
    for index, condition in enumerate(conditions):
        path, kind = f"status.conditions.[{index}]", condition["type"]
        if kind not in DECIDED:
            errors.append(not_supported(f"{path}.type", kind, DECIDED))
            continue
        known += 1
        if known > 1:
            why = 'There may be at most one condition with type "Issued", "Denied", or "Failed"'
            errors.append(invalid(f"{path}.type", kind, why))
        if condition["status"] != "True":
            errors.append(not_supported(f"{path}.status", condition["status"], ("True",)))
    return errors


def _issued_errors(status: Object, spec: Object, now: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates an issued certificate chain.

    The first certificate must have the public key in the request and the times in the status.
    """
    from cryptography import x509  # noqa: PLC0415 - loaded with the first chain

    chain = status.get("certificateChain", "")
    if byte_length(chain) > CHAIN_MAX:
        return [too_long(_CHAIN, CHAIN_MAX, rules.quirks.too_long)]
    pem_blocks = list(blocks(chain.encode()))
    if not pem_blocks:
        return [invalid(_CHAIN, chain, "issued certificate chain must contain at least one certificate")]
    if pem_blocks[0].label != CERTIFICATE:
        return [invalid(_CHAIN, chain, _ONLY_BLOCKS)]
    try:
        leaf = x509.load_der_x509_certificate(pem_blocks[0].content)
        matches = leaf.public_key() == _wanted_key(spec)
    except Exception:  # noqa: BLE001 - cryptography raises any exception of its backend
        return [invalid(_CHAIN, chain, "leaf certificate does not parse as valid X.509")]
    if not matches:
        return [invalid(_CHAIN, chain, "leaf certificate was not issued to the requested public key")]
    errors = _time_errors(status, spec, now, leaf.not_valid_before_utc, leaf.not_valid_after_utc)
    if errors:
        return errors
    for block in pem_blocks[1:]:
        if block.label != CERTIFICATE:
            return [invalid(_CHAIN, chain, _ONLY_BLOCKS.replace("CERTIFICATE", "CERTFICATE"))]
        if authority_of(block) is None:
            return [invalid(_CHAIN, chain, "intermediate certificate does not parse as valid X.509")]
    return []


def _wanted_key(spec: Object) -> Any:
    from cryptography import x509  # noqa: PLC0415 - loaded with the first chain
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - loaded with the first chain

    if spec.get("stubPKCS10Request"):
        return x509.load_der_x509_csr(decode_bytes(spec["stubPKCS10Request"])).public_key()
    return serialization.load_der_public_key(decode_bytes(spec.get("pkixPublicKey")))


def _time_errors(
    status: Object, spec: Object, now: str, not_before: datetime, not_after: datetime
) -> list[FieldError]:
    names = ("notBefore", "notAfter", "beginRefreshAt")
    certificate = "must be present and consistent with the issued certificate"
    needed = (certificate, certificate, "must be present and in the range [notbefore+10min, notafter-10min]")
    missing = [
        required(f"status.{name}", why)
        for name, why in zip(names, needed, strict=True)
        if not status.get(name)
    ]
    if missing:
        return missing
    begins, ends, refreshed = (since_epoch(status[name]) for name in names)
    begin, end, most = not_before - EPOCH, not_after - EPOCH, spec["maxExpirationSeconds"]
    lifetime = end - begin
    span = f"{lifetime // timedelta(hours=1)}h{lifetime % timedelta(hours=1) // timedelta(minutes=1)}m0s"
    checks = (
        (begins == begin, names[0], "must be set to the NotBefore time encoded in the leaf certificate"),
        (
            abs(begins - since_epoch(now)) < SKEW,
            names[0],
            "must be set to within 5 minutes of kube-apiserver's current time",
        ),
        (ends == end, names[1], "must be set to the NotAfter time encoded in the leaf certificate"),
        (lifetime >= LIFETIME_MIN, "", "leaf certificate lifetime must be >= 1 hour"),
        (
            lifetime <= timedelta(seconds=most),
            "",
            f"leaf certificate lifetime must be <= spec.maxExpirationSeconds ({most})",
        ),
        (refreshed >= begins + MARGIN, names[2], "must be at least 10 minutes after status.notBefore"),
        (refreshed <= ends - MARGIN, names[2], "must be at least 10 minutes before status.notAfter"),
    )
    for holds, name, why in checks:
        if not holds and name:
            return [invalid(f"status.{name}", Dump(f'"{status[name]}"'), why)]
        if not holds:
            return [invalid(_CHAIN, Dump(span), why)]
    return []
