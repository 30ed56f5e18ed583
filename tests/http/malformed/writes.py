"""Malformed bodies of updates, patches and deletes."""

from typing import Any

from tests.http.malformed.case import (
    APPLY,
    CLAIMS,
    HELD,
    JSON,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    YAML,
    Case,
    claim,
    delete,
    encoded,
    patch,
    put,
    request_with,
)

LIMIT = 3 * 1024 * 1024
MANAGER = "?fieldManager=tester"
HELD_CLAIM = claim({"name": "held"})


def meta(**members: Any) -> dict[str, Any]:
    return claim({"name": "held", **members})


UPDATES = (
    put("an update without a body", 400, b""),
    put("an update with half a body", 400, encoded(HELD_CLAIM)[:40]),
    put("an update that is a list", 400, b"[]"),
    put("an update that is null", 400, b"null"),
    put("an update of another name", 400, claim({"name": "other"})),
    put("an update without a name", 400, claim() | {"metadata": {}}),
    put("an update of another namespace", 400, meta(namespace="kube-system")),
    put("an update of another kind", 400, claim(kind="Pod", apiVersion="v1")),
    put("an update of another uid", 409, meta(uid="another")),
    put("an update of an old version", 409, meta(resourceVersion="1")),
    put("an update of a version from the future", 409, meta(resourceVersion="1000000000")),
    put("an update of a version in letters", 500, meta(resourceVersion="abc")),
    put("an update of a negative version", 500, meta(resourceVersion="-1")),
    put("an update of a version beyond uint64", 500, meta(resourceVersion="9" * 30)),
    put("an update of another spec", 422, claim({"name": "held"}, spec={"devices": {}})),
    put("an update of a missing claim", 404, claim({"name": "missing"}), path=f"{CLAIMS}/missing"),
    put("an update of a missing status", 404, claim({"name": "missing"}), path=f"{CLAIMS}/missing/status"),
    put("a status that is text", 400, claim({"name": "held"}, status="x"), path=f"{HELD}/status"),
    put("a status with an allocation that is a list", 400,
        claim({"name": "held"}, status={"allocation": []}), path=f"{HELD}/status"),
    put("a status that names a device nobody asked for", 422,
        claim({"name": "held"}, status={"allocation": {"devices": {"results": [
            {"request": "other", "driver": "d.example.com", "pool": "p", "device": "d"}]}}}),
        path=f"{HELD}/status"),
    put("a status that is 100,000 levels deep", 400,
        b'{"status":' + b'{"a":' * 100_000, path=f"{HELD}/status"),
    put("an update of more bytes than the limit", 413, b" " * (LIMIT + 1)),
    put("a status of more bytes than the limit", 413, b" " * (LIMIT + 1), path=f"{HELD}/status"),
    Case("an update without a media type that anybody knows", 415, "PUT", HELD, encoded(HELD_CLAIM),
         (("Content-Type", "text/plain"),)),
)  # fmt: skip


def operation(name: str, answers: int, *operations: Any, **more: Any) -> Case:
    return patch(f"JSON patch: {name}", answers, JSON_PATCH, list(operations), **more)


def replace(path: str) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": "x"}


JSON_PATCHES = (
    patch("JSON patch: nothing", 400, JSON_PATCH, b""),
    patch("JSON patch: half of it", 400, JSON_PATCH, b'[{"op":'),
    patch("JSON patch: an object", 400, JSON_PATCH, b"{}"),
    patch("JSON patch: a string", 400, JSON_PATCH, b'"x"'),
    patch("JSON patch: a list of strings", 400, JSON_PATCH, b'["x"]'),
    patch("JSON patch: 100,000 open brackets", 400, JSON_PATCH, b"[" * 100_000),
    patch("JSON patch: more bytes than the limit", 413, JSON_PATCH, b" " * (LIMIT + 1)),
    operation("an empty operation", 422, {}),
    operation("an unknown operation", 422, {"op": "surprise", "path": "/metadata"}),
    operation("an operation that is a number", 400, {"op": 1, "path": "/metadata"}),
    operation("no path", 422, {"op": "remove"}),
    operation("a path that is a number", 400, {"op": "remove", "path": 1}),
    operation("a path that is null", 422, {"op": "remove", "path": None}),
    operation("a path without a slash", 422, {"op": "remove", "path": "metadata"}),
    operation("a path that is not there", 422, {"op": "remove", "path": "/surprise"}),
    operation("a path through a string", 422, replace("/kind/a/b")),
    operation("an index that is no number", 422, replace("/spec/devices/requests/x")),
    operation("an index that is too big", 422, replace("/spec/devices/requests/9")),
    operation("an index of thirty digits", 422, replace(f"/spec/devices/requests/{'9' * 30}")),
    operation("a negative index that is too small", 422, replace("/spec/devices/requests/-9")),
    operation("an addition past the end", 422, {"op": "add", "path": "/spec/devices/requests/9", "value": 1}),
    operation("a removal of the end", 422, {"op": "remove", "path": "/spec/devices/requests/-"}),
    operation("a test that fails", 422, {"op": "test", "path": "/kind", "value": "Pod"}),
    operation("a test of what is not there", 422, {"op": "test", "path": "/surprise", "value": 1}),
    operation("a move from nowhere", 422, {"op": "move", "from": "/surprise", "path": "/metadata/x"}),
    operation("a move without an origin", 422, {"op": "move", "path": "/metadata/x"}),
    operation("a copy from nowhere", 200, {"op": "copy", "from": "/surprise", "path": "/metadata/x"}),
    operation("the whole document taken away", 422, {"op": "remove", "path": ""}),
    operation("the whole document made a list", 422, {"op": "replace", "path": "", "value": []}),
    operation("another name", 400, {"op": "replace", "path": "/metadata/name", "value": "other"}),
    operation("another kind", 422, {"op": "replace", "path": "/kind", "value": "Pod"}),
    operation("metadata that is text", 422, {"op": "replace", "path": "/metadata", "value": "x"}),
    operation("labels that are numbers", 422, {"op": "add", "path": "/metadata/labels", "value": {"a": 1}}),
    operation("10,001 operations", 413, *[{"op": "test", "path": "/kind", "value": "x"}] * 10_001),
    operation("a document that doubles thirty times", 422,
              {"op": "add", "path": "/metadata/annotations", "value": {"a0": "x" * 1000}},
              *({"op": "copy", "from": "/metadata", "path": f"/metadata/b{n}"} for n in range(30)),
              {"op": "test", "path": "/kind", "value": "Pod"}),
)  # fmt: skip

MERGE_PATCHES = tuple(
    patch(f"{words}: {name}", code, media_type, body)
    for words, media_type in (("merge patch", MERGE), ("strategic patch", STRATEGIC))
    for name, code, body in (
        ("nothing", 400, b""),
        ("half of it", 400, b'{"metadata":'),
        ("a list", 400, b"[]"),
        ("a string", 400, b'"x"'),
        ("a number", 400, b"1"),
        ("garbage after it", 400, b"{} x"),
        ("100,000 open braces", 400, b'{"a":' * 100_000),
        ("objects 100,000 levels deep", 400, b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        ("another name", 400, {"metadata": {"name": "other"}}),
        ("another namespace", 400, {"metadata": {"namespace": "kube-system"}}),
        ("another kind", 422 if media_type == MERGE else 200, {"kind": "Pod"}),
        ("another apiVersion", 422 if media_type == MERGE else 200, {"apiVersion": "v1"}),
        ("another version of the object", 409, {"metadata": {"resourceVersion": "1"}}),
        ("another uid", 422, {"metadata": {"uid": "another"}}),
        ("metadata that is text", 422, {"metadata": "x"}),
        ("a label that is a number", 422, {"metadata": {"labels": {"a": 1}}}),
        ("a label that is none", 422, {"metadata": {"labels": {"bad key!": "x"}}}),
        ("a spec that is a list", 422, {"spec": []}),
        ("requests that are text", 422, {"spec": {"devices": {"requests": "x"}}}),
        ("more bytes than the limit", 413, b" " * (LIMIT + 1)),
    )
)

STRATEGIC_PATCHES = (
    patch("strategic patch: an unknown directive", 500, STRATEGIC, {"metadata": {"$patch": "surprise"}}),
    patch("strategic patch: a directive that is a number", 500, STRATEGIC, {"metadata": {"$patch": 1}}),
    patch("strategic patch: a deletion from a list that is none", 200, STRATEGIC,
          {"metadata": {"$deleteFromPrimitiveList/finalizers": "x"}}),
    patch("strategic patch: an order of a list that is none", 500, STRATEGIC,
          {"metadata": {"$setElementOrder/finalizers": "x", "finalizers": ["a.example.com/b"]}}),
    patch("strategic patch: kept keys that are none", 400, STRATEGIC, {"metadata": {"$retainKeys": "x"}}),
    patch("strategic patch: an owner without a uid", 422, STRATEGIC,
          {"metadata": {"ownerReferences": [{"name": "a"}]}}),
    patch("strategic patch: an order without its elements", 500, STRATEGIC,
          {"metadata": {"$setElementOrder/finalizers": ["a"], "finalizers": ["b"]}}),
    patch("strategic patch: the whole object deleted", 400, STRATEGIC, {"$patch": "delete"}),
)  # fmt: skip

APPLIED = tuple(
    patch(f"apply: {name}", code, APPLY, body, query=query)
    for name, code, query, body in (
        ("no manager", 422, "", HELD_CLAIM),
        ("a manager that is too long", 422, f"?fieldManager={'a' * 129}", HELD_CLAIM),
        ("nothing", 400, MANAGER, b""),
        ("half of it", 400, MANAGER, b"{"),
        ("a list", 400, MANAGER, b"[]"),
        ("text", 400, MANAGER, b"claim"),
        ("a tab", 400, MANAGER, b"metadata:\n\tname: held"),
        ("a Python object", 400, MANAGER, b"!!python/object:os.system {}"),
        ("no kind", 400, MANAGER, {"metadata": {"name": "held"}}),
        ("another kind", 400, MANAGER, claim({"name": "held"}, kind="Pod", apiVersion="v1")),
        ("another name", 400, MANAGER, claim({"name": "other"}, spec={})),
        ("an unknown field", 500, MANAGER, claim({"name": "held"}, surprise=1)),
        ("a label that is a number", 500, MANAGER, meta(labels={"a": 1})),
        ("metadata that is text", 500, MANAGER, claim() | {"metadata": "x"}),
        ("managed fields", 400, MANAGER, meta(managedFields=[{"manager": "x"}])),
        ("an old version", 409, MANAGER, meta(resourceVersion="1")),
        ("a field that another has", 409, MANAGER, request_with(deviceClassName="other.example.com")
         | {"metadata": {"name": "held"}}),
        ("20,000 open brackets", 400, MANAGER, b"[" * 20_000),
        ("more bytes than the limit", 413, MANAGER, b" " * (LIMIT + 1)),
    )
)  # fmt: skip

PATCH_TYPES = tuple(
    Case(f"a patch of {name}", 415, "PATCH", HELD, b"{}", headers)
    for name, headers in (
        ("no media type", ()),
        ("plain JSON", (("Content-Type", JSON),)),
        ("YAML", (("Content-Type", YAML),)),
        ("text", (("Content-Type", "text/plain"),)),
        ("garbage", (("Content-Type", ";;;/,,"),)),
        ("a patch type in upper case", (("Content-Type", MERGE.upper()),)),
        ("10,000 characters", (("Content-Type", "a" * 10_000),)),
    )
)

DELETES = (
    delete("a deletion with half a body", 500, b"{"),
    delete("a deletion with a list", 500, b"[]"),
    delete("a deletion with a string", 500, b'"x"'),
    delete("a deletion with a number", 500, b"1"),
    delete("a deletion with a claim", 500, HELD_CLAIM),
    delete("a deletion with options of an unknown version", 200,
           {"kind": "DeleteOptions", "apiVersion": "example.com/v1", "dryRun": ["All"]}),
    delete("a deletion with options of no version at all", 500,
           {"kind": "DeleteOptions", "apiVersion": "a/b/c"}),
    delete("a deletion with a kind that is a number", 500, {"kind": 1}),
    delete("a deletion with 100,000 open brackets", 500, b"[" * 100_000),
    delete("a deletion with objects 100,000 levels deep", 500,
           b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    delete("a deletion with a grace period in letters", 500, {"gracePeriodSeconds": "x"}),
    delete("a deletion with a grace period beyond int64", 500, b'{"gracePeriodSeconds": 1e30}'),
    delete("a deletion with preconditions that are text", 500, {"preconditions": "x"}),
    delete("a deletion with a uid that is a number", 500, {"preconditions": {"uid": 1}}),
    delete("a deletion of another uid", 409, {"preconditions": {"uid": "another"}}),
    delete("a deletion of another version", 409, {"preconditions": {"resourceVersion": "1"}}),
    delete("a deletion with a policy that nobody knows", 422, {"propagationPolicy": "Some"}),
    delete("a deletion with a policy that is a number", 500, {"propagationPolicy": 1}),
    delete("a deletion with a policy and orphans", 422,
           {"propagationPolicy": "Orphan", "orphanDependents": True}),
    delete("a deletion with a dry run that nobody knows", 422, {"dryRun": ["Some"]}),
    delete("a deletion with a dry run that is text", 500, {"dryRun": "All"}),
    delete("a deletion with a body of text", 415, b"now", media_type="text/plain"),
    delete("a deletion with YAML that is none", 500, b"\t[", media_type=YAML),
    delete("a deletion with more bytes than the limit", 413, b" " * (LIMIT + 1)),
    Case("a deletion of a missing claim", 404, "DELETE", f"{CLAIMS}/missing"),
)  # fmt: skip

CASES = (
    *UPDATES, *JSON_PATCHES, *MERGE_PATCHES, *STRATEGIC_PATCHES, *APPLIED, *PATCH_TYPES, *DELETES,
)  # fmt: skip
