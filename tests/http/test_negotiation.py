"""The Accept header selects the media type of the response; 406 if the server supports no accepted type."""

import pytest

from fakeapi.http.negotiation import JSON, NO_CONVERSION, check_produced, negotiate, prettified
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.requests.decoding import PROTOBUF, YAML

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@pytest.mark.parametrize(
    ("header", "media_type"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("application/json", JSON),
        ("application/yaml", YAML),
        ("application/json;q=0.1, application/yaml", YAML),
        ("application/yaml;q=0.1, application/json;q=0.2", JSON),
        ("text/html, */*;q=0.1", JSON),
        ("application/vnd.kubernetes.protobuf, application/json", PROTOBUF),
        (",".join(f"application/yaml;q=0.{number:02}" for number in range(20)) + ",application/json", JSON),
    ],
)
def test_the_preferred_type_that_is_served_is_chosen(header: str, media_type: str) -> None:
    assert negotiate(header).media_type == media_type


@pytest.mark.parametrize("header", ["text/html", "image/*", "application", ";", "application/json;stream=x"])
def test_where_nothing_fits_the_answer_is_406(header: str) -> None:
    with pytest.raises(ApiError) as refused:
        negotiate(header)
    assert (refused.value.code, refused.value.reason) == (406, "NotAcceptable")


def test_a_conversion_is_chosen_where_it_can_be_had_and_passed_over_where_not() -> None:
    choice = negotiate(TABLE)
    assert (choice.kind, choice.api_version) == ("Table", "meta.k8s.io/v1")
    assert negotiate(f"{TABLE},application/json", NO_CONVERSION).kind == ""
    with pytest.raises(ApiError):
        negotiate(TABLE, NO_CONVERSION)
    with pytest.raises(ApiError):
        negotiate(TABLE.replace("v1", "v9"))


def test_the_router_looks_at_bare_types_and_knows_no_half_wildcards() -> None:
    check_produced("application/json;q=0.1")
    check_produced("text/html, */*")
    for header in ("text/html", "application/*"):
        with pytest.raises(ApiError) as refused:
            check_produced(header)
        assert refused.value.message.startswith("406: Not Acceptable")


@pytest.mark.parametrize(
    ("query", "agent", "pretty"),
    [
        ({}, "curl/8", True),
        ({}, "Mozilla/5.0 (X11)", True),
        ({}, "kubectl/1.31", False),
        ({"pretty": "1"}, "kubectl", True),
        ({"pretty": "true"}, "kubectl", True),
        ({"pretty": "yes"}, "curl/8", False),
        ({"pretty": "0"}, "curl/8", False),
        ({"pretty": ""}, "curl/8", True),
    ],
)
def test_json_is_indented_where_asked_for_or_for_people(
    query: dict[str, str],
    agent: str,
    pretty: bool,  # noqa: FBT001 - a column
) -> None:
    assert prettified(negotiate(""), query, agent).pretty is pretty
