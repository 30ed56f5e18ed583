"""Malformed YAML bodies of creates."""

from typing import Any

from tests.http.malformed.case import YAML, Case, claim, encoded, post

START = b"apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\n"
SPEC = b"spec:\n  devices:\n    requests:\n    - {name: gpu, deviceClassName: gpu.example.com}\n"
VALID = START + b"metadata: {name: new}\n" + SPEC
DRY = "?dryRun=All"


def yaml(name: str, answers: int, body: bytes, **more: Any) -> Case:
    return post(f"YAML: {name}", answers, body, media_type=YAML, **more)


def in_labels(raw: bytes) -> bytes:
    return START + b"metadata:\n  name: new\n  labels: %b\n" % raw + SPEC


def bomb(levels: int) -> bytes:
    """Returns a YAML bomb ("billion laughs"): every level refers nine times to the level before."""
    lines = [b'a0: &a0 ["lol"]']
    lines += (b"a%d: &a%d [%b]" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, levels))
    return b"\n".join(lines) + b"\n"


CASES = (
    yaml("nothing", 422, b""),
    yaml("a comment alone", 422, b"# nothing\n"),
    yaml("plain text", 400, b"claim\n"),
    yaml("a list", 400, b"- claim\n"),
    yaml("a tab as indentation", 400, START + b"metadata:\n\tname: new\n"),
    yaml("an open bracket", 400, START + b"metadata: [\n"),
    yaml("an open quote", 400, START + b'metadata: "\n'),
    yaml("indentation that ends nowhere", 400, START + b"metadata:\n    name: new\n  x: 1\n"),
    yaml("a mapping in a mapping's line", 400, START + b"metadata: name: new\n"),
    yaml("an alias that names nothing", 400, START + b"metadata: *nothing\n"),
    yaml("an alias of itself", 400, START + b"metadata: &m\n  name: new\n  labels: *m\n" + SPEC),
    yaml("an alias bomb", 400, bomb(10) + VALID),
    yaml("an alias bomb of 30 levels", 400, bomb(30) + VALID),
    yaml("a Python object", 201, in_labels(b"!!python/object:os.system {}"), query=DRY),
    yaml("a Python call", 400, in_labels(b"!!python/object/apply:os.system ['true']")),
    yaml("a Python name", 201, in_labels(b"{a: !!python/name:os.system x}"), query=DRY),
    yaml("a repeated key", 400, VALID + b"kind: ResourceClaim\n", query="?fieldValidation=Strict"),
    yaml("a label that YAML takes for a boolean", 400, in_labels(b"{a: yes}")),
    yaml("a label that is a number", 400, in_labels(b"{a: 5}")),
    yaml("a label that is no number", 400, in_labels(b"{a: .nan}")),
    yaml("a label that is infinite", 400, in_labels(b"{a: .inf}")),
    yaml("a key that is a list", 400, in_labels(b"{[a]: b}")),
    yaml("a key that is a mapping", 400, in_labels(b"{? {a: b} : c}")),
    yaml("bytes that are no UTF-8", 400, in_labels(b"{a: \xff}")),
    yaml("a NUL byte", 400, in_labels(b"{a: b\0}")),
    yaml("a control character", 400, in_labels(b"{a: b\x07}")),
    yaml("UTF-16", 201, VALID.decode().encode("utf-16"), query=DRY),
    yaml("100,000 open brackets", 400, b"[" * 100_000),
    yaml("20,000 dashes in a line", 400, b"- " * 20_000),
    yaml("20,000 open braces", 400, b"{a: " * 20_000),
    yaml("a directive of another version", 400, b"%YAML 9.9\n---\n" + VALID),
    yaml("an unknown directive", 400, b"%SURPRISE\n---\n" + VALID),
    yaml("a claim, then another", 201, VALID + b"---\n" + VALID, query=DRY),
    yaml("a claim, then what is no YAML", 201, VALID + b"---\n[\n", query=DRY),
    yaml("merge keys", 201, b"x: &x {a: b}\n" + in_labels(b"{<<: *x}"), query=DRY),
    yaml("a tag that nobody knows", 201, in_labels(b"{a: !surprise b}"), query=DRY),
    yaml("binary text", 201, in_labels(b"{a: !!binary aGVsbG8=}"), query=DRY),
    yaml("a date as a label", 201, in_labels(b"{a: 2026-01-01}"), query=DRY),
    yaml("JSON", 201, encoded(claim()), query=DRY),
    yaml("keys that are no text", 201, VALID + b"1: a\ntrue: b\n2.5: c\n", query=DRY),
    yaml("a key that is null", 400, VALID + b"null: c\n"),
    yaml("one byte more than the limit", 413, VALID + b"#" * (3 * 1024 * 1024 + 1 - len(VALID))),
)
