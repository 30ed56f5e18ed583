"""The server responds to errors with the Status objects of Kubernetes."""

import json

import pytest

from fakeapi.http.status import body_of, status_of
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Cause, Details, Qualified
from fakeapi.machinery.field_errors import invalid, required

CLAIMS, CLAIM = Qualified("resource.k8s.io", "resourceclaims"), Qualified("resource.k8s.io", "ResourceClaim")
COMMON = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.bad_request("why"), {"message": "why", "reason": "BadRequest", "code": 400}),
        (
            errors.not_found(CLAIMS, "a"),
            {
                "message": 'resourceclaims.resource.k8s.io "a" not found',
                "reason": "NotFound",
                "details": {"name": "a", "group": "resource.k8s.io", "kind": "resourceclaims"},
                "code": 404,
            },
        ),
        (ApiError(500, "", "untyped"), {"message": "untyped", "code": 500}),
        (
            ApiError(405, "MethodNotAllowed", "no", Details()),
            {"message": "no", "reason": "MethodNotAllowed", "details": {}, "code": 405},
        ),
        (
            ApiError(504, "Timeout", "later", Details(causes=(Cause("R", "m"),), retry_after_seconds=1)),
            {
                "message": "later",
                "reason": "Timeout",
                "details": {"causes": [{"reason": "R", "message": "m"}], "retryAfterSeconds": 1},
                "code": 504,
            },
        ),
        (
            errors.invalid(CLAIM, "a", [required("spec", "needed")]),
            {
                "message": 'ResourceClaim.resource.k8s.io "a" is invalid: spec: Required value: needed',
                "reason": "Invalid",
                "details": {
                    "name": "a",
                    "group": "resource.k8s.io",
                    "kind": "ResourceClaim",
                    "causes": [
                        {"reason": "FieldValueRequired", "message": "Required value: needed", "field": "spec"}
                    ],
                },
                "code": 422,
            },
        ),
    ],
)
def test_a_status_has_what_the_error_has_and_nothing_empty(
    error: ApiError, expected: dict[str, object]
) -> None:
    assert status_of(error) == {**COMMON, **expected}
    assert json.loads(body_of(error)) == status_of(error)


def test_a_continue_token_of_an_error_goes_into_the_metadata() -> None:
    status = status_of(ApiError(410, "Expired", "too old", Details(continue_token="t")))
    assert status["metadata"] == {"continue": "t"}
    assert "details" not in status


def test_several_errors_are_one_message_and_a_cause_each() -> None:
    found = [invalid("a", 1, "bad"), required("b"), required("b")]
    status = status_of(errors.invalid(CLAIM, "x", found))
    assert status["message"].endswith("is invalid: [a: Invalid value: 1: bad, b: Required value]")
    assert [cause["field"] for cause in status["details"]["causes"]] == ["a", "b", "b"]


def test_names_are_quoted_as_go_quotes_them() -> None:
    assert (
        errors.not_found(CLAIMS, 'a"\n\0').message == r'resourceclaims.resource.k8s.io "a\"\n\x00" not found'
    )
