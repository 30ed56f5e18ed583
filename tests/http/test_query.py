"""The server parses query parameters like Go's net/url, and converts them to options like Kubernetes."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.http.query import (
    Query,
    delete_options,
    list_options,
    manager_of,
    parse_int,
    watch_options,
    write_options,
)
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.identity.users import ANONYMOUS
from fakeapi.registry.model.resource import Resource
from tests.registry.world import world


@pytest.fixture(scope="module")
def claims() -> Resource:
    async def found() -> Resource:
        async with world("1.31") as here:
            return here.claims

    return asyncio.run(found())


PAIRS = st.lists(st.tuples(st.text(min_size=1, max_size=4), st.text(max_size=4)), max_size=5)


@settings(max_examples=60)
@given(pairs=PAIRS)
def test_a_query_says_what_was_put_into_it_and_the_first_of_a_name_counts(
    pairs: list[tuple[str, str]],
) -> None:
    query = Query(urlencode(pairs, encoding="utf-8", errors="replace").encode())
    readable = [tuple(part.encode("utf-8", "replace").decode() for part in pair) for pair in pairs]
    for name, value in readable:
        assert value in query.all(name)
        assert query.text(name) == next(other for key, other in readable if key == name)


@pytest.mark.parametrize("text", [b"a=%zz&b=1", b"a=%&b=1", b"a;c=2&b=1", b"&&&b=1", b"b=1&%f=2", b"b=1&&;"])
def test_parameters_that_go_cannot_read_are_passed_over(text: bytes) -> None:
    query = Query(text)
    assert query.text("b") == "1"
    assert set(query.first) == {"b"}


@pytest.mark.parametrize(
    ("text", "flag"),
    [(b"", None), (b"f", True), (b"f=", True), (b"f=0", False), (b"f=False", False), (b"f=no", True)],
)
def test_a_flag_is_anything_but_its_absence_0_and_false(text: bytes, flag: bool | None) -> None:  # noqa: FBT001 - a column
    assert Query(text).optional_flag("f") is flag
    assert Query(text).flag("f") is bool(flag)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-5", -5),
        ("+7", 7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_an_integer_is_a_decimal_int64(text: str, number: int) -> None:
    assert parse_int(text) == number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "invalid syntax"),
        ("x", "invalid syntax"),
        ("1_0", "invalid syntax"),
        ("\u0661", "invalid syntax"),
        ("²", "invalid syntax"),
        (" 1", "invalid syntax"),
        ("9223372036854775808", "value out of range"),
        ("-9223372036854775809", "value out of range"),
        ("9" * 5000, "value out of range"),
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_integer_is_refused_in_gos_words(text: str, words: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse_int(text)
    assert refused.value.code == 400
    assert refused.value.message == f'strconv.ParseInt: parsing "{text}": {words}'


@pytest.mark.parametrize(
    ("agent", "manager"),
    [
        ("kubectl/v1.31.0 (linux/amd64)", "kubectl"),
        ("python-requests", "python-requests"),
        ("", ""),
        ("a\tb/1", "ab"),
        ("x" * 200, "x" * 128),
        ("é" * 100, "é" * 64),
    ],
)
def test_the_manager_of_a_client_that_names_none_is_the_beginning_of_its_user_agent(
    agent: str, manager: str
) -> None:
    assert manager_of(agent) == manager


def test_options_of_a_write_are_what_the_query_says(claims: Resource) -> None:
    plain = write_options(Query(b""), "agent/1", "CreateOptions", claims, ANONYMOUS)
    assert (plain.manager, plain.dry_run, plain.validation) == ("agent", False, "Warn")
    text = b"fieldManager=m&dryRun=All&fieldValidation=Strict"
    asked = write_options(Query(text), "agent/1", "UpdateOptions", claims, ANONYMOUS)
    assert (asked.manager, asked.dry_run, asked.validation) == ("m", True, "Strict")


@pytest.mark.parametrize(
    "text", [b"dryRun=Some", b"dryRun=", b"fieldValidation=Loose", b"fieldManager=" + b"a" * 129]
)
@pytest.mark.parametrize("kind", ["CreateOptions", "UpdateOptions", "PatchOptions"])
def test_options_of_a_write_that_nobody_knows_are_invalid(claims: Resource, text: bytes, kind: str) -> None:
    with pytest.raises(ApiError) as refused:
        write_options(Query(text), "agent", kind, claims, ANONYMOUS)
    assert refused.value.code == 422
    assert refused.value.message.startswith(f'{kind}.meta.k8s.io "" is invalid: ')


def test_options_of_a_delete_come_from_the_body_where_there_is_one(claims: Resource) -> None:
    query = Query(b"propagationPolicy=Orphan&gracePeriodSeconds=5&dryRun=All&uid=u&resourceVersion=7")
    asked = delete_options(query, None, claims, ANONYMOUS)
    assert (asked.propagation, asked.grace_seconds, asked.dry_run) == ("Orphan", 5, True)
    assert (asked.uid, asked.resource_version) == ("u", "7")
    of_body = delete_options(
        query, {"orphanDependents": True, "preconditions": {"uid": "b"}}, claims, ANONYMOUS
    )
    assert (of_body.propagation, of_body.orphan, of_body.dry_run) == (None, True, False)
    assert (of_body.uid, of_body.resource_version) == ("b", None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"limit=x", 400),
        (b"timeoutSeconds=x", 400),
        (b"labelSelector=a%3Db%3Dc", 400),
        (b"fieldSelector=spec.x%3D1", 400),
        (b"resourceVersionMatch=Exact", 422),
        (b"resourceVersion=1&resourceVersionMatch=Older", 422),
        (b"resourceVersion=0&resourceVersionMatch=Exact", 422),
        (b"resourceVersion=1&resourceVersionMatch=Exact&continue=x", 422),
        (b"sendInitialEvents=true", 422),
    ],
)
def test_options_of_a_list_that_do_not_go_together_are_refused(
    claims: Resource, text: bytes, code: int
) -> None:
    with pytest.raises(ApiError) as refused:
        list_options(Query(text), claims)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"timeoutSeconds=x", 400),
        (b"limit=x", 400),
        (b"fieldSelector=spec.x%3D1", 400),
        (b"resourceVersionMatch=NotOlderThan", 422),
        (b"sendInitialEvents=true", 422),
        (b"sendInitialEvents=true&resourceVersionMatch=Exact", 422),
    ],
)
def test_options_of_a_watch_that_do_not_go_together_are_refused(
    claims: Resource, text: bytes, code: int
) -> None:
    with pytest.raises(ApiError) as refused:
        watch_options(Query(text), claims)
    assert refused.value.code == code


def test_a_negative_limit_is_none_and_an_empty_selector_is_none(claims: Resource) -> None:
    found = list_options(Query(b"limit=-5&labelSelector=&fieldSelector="), claims)
    assert (found.limit, found.labels, found.fields) == (0, None, None)


def test_a_watch_of_one_name_may_not_be_contradicted(claims: Resource) -> None:
    named: Any = watch_options(Query(b""), claims, "a").fields
    assert named.requires_exact_match("metadata.name") == "a"
    same = watch_options(Query(b"fieldSelector=metadata.name%3Da"), claims, "a").fields
    assert same is not None
    with pytest.raises(ApiError) as refused:
        watch_options(Query(b"fieldSelector=metadata.name%3Db"), claims, "a")
    assert refused.value.code == 400
