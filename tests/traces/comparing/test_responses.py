"""A replay compares two responses by status code, headers and body."""

from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.comparing.differences import Difference, DifferenceKind
from fakeapi.traces.comparing.responses import compare_answers
from fakeapi.traces.comparing.values import CompareOptions
from tests.traces.comparing.answers import JSON, claim, compared, response


def test_another_status_is_the_only_difference_that_is_told() -> None:
    failure = {"kind": "Status", "reason": "Conflict", "message": "modified"}
    differences = compare_answers(response(claim()), response(failure, 409), IdentityMap(), CompareOptions())
    assert differences == [Difference(DifferenceKind.STATUS_CODE, "", "200", '409 Conflict "modified"')]


def test_reasons_and_messages_of_refusals_are_compared() -> None:
    recorded = {"kind": "Status", "reason": "Conflict", "message": "a", "details": {"name": "x"}}
    now = {"kind": "Status", "reason": "Invalid", "message": "b", "details": {"name": "x"}}
    differences = compare_answers(
        response(recorded, 409), response(now, 409), IdentityMap(), CompareOptions()
    )
    assert [each.kind for each in differences] == ["reason", "message"]


def test_bodies_that_are_no_json_are_compared_as_they_are() -> None:
    assert compared(b"ok", b"ok") == []
    assert [each.kind for each in compared(b"ok", b"no")] == ["body"]
    assert [each.kind for each in compared(b"{}", b"no")] == ["body"]


def test_warnings_count_where_headers_were_recorded() -> None:
    headers = (*JSON, ("warning", '299 - "old"'))
    differences = compare_answers(
        response({}, headers=headers), response({}), IdentityMap(), CompareOptions()
    )
    assert [each.kind for each in differences] == ["warning"]
    assert compare_answers(response({}), response({}, headers=headers), IdentityMap(), CompareOptions()) == []


def test_the_content_type_counts_when_strict() -> None:
    yaml = response({}, headers=(("content-type", "application/yaml"),))
    assert compare_answers(response({}), yaml, IdentityMap(), CompareOptions()) == []
    assert compare_answers(response({}), yaml, IdentityMap(), CompareOptions(strict=True))
