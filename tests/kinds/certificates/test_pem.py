"""Malformed DER gets the error messages of Go's encoding/asn1, as recorded with Go 1.26."""

import base64

import pytest

from fakeapi.kinds.certificates.pem import request_problem

MISMATCH = (
    "structure error: tags don't match (16 vs {{class:0 tag:{} length:{} isCompound:false}}) "
    "{{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
    "stringType:0 timeType:0 set:false omitEmpty:false}} {} @2"
)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "syntax error: sequence truncated"),
        ("00", "syntax error: truncated tag or length"),
        ("1f", "syntax error: truncated base 128 integer"),
        ("3000", "syntax error: sequence truncated"),
        ("300a", "syntax error: data truncated"),
        ("3081", "syntax error: truncated tag or length"),
        ("308000", "syntax error: indefinite length found (not DER)"),
        ("30820001", "structure error: superfluous leading zeros in length"),
        ("3f1e00", "syntax error: non-minimal tag"),
        ("30053003020100", "syntax error: sequence truncated"),
        ("3006300402020001", "structure error: integer not minimally-encoded"),
        ("020100", MISMATCH.format(2, 1, "certificateRequest")),
        ("30020500", MISMATCH.format(5, 0, "tbsCertificateRequest")),
    ],
)
def test_what_is_no_request_for_a_certificate_is_refused_in_gos_words(content: str, problem: str) -> None:
    text = base64.encodebytes(bytes.fromhex(content))
    label = b"CERTIFICATE REQUEST-----\n"
    assert request_problem(b"-----BEGIN " + label + text + b"-----END " + label) == f"asn1: {problem}"
