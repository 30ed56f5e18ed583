"""Malformed query parameters: numbers, selectors, versions, continue tokens, and too many parameters."""

import base64
import json
from typing import Any
from urllib.parse import quote

from tests.http.malformed.case import CLAIMS, HELD, JSON, MERGE, Case, claim, encoded, get, patch, post

BIG = "9" * 30


def token(**fields: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).rstrip(b"=").decode()


def query(name: str, answers: int, text: str, **more: Any) -> Case:
    return get(f"?{name}", answers, f"{CLAIMS}?{text}", **more)


def label(name: str, selector: str, answers: int = 400) -> Case:
    return query(f"labelSelector: {name}", answers, f"labelSelector={quote(selector, safe='')}")


def fields(name: str, selector: str, answers: int = 400) -> Case:
    return query(f"fieldSelector: {name}", answers, f"fieldSelector={quote(selector, safe='')}")


NUMBERS = (
    query("limit in letters", 400, "limit=x"),
    query("limit with a fraction", 400, "limit=1.5"),
    query("limit beyond int64", 400, f"limit={BIG}"),
    query("limit in another alphabet", 400, "limit=%D9%A3"),
    query("limit with a space", 400, "limit=%201"),
    query("limit with an underscore", 400, "limit=1_0"),
    query("limit that is empty", 400, "limit="),
    query("limit that is bad, then good", 400, "limit=x&limit=1"),
    query("timeoutSeconds in letters", 400, "timeoutSeconds=x"),
    query("timeoutSeconds beyond int64", 400, f"timeoutSeconds={BIG}"),
    query("watch with timeoutSeconds in letters", 400, "watch=1&timeoutSeconds=x"),
    query("a negative limit", 200, "limit=-1"),
    query("a limit led by many zeros", 200, f"limit={'0' * 5000}1"),
    query("watch with a negative timeoutSeconds", 200, "watch=1&timeoutSeconds=-1"),
    query("watch with timeoutSeconds beyond a Go duration", 200, "watch=1&timeoutSeconds=9223372037"),
    query("limit that is good, then bad", 200, "limit=1&limit=x"),
)

SELECTORS = (
    label("two equals signs apart", "a=b=c"),
    label("an open bracket", "a in ("),
    label("nothing in the brackets", "a in"),
    label("an exclamation mark", "!"),
    label("a comma", ","),
    label("a comma at the end", "a,"),
    label("an operator alone", "="),
    label("two keys", "a b"),
    label("a comparison with text", "a>b"),
    label("a key that is none", "-a=b"),
    label("a key with two slashes", "a/b/c=d"),
    label("a value that is none", "a=-b-"),
    label("a value that is too long", f"a={'b' * 64}"),
    label("a value outside of ASCII", "a=é"),
    label("a NUL", "a=\0", 200),
    label("brackets the wrong way round", "a in )b("),
    label("100,000 characters", f"a={'b' * 100_000}"),
    label("20,000 open brackets", "a in " + "(" * 20_000),
    fields("a field that nobody can select by", "spec.devices=1"),
    fields("no operator", "metadata.name"),
    fields("a field of another kind", "spec.nodeName=a"),
    fields("no field", "=a"),
    fields("an escape that is none", "metadata.name=a\\b"),
    fields("an escape at the end", "metadata.name=a\\"),
    fields("a set", "metadata.name in (a,b)"),
    query("watch with a bad label selector", 400, "watch=1&labelSelector=a%3Db%3Dc"),
    query("watch with a bad field selector", 400, "watch=1&fieldSelector=spec.x%3D1"),
)

VERSIONS = (
    query("resourceVersion in letters", 500, "resourceVersion=abc"),
    query("a negative resourceVersion", 500, "resourceVersion=-1"),
    query("resourceVersion with a fraction", 500, "resourceVersion=1.5"),
    query("resourceVersion beyond uint64", 500, f"resourceVersion={BIG}"),
    query("resourceVersion from the future", 504, "resourceVersion=1000000000"),
    query("resourceVersion from the future, exactly", 500,
          "resourceVersion=1000000000&resourceVersionMatch=Exact"),
    query("resourceVersionMatch that nobody knows", 422, "resourceVersion=1&resourceVersionMatch=Older"),
    query("resourceVersionMatch alone", 422, "resourceVersionMatch=Exact"),
    query("resourceVersionMatch Exact with 0", 422, "resourceVersion=0&resourceVersionMatch=Exact"),
    query("sendInitialEvents without a watch", 422, "sendInitialEvents=true"),
    query("watch with resourceVersion in letters", 500, "watch=1&resourceVersion=abc"),
    query("watch with resourceVersionMatch", 422, "watch=1&resourceVersionMatch=Exact"),
    query("watch with sendInitialEvents alone", 422, "watch=1&sendInitialEvents=true"),
    get("?resourceVersion of a claim in letters", 500, f"{HELD}?resourceVersion=abc"),
    get("?resourceVersion of a claim from the future", 504, f"{HELD}?resourceVersion=1000000000"),
)  # fmt: skip

TOKENS = (
    query("continue that is no base64", 400, "continue=%21%21"),
    query("continue with spaces", 400, "continue=a%20b"),
    query("continue that is no JSON", 400, f"continue={base64.urlsafe_b64encode(b'{').decode().rstrip('=')}"),
    query("continue that is a list", 400, f"continue={base64.urlsafe_b64encode(b'[]').decode().rstrip('=')}"),
    query("continue of another format", 400, f"continue={token(v='v9', rv=1, start='a')}"),
    query("continue without a version", 400, f"continue={token(v='meta.k8s.io/v1', start='a')}"),
    query("continue without a start", 400, f"continue={token(v='meta.k8s.io/v1', rv=1)}"),
    query("continue with a version in a string", 400,
          f"continue={token(v='meta.k8s.io/v1', rv='1', start='a')}"),
    query("continue with a start that is a number", 400,
          f"continue={token(v='meta.k8s.io/v1', rv=1, start=1)}"),
    query("continue that steps up", 400, f"continue={token(v='meta.k8s.io/v1', rv=1, start='../../a')}"),
    query("continue with a version from the future", 500,
          f"continue={token(v='meta.k8s.io/v1', rv=1000000000, start='a')}"),
    query("continue with a version beyond int64", 400,
          f"continue={token(v='meta.k8s.io/v1', rv=10**30, start='a')}"),
    query("continue with a resourceVersion", 400,
          f"resourceVersion=1&continue={token(v='meta.k8s.io/v1', rv=1, start='a')}"),
    query("continue of 100,000 characters", 400, f"continue={'a' * 100_000}"),
    query("continue of 20,000 open brackets", 400,
          f"continue={base64.urlsafe_b64encode(b'[' * 20_000).decode().rstrip('=')}"),
)  # fmt: skip

WRITING = (
    post("?dryRun that nobody knows", 422, claim(), query="?dryRun=Some"),
    post("?dryRun that is empty", 422, claim(), query="?dryRun="),
    post("?dryRun that is good, then bad", 422, claim(), query="?dryRun=All&dryRun=Some"),
    post("?fieldManager that is too long", 422, claim(), query=f"?fieldManager={'a' * 129}"),
    post("?fieldManager with a control character", 422, claim(), query="?fieldManager=a%07b"),
    patch("?force with a merge patch", 422, MERGE, b"{}", query="?force=true"),
    patch("?fieldValidation that nobody knows", 422, MERGE, b"{}", query="?fieldValidation=Loose"),
    Case("?gracePeriodSeconds in letters", 400, "DELETE", f"{HELD}?gracePeriodSeconds=x"),
    Case("?gracePeriodSeconds beyond int64", 400, "DELETE", f"{HELD}?gracePeriodSeconds={BIG}"),
    Case("?propagationPolicy that nobody knows", 422, "DELETE", f"{HELD}?propagationPolicy=Some"),
    Case("?propagationPolicy with orphanDependents", 422, "DELETE",
         f"{HELD}?propagationPolicy=Orphan&orphanDependents=true"),
    Case("?dryRun of a delete that nobody knows", 422, "DELETE", f"{HELD}?dryRun=Some"),
    Case("a collection's deletion with a bad selector", 400, "DELETE", f"{CLAIMS}?labelSelector=a%3Db%3Dc"),
    Case("a collection's deletion with a bad limit", 400, "DELETE", f"{CLAIMS}?limit=x"),
    Case("a collection's deletion with a bad field", 400, "DELETE", f"{CLAIMS}?fieldSelector=spec.x%3D1"),
    Case("a collection's deletion with a bad policy", 422, "DELETE", f"{CLAIMS}?propagationPolicy=Some"),
    Case("a collection's deletion with a bad body", 500, "DELETE", CLAIMS, b"{", (("Content-Type", JSON),)),
    Case("a create with a bad dryRun in the middle of many parameters", 422, "POST",
         f"{CLAIMS}?{'&'.join(f'p{n}={n}' for n in range(500))}&dryRun=Some", encoded(claim()),
         (("Content-Type", JSON),)),
)  # fmt: skip

SHAPES = (
    query("a percent sign before letters", 200, "a=%zz"),
    query("a bad percent sign in a limit", 200, "limit=%zz"),
    query("semicolons", 200, "limit=1;watch=1"),
    query("nothing but ampersands", 200, "&" * 5000),
    query("nothing but question marks", 200, "?" * 5000),
    query("5,000 parameters", 200, "&".join(f"p{n}={n}" for n in range(5000))),
    query("a NUL", 200, "a=%00"),
    query("a name of 100,000 characters", 200, "a" * 100_000),
)

CASES = (*NUMBERS, *SELECTORS, *VERSIONS, *TOKENS, *WRITING, *SHAPES)
