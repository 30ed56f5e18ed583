"""Validates the spec of a PodCertificateRequest.

Follows `ValidatePodCertificateRequestCreate` of k8s.io/kubernetes `pkg/apis/certificates/validation`. The
library `cryptography` parses the keys. fakeapi imports the library when it parses the first key.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.kinds.certificates.pem import decode_bytes
from fakeapi.kinds.common.printing.texts import printed_bytes
from fakeapi.kinds.common.signer_names import is_kubernetes_signer, validate_signer_name
from fakeapi.machinery.field_errors import FieldError, invalid, invalid_without_value, required, too_long
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.meta.names import byte_length, is_dns1123_subdomain
from fakeapi.machinery.meta.object_meta import validate_annotations
from fakeapi.releases.rules import ReleaseRules

UID_MAX = 128
KEY_MAX = 10 * 1024
EXPIRATION_MIN = 60 * 60
EXPIRATION_MAX = 91 * 24 * 60 * 60
KUBERNETES_EXPIRATION_MAX = 24 * 60 * 60
_CURVES = {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521", "secp224r1": "P-224"}
_GOOD_CURVES = ("secp256r1", "secp384r1", "secp521r1")
_RSA_SIZES = (3072, 4096)
_KINDS = "unknown public key type; supported types are Ed25519, ECDSA, and RSA"
_PUBLIC, _PROOF, _STUB = "spec.pkixPublicKey", "spec.proofOfPossession", "spec.stubPKCS10Request"


def validate_pod_request(spec: dict[str, Any], rules: ReleaseRules) -> list[FieldError]:
    """Validates the spec of a new PodCertificateRequest."""
    signer = spec.get("signerName", "")
    errors = validate_signer_name(signer, "spec.signerName", rules.quirks.wording)
    annotations = spec.get("unverifiedUserAnnotations")
    if annotations is not None:
        errors += validate_annotations(annotations, "spec.unverifiedUserAnnotations", rules.quirks.wording)
    for name, uid in (
        ("podName", "podUID"),
        ("serviceAccountName", "serviceAccountUID"),
        ("nodeName", "nodeUID"),
    ):
        value = spec.get(name, "")
        errors += [invalid(f"spec.{name}", value, why) for why in is_dns1123_subdomain(value)]
        errors += _uid_errors(spec.get(uid, ""), f"spec.{uid}", rules)
    seconds = spec.get("maxExpirationSeconds")
    if seconds is None:
        return [*errors, required("spec.maxExpirationSeconds", "must be set")]
    most = KUBERNETES_EXPIRATION_MAX if is_kubernetes_signer(signer) else EXPIRATION_MAX
    if not EXPIRATION_MIN <= seconds <= most:
        why = f"must be in the range [{EXPIRATION_MIN}, {most}]"
        errors.append(invalid("spec.maxExpirationSeconds", seconds, why))
    return errors + _key_errors(spec, rules)


def _uid_errors(uid: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    if not uid:
        return [invalid(path, uid, "must not be empty")]
    if byte_length(uid) > UID_MAX:
        return [too_long(path, UID_MAX, rules.quirks.too_long)]
    return []


def _key_errors(spec: dict[str, Any], rules: ReleaseRules) -> list[FieldError]:
    public, proof, stub = (
        spec.get("pkixPublicKey"),
        spec.get("proofOfPossession"),
        spec.get("stubPKCS10Request"),
    )
    if rules.quirks.pod_certificates_have_stubs:
        if stub and not public and not proof:
            return _stub_errors(stub, rules)
        if stub or not public or not proof:
            why = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
            return [invalid_without_value("spec", why)]
    for path, text in ((_PUBLIC, public), (_PROOF, proof)):
        if len(decode_bytes(text)) > KEY_MAX:
            return [too_long(path, KEY_MAX, rules.quirks.too_long)]
    return _proof_errors(public, decode_bytes(proof), spec.get("podUID", "").encode(), rules)


def _proof_errors(public: str | None, proof: bytes, message: bytes, rules: ReleaseRules) -> list[FieldError]:
    """Validates the public key, and the signature that proves possession of the private key.

    - `public`: the PKIX public key in base64
    - `proof`: the signature
    - `message`: the signed bytes: the UID of the pod
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - loaded with the first key
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - loaded with the first key

    printed = printed_bytes(public, rules.quirks.wording)
    try:
        key = serialization.load_der_public_key(decode_bytes(public))
    except Exception:  # noqa: BLE001 - cryptography raises any exception of its backend
        return [invalid(_PUBLIC, printed, "must be a valid PKIX-serialized public key")]
    verify, errors = _verifier(key, _PUBLIC, printed, curves="P256 or P384")
    if verify is None:
        return errors
    try:
        verify(proof, message)
    except InvalidSignature:
        return [invalid_without_value(_PROOF, "could not verify proof-of-possession signature")]
    return []


def _stub_errors(stub: str, rules: ReleaseRules) -> list[FieldError]:
    from cryptography import x509  # noqa: PLC0415 - loaded with the first request

    content = decode_bytes(stub)
    if len(content) > KEY_MAX:
        return [too_long(_STUB, KEY_MAX, rules.quirks.too_long)]
    try:
        request = x509.load_der_x509_csr(content)
        key = request.public_key()
    except Exception:  # noqa: BLE001 - cryptography raises any exception of its backend
        return [invalid_without_value(_STUB, "must be a valid PKCS#10 CSR")]
    verify, errors = _verifier(key, _STUB, None, curves="P256, P384, or P521")
    if verify is None:
        return errors
    return [] if request.is_signature_valid else [invalid_without_value(_STUB, "invalid signature")]


Verify = Callable[[bytes, bytes], Any]


def _verifier(
    key: Any, path: str, printed: Dump | None, *, curves: str
) -> tuple[Verify | None, list[FieldError]]:
    """Returns a function that verifies `(signature, message)` with the key, and an empty list.

    For an unsupported key, returns None and the errors.

    - `printed`: the key as the errors print it; None omits the value
    - `curves`: the supported elliptic curves, for the error
    """
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - loaded with the first key
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa  # noqa: PLC0415 - loaded with the first key

    digest = hashes.SHA256()
    match key:
        case ed25519.Ed25519PublicKey():
            return key.verify, []
        case ec.EllipticCurvePublicKey():
            if key.curve.name not in _GOOD_CURVES:
                curve = f"curve {_CURVES.get(key.curve.name, key.curve.name)}"
                return None, [invalid(path, curve, f"elliptic public keys must use curve {curves}")]
            return lambda signature, message: key.verify(signature, message, ec.ECDSA(digest)), []
        case rsa.RSAPublicKey():
            if key.key_size not in _RSA_SIZES:
                size = f"{key.key_size}-bit modulus"
                return None, [invalid(path, size, "RSA keys must have modulus size 3072 or 4096")]
            pss = padding.PSS(padding.MGF1(digest), padding.PSS.AUTO)
            return lambda signature, message: key.verify(signature, message, pss, digest), []
    return None, [invalid_without_value(path, _KINDS) if printed is None else invalid(path, printed, _KINDS)]
