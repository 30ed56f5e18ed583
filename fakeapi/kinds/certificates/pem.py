"""Parses PEM blocks, and validates the X.509 certificates and requests in them.

Follows Go's encoding/pem and rejects the same inputs as Go's crypto/x509. The library `cryptography` parses
certificates here, so messages about malformed ASN.1 can differ from Go's. fakeapi imports the library when it
parses the first certificate or request.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fakeapi.machinery.golang import asn1
from fakeapi.machinery.golang.asn1 import Form
from fakeapi.machinery.lazy_pattern import lazy_pattern

CERTIFICATE, CERTIFICATE_REQUEST = "CERTIFICATE", "CERTIFICATE REQUEST"
MALFORMED = "x509: malformed certificate"
_BLOCK = lazy_pattern(
    rb"(?:\A|(?<=\n))-----BEGIN ([^\n]*?)-----[ \t\r]*\n(.*?)(?:(?<=\n)|\A)-----END \1-----[ \t\r]*(?:\n|\Z)",
    re.DOTALL,
)
_HEADER = lazy_pattern(rb"[^\n:]+:[^\n]*\n")

_ALGORITHM = Form(
    "AlgorithmIdentifier",
    asn1.SEQUENCE,
    (Form("ObjectIdentifier", asn1.OBJECT_IDENTIFIER), Form("RawValue", optional=True)),
)
_BITS = Form("BitString", asn1.BIT_STRING)
_INFORMATION = (
    Form("int", asn1.INTEGER),
    Form("RawValue"),
    Form("publicKeyInfo", asn1.SEQUENCE, (_ALGORITHM, _BITS)),
    Form("", context=0),
)
_REQUEST = Form(
    "certificateRequest",
    asn1.SEQUENCE,
    (Form("tbsCertificateRequest", asn1.SEQUENCE, _INFORMATION), _ALGORITHM, _BITS),
)
"""The ASN.1 structure of a certificate signing request, with the names of Go's types."""


def decode_bytes(text: str | None) -> bytes:
    """Returns the bytes of a field in base64; no bytes if the field is absent."""
    return base64.b64decode(text or "")


@dataclass(frozen=True, slots=True)
class Block:
    """A PEM block.

    - `label`: the text after BEGIN, such as CERTIFICATE
    - `content`: the decoded bytes
    - `headers`: whether the block has PEM headers
    """

    label: str
    content: bytes
    headers: bool


def blocks(text: bytes) -> Iterator[Block]:
    """Yields the PEM blocks of a text. Skips text between the blocks, and blocks with malformed base64."""
    for match in _BLOCK.finditer(text):
        body, headers = match[2], False
        while (header := _HEADER.match(body)) is not None:
            body, headers = body[header.end() :], True
        try:
            content = base64.b64decode(b"".join(body.split()), validate=True)
        except binascii.Error:
            continue
        yield Block(match[1].decode("utf-8", "replace"), content, headers)


def request_problem(text: bytes, *, signed: bool = True) -> str:
    """Returns the reason why a text is not a valid certificate signing request; "" for a valid request.

    `signed`: whether to check the signature too, with the public key in the request
    """
    block = next(blocks(text), None)
    if block is None or block.label != CERTIFICATE_REQUEST:
        return f"PEM block type must be {CERTIFICATE_REQUEST}"
    try:
        asn1.check(block.content, _REQUEST)
    except asn1.Asn1Error as error:
        return str(error)
    from cryptography import x509  # noqa: PLC0415 - loaded with the first request

    try:
        request = x509.load_der_x509_csr(block.content)
        holds = not signed or request.is_signature_valid
    except Exception:  # noqa: BLE001 - cryptography raises any exception of its backend
        return "asn1: structure error: malformed certificate request"
    return "" if holds else "x509: signature check failed"


def organizations_of(text: bytes) -> list[str]:
    """Returns the organizations in the subject of a valid certificate signing request."""
    return _attributes_of(text, "ORGANIZATION_NAME")


def common_name_of(text: bytes) -> str:
    """Returns the last common name in the subject of a valid signing request; "" without a common name."""
    return next(reversed(_attributes_of(text, "COMMON_NAME")), "")


def _attributes_of(text: bytes, name: str) -> list[str]:
    from cryptography import x509  # noqa: PLC0415 - loaded with the first request

    block = next(blocks(text), None)
    if block is None:
        return []
    subject = x509.load_der_x509_csr(block.content).subject
    return [str(attribute.value) for attribute in subject.get_attributes_for_oid(getattr(x509.NameOID, name))]


def certificates_problem(text: bytes) -> str:
    """Returns the reason why a text is not a chain of PEM certificates; "" for a chain or an empty text."""
    if not text:
        return ""
    pem_blocks = list(blocks(text))
    for block in pem_blocks:
        if block.label != CERTIFICATE:
            return f'only CERTIFICATE PEM blocks are allowed, found "{block.label}"'
        if block.headers:
            return "no PEM block headers are permitted"
        if authority_of(block) is None:
            return MALFORMED
    return "" if pem_blocks else "must contain at least one CERTIFICATE PEM block"


def authority_of(block: Block) -> bool | None:
    """Whether a PEM block is a CA certificate; None for an invalid certificate."""
    from cryptography import x509  # noqa: PLC0415 - loaded with the first certificate

    try:
        certificate = x509.load_der_x509_certificate(block.content)
        basic = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    except x509.ExtensionNotFound:
        return False
    except Exception:  # noqa: BLE001 - cryptography raises any exception of its backend
        return None
    return basic.value.ca
