"""Malformed JSON bodies of creates: invalid, too long or too deep JSON, and JSON that is not a claim."""

import gzip
import json
from typing import Any

from tests.http.malformed.case import Case, claim, post, request_with

LIMIT = 3 * 1024 * 1024
DRY = "?dryRun=All"
VALID = json.dumps(claim()).encode()


def padded(size: int) -> bytes:
    """Returns the JSON of a valid claim with spaces at the end, `size` bytes in all."""
    return VALID + b" " * (size - len(VALID))


def in_label(raw: bytes) -> bytes:
    return VALID.replace(b'"name": "new"', b'"name": "new", "labels": {"a": "%b"}' % raw, 1)


def in_count(raw: bytes) -> bytes:
    return VALID.replace(b'"name": "gpu"', b'"name": "gpu", "count": %b' % raw, 1)


def with_unknown(raw: bytes) -> bytes:
    return VALID[:-1] + b', "surprise": %b}' % raw


def meta(**members: Any) -> dict[str, Any]:
    return claim(members)


SYNTAX = (
    post("an empty body", 400, b""),
    post("nothing but spaces", 400, b" \n\t "),
    post("an open brace", 400, b"{"),
    post("a claim cut in half", 400, VALID[: len(VALID) // 2]),
    post("a claim cut in a string", 400, VALID[: VALID.index(b"gpu.ex") + 3]),
    post("a claim without its last brace", 400, VALID[:-1]),
    post("garbage after the claim", 400, VALID + b"x"),
    post("two claims after each other", 400, VALID + VALID),
    post("single quotes", 400, VALID.replace(b'"', b"'")),
    post("keys without quotes", 400, b"{kind: 1}"),
    post("a comma before the end of an object", 400, b'{"kind": "ResourceClaim",}'),
    post("a comma before the end of an array", 400, with_unknown(b"[1,]")),
    post("two commas", 400, with_unknown(b"[1,,2]")),
    post("a key without a value", 400, b'{"kind"}'),
    post("a colon too many", 400, b'{"kind"::"x"}'),
    post("a number as a key", 400, b"{1: 2}"),
    post("a comment", 400, b"/* claim */ " + VALID),
    post("a bracket closed by a brace", 400, with_unknown(b"[1}")),
    post("NaN", 400, in_count(b"NaN")),
    post("Infinity", 400, in_count(b"Infinity")),
    post("negative Infinity", 400, in_count(b"-Infinity")),
    post("a leading zero", 400, in_count(b"01")),
    post("a hexadecimal number", 400, in_count(b"0x10")),
    post("a plus sign", 400, in_count(b"+1")),
    post("a point without digits", 400, in_count(b"1.")),
    post("an exponent without digits", 400, in_count(b"1e")),
    post("a minus without digits", 400, in_count(b"-")),
    post("Python's True", 400, with_unknown(b"True")),
    post("half of null", 400, with_unknown(b"nul ")),
    post("a byte order mark", 400, b"\xef\xbb\xbf" + VALID),
    post("UTF-16", 400, VALID.decode().encode("utf-16")),
    post("UTF-32", 400, VALID.decode().encode("utf-32")),
    post("gzip that no header names", 400, gzip.compress(VALID, mtime=0)),
    post("a NUL byte first", 400, b"\0" + VALID),
    post("a NUL byte last", 400, VALID + b"\0"),
    post("a NUL byte in a string", 400, in_label(b"a\0b")),
    post("a line break in a string", 400, in_label(b"a\nb")),
    post("a tab in a string", 400, in_label(b"a\tb")),
    post("an unknown escape", 400, in_label(rb"\x41")),
    post("an escape of three digits", 400, in_label(rb"\u123")),
    post("random bytes", 400, bytes(range(128, 256)) * 8),
    post("protobuf's magic number in JSON", 400, b"k8s\0" + VALID),
    post("a form", 400, b"kind=ResourceClaim&name=new"),
    post("HTML", 400, b"<html><body>claim</body></html>"),
)

TEXT = (
    post("an escaped NUL in a label", 422, in_label(rb"a\u0000b")),
    post("a lone surrogate in a label", 422, in_label(rb"\ud800")),
    post("surrogates in the wrong order", 422, in_label(rb"\udc00\ud800")),
    post("bytes that are no UTF-8", 422, in_label(b"\xff\xfe")),
    post("overlong UTF-8", 422, in_label(b"\xc0\xaf")),
    post("UTF-8 cut short", 422, in_label(b"\xe2\x82")),
    post("an encoded surrogate", 422, in_label(b"\xed\xa0\x80")),
)

DEPTH = (
    post("100,000 open brackets", 400, b"[" * 100_000),
    post("100,000 open braces", 400, b'{"a":' * 100_000),
    post("arrays 10,000 levels deep", 400, with_unknown(b"[" * 10_000 + b"]" * 10_000)),
    post("arrays 100,000 levels deep", 400, with_unknown(b"[" * 100_000 + b"]" * 100_000)),
    post("objects 10,000 levels deep", 400, with_unknown(b'{"a":' * 10_000 + b"1" + b"}" * 10_000)),
    post("objects 100,000 levels deep", 400, with_unknown(b'{"a":' * 100_000 + b"1" + b"}" * 100_000)),
    post("100,000 closing brackets", 400, b"]" * 100_000),
)

NUMBERS = (
    post("a count with a fraction", 400, in_count(b"1.5")),
    post("a count beyond int64", 400, in_count(b"9223372036854775808")),
    post("a count of a thousand digits", 400, in_count(b"9" * 1000)),
    post("a count of 100,000 digits", 400, in_count(b"9" * 100_000)),
    post("a count beyond float64", 400, in_count(b"1e400")),
    post("a count in a string", 400, in_count(b'"1"')),
    post("a negative count", 422, in_count(b"-1")),
)

TYPES = (
    post("an array", 400, b"[]"),
    post("a string", 400, b'"claim"'),
    post("a number", 400, b"1"),
    post("true", 400, b"true"),
    post("null", 422, b"null"),
    post("a kind that is a number", 400, claim(kind=1)),
    post("a kind that is a list", 400, claim(kind=["ResourceClaim"])),
    post("an apiVersion that is an object", 400, claim(apiVersion={"a": "b"})),
    post("another kind", 400, claim(kind="Pod", apiVersion="v1")),
    post("a kind that nobody knows", 400, claim(kind="Surprise")),
    post("a list of claims", 400, claim(kind="ResourceClaimList", items=[])),
    post("the kind in lower case", 400, claim(kind="resourceclaim")),
    post("an apiVersion with two slashes", 400, claim(apiVersion="a/b/c")),
    post("an apiVersion of another release", 400, claim(apiVersion="resource.k8s.io/v9")),
    post("an apiVersion of another group", 400, claim(apiVersion="example.com/v1alpha3")),
    post("metadata that is text", 400, claim() | {"metadata": "text"}),
    post("metadata that is a list", 400, claim() | {"metadata": []}),
    post("no metadata", 422, claim() | {"metadata": None}),
    post("a spec that is text", 400, claim(spec="text")),
    post("a spec that is a list", 400, claim(spec=[])),
    post("requests that are an object", 400, claim(spec={"devices": {"requests": {}}})),
    post("a request that is text", 400, claim(spec={"devices": {"requests": ["gpu"]}})),
    post("a request that is null", 422, claim(spec={"devices": {"requests": [None]}})),
    post("33 requests", 422, claim(spec={"devices": {"requests": [{"name": f"r{n}"} for n in range(33)]}})),
    post("an allocation mode that nobody knows", 422, request_with(allocationMode="Some")),
    post("labels in a list", 400, meta(labels=["a"])),
    post("a label that is a number", 400, meta(labels={"a": 1})),
    post("an annotation that is an object", 400, meta(annotations={"a": {}})),
    post("finalizers that are text", 400, meta(finalizers="a.example.com/b")),
    post("owners that are an object", 400, meta(ownerReferences={})),
    post("an owner that is empty", 422, meta(ownerReferences=[{}])),
    post("a time that is none", 400, meta(creationTimestamp="yesterday")),
    post("a time that is a number", 400, meta(creationTimestamp=1700000000)),
    post("a time without a zone", 400, meta(deletionTimestamp="2026-01-01T00:00:00")),
    post("a generation that is text", 400, meta(generation="1")),
    post("managed fields that are text", 400, meta(managedFields="all")),
    post("a uid that is a number", 400, meta(uid=7)),
    post("a resourceVersion that is a number", 400, meta(resourceVersion=7)),
    post("a resourceVersion, though nothing is there yet", 500, meta(resourceVersion="7")),
)

METADATA = (
    post("no name", 422, claim() | {"metadata": {}}),
    post("an empty name", 422, meta(name="")),
    post("a dot for a name", 422, meta(name=".")),
    post("two dots for a name", 422, meta(name="..")),
    post("a name with a slash", 422, meta(name="a/b")),
    post("a name with a percent sign", 422, meta(name="a%2fb")),
    post("a name with a NUL", 422, meta(name="a\0b")),
    post("a name with a line break", 422, meta(name="a\r\nb")),
    post("a new name in upper case", 422, meta(name="Claim")),
    post("a name outside of ASCII", 422, meta(name="claïm")),
    post("a name of 254 characters", 422, meta(name="a" * 254)),
    post("a name of 100,000 characters", 422, meta(name="a" * 100_000)),
    post("a bad generateName", 422, meta(name="", generateName="Upper_")),
    post("another namespace than the path's", 400, meta(namespace="kube-system")),
    post("a label key that is none", 422, meta(labels={"bad key!": "a"})),
    post("a label value that is too long", 422, meta(labels={"a": "b" * 64})),
    post("annotations of more than 256 KiB", 422, meta(annotations={"a": "b" * (256 * 1024)})),
    post("a finalizer without a domain", 422, meta(finalizers=["hold"])),
    post("two controllers", 422, meta(ownerReferences=[
        {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": True} for name in "ab"
    ])),
)  # fmt: skip

STRICT = (
    post("an unknown field, strictly", 400, with_unknown(b"1"), query="?fieldValidation=Strict"),
    post("a repeated field, strictly", 400, with_unknown(b'1, "kind": "ResourceClaim"'),
         query="?fieldValidation=Strict"),
    post("a thousand unknown fields, strictly", 400,
         claim(**{f"field-{n}": n for n in range(1000)}), query="?fieldValidation=Strict"),
    post("a validation mode that nobody knows", 422, claim(), query="?fieldValidation=Loose"),
)  # fmt: skip

SIZES = (
    post("one byte more than the limit", 413, padded(LIMIT + 1)),
    post("ten times the limit", 413, padded(10 * LIMIT)),
    post("50 MB of spaces", 413, b" " * 50_000_000),
    post("the limit, without JSON", 400, b"x" * LIMIT),
)

ACCEPTED = (
    post("no spec", 201, claim() | {"spec": None}, query=DRY),
    post("a claim of as many bytes as the limit", 201, padded(LIMIT), query=DRY),
    post("a claim of one byte less than the limit", 201, padded(LIMIT - 1), query=DRY),
    post("a repeated field", 201, with_unknown(b'1, "kind": "ResourceClaim"'), query=DRY),
    post("100 levels of what is unknown", 201, with_unknown(b"[" * 100 + b"]" * 100), query=DRY),
    post("an unknown field with a line break in its name", 201,
         VALID[:-1] + rb', "a\r\nSet-Cookie: b": 1}', query=DRY),
    post("an unknown field with a name of 100,000 characters", 201,
         VALID[:-1] + b', "%b": 1}' % (b"a" * 100_000), query=DRY),
    post("ten thousand unknown fields", 201, claim(**{f"field-{n}": n for n in range(10_000)}), query=DRY),
)  # fmt: skip

CASES: tuple[Case, ...] = (
    *SYNTAX, *TEXT, *DEPTH, *NUMBERS, *TYPES, *METADATA, *STRICT, *SIZES, *ACCEPTED,
)  # fmt: skip
