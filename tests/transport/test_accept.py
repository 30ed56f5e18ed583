"""Accept headers are read as the router and the handlers of Kubernetes read them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError
from fakeapi.transport.accept import (
    JSON,
    LISTED,
    METADATA,
    METADATA_OR_TABLE,
    NO_CONVERSION,
    OFFERED,
    TABLE,
    YAML,
    Representation,
    check_produced,
    check_streamable,
    negotiate,
    parse,
    prettified,
)

AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
TABLE_V1 = Representation(JSON, kind=TABLE, api_version="meta.k8s.io/v1")
ONLY = "only the following media types are accepted: application/json, application/yaml, "


def refusal(header: str) -> str:
    with pytest.raises(ApiError) as caught:
        negotiate(header)
    assert caught.value.code == 406
    return caught.value.message


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", Representation()),
        ("*/*", Representation()),
        ("*", Representation()),
        ("*/*;q=0", Representation()),
        ("application/json;q=0", Representation()),
        ("application/yaml", Representation(YAML)),
        ("application/yaml, application/json", Representation(YAML)),
        ("application/yaml;q=0.1,application/json;q=0.9", Representation()),
        ("application/json;q=x,application/yaml;q=0.5", Representation(YAML)),
        ("text/html,application/yaml", Representation(YAML)),
        ("application/json/x,application/yaml", Representation(YAML)),
        ("application/vnd.kubernetes.protobuf,application/json", Representation()),
        ("application/json ; pretty=1", Representation(pretty=True)),
        ("application/json;pretty=true", Representation()),
        ("application/json;stream=watch", Representation()),
        ("application/json;sv=", Representation()),
        ("application/json;sv=v1", Representation()),
        ("application/json;foo=bar", Representation()),
        ("application/json;as=;v=;g=", Representation()),
        ("application/json;as=Table=x", Representation()),
        (AS_TABLE, TABLE_V1),
        (f"{AS_TABLE},application/json", TABLE_V1),
        (f"application/json;as=Nonsense;v=v1;g=meta.k8s.io,{AS_TABLE}", TABLE_V1),
        ("*/*;as=Table;v=v1;g=meta.k8s.io", TABLE_V1),
        (f"{AS_TABLE};q=0.1,application/json;q=0.2", Representation()),
    ],
)
def test_a_header_gets_the_representation_that_kubernetes_gives_it(
    header: str, expected: Representation
) -> None:
    assert negotiate(header) == expected


@pytest.mark.parametrize(
    "header",
    [
        "text/html",
        "Application/JSON",
        "application/json;as=Table",
        "application/json;v=v1",
        "application/json;as=Table;v=v9;g=meta.k8s.io",
        "application/json;as=Table;v=v1;g=",
        'application/json;as="Table";v=v1;g=meta.k8s.io',
        "application/json;sv=v2",
        "application/json;stream=x",
        "application/yaml;stream=watch",
    ],
)
def test_a_header_that_nothing_fits_is_refused_with_what_could_be_had(header: str) -> None:
    assert refusal(header) == ONLY + "application/vnd.kubernetes.protobuf"


def test_a_wildcard_yields_to_a_definite_type_of_lower_quality() -> None:
    assert negotiate("*/*,application/yaml;q=0.1") == Representation(YAML)


def test_a_path_without_tables_falls_back_to_the_next_clause() -> None:
    assert negotiate(f"{AS_TABLE},application/json", METADATA) == Representation()
    assert negotiate(AS_TABLE, METADATA_OR_TABLE) == TABLE_V1


def test_a_server_version_is_known_only_where_objects_are_converted() -> None:
    with pytest.raises(ApiError):
        negotiate("application/json;sv=v1", NO_CONVERSION)


@pytest.mark.parametrize(
    "header", ["", "*/*", "*/*;q=0", "text/html,application/json;x=y", " application/yaml"]
)
def test_the_router_looks_at_bare_media_types(header: str) -> None:
    check_produced(header)


@pytest.mark.parametrize("header", ["*", "application/*", "text/html", ",", "application/json/x"])
def test_the_router_refuses_with_what_the_path_has(header: str) -> None:
    for produced in (OFFERED, LISTED):
        with pytest.raises(ApiError) as caught:
            check_produced(header, produced)
        assert caught.value.message.endswith(f"Available representations: {', '.join(produced)}")


def test_a_watch_cannot_be_sent_as_yaml() -> None:
    check_streamable(TABLE_V1)
    with pytest.raises(ApiError, match=r"application/json;stream=watch"):
        check_streamable(Representation(YAML))


@pytest.mark.parametrize(
    ("query", "agent", "pretty"),
    [
        ({}, "conformance/1", False),
        ({}, "curl/8.5", True),
        ({"pretty": "false"}, "curl/8.5", False),
        ({"pretty": "nonsense"}, "curl/8.5", False),
        ({"pretty": ""}, "Mozilla/5.0 (X11)", True),
        ({"pretty": "1"}, "conformance/1", True),
    ],
)
def test_what_people_look_at_is_indented(query: dict[str, str], agent: str, *, pretty: bool) -> None:
    assert prettified(Representation(), query, agent).pretty is pretty


qualities = st.integers(0, 10).map(lambda tenths: tenths / 10)
definite = st.tuples(st.sampled_from(["application/json", "application/yaml", "text/html"]), qualities)


@given(st.lists(definite, max_size=12))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_definite_types_are_taken_by_quality_and_among_equals_in_their_order(
    clauses: list[tuple[str, float]],
) -> None:
    header = ",".join(f"{media_type};q={quality}" for media_type, quality in clauses)
    found = [(f"{clause.kind}/{clause.subtype}", clause.quality) for clause in parse(header)]
    expected = sorted(clauses, key=lambda clause: -clause[1])
    assert [name for name, _ in found] == [name for name, _ in expected]
    assert all(math.isclose(mine[1], theirs[1]) for mine, theirs in zip(found, expected, strict=True))
