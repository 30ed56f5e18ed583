"""A new user's first uses of the Python API work, or raise an error that says what to do."""

from pathlib import Path

import pytest

import fakeapi as package
from fakeapi import FakeAPI, FakeAPIError, StatusError
from fakeapi.testing.objects import claim
from tests.installation import ROOT


def test_an_object_is_created_and_read(fakeapi: FakeAPI) -> None:
    fakeapi.create(claim("c"))
    assert fakeapi.get("ResourceClaim", "c")["metadata"]["name"] == "c"


def test_every_public_error_has_one_base() -> None:
    errors = [
        getattr(package, name) for name in package.__all__ if name.endswith(("Error", "Failed", "Unfired"))
    ]
    errors += [package.WaitTimeout, package.NotSettled]
    assert len(errors) >= 14
    assert all(issubclass(error, FakeAPIError) for error in errors)
    assert dir(package) == sorted(package.__all__)


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018 - the access raises


def test_a_status_error_prints_request_code_reason_and_message(fakeapi: FakeAPI) -> None:
    with pytest.raises(StatusError) as caught:
        fakeapi.create(claim("c"), namespace="missing")
    assert str(caught.value) == (
        'create resourceclaims missing was refused: 404 NotFound: namespaces "missing" not found'
    )
    assert (caught.value.request, caught.value.reason) == ("create resourceclaims missing", "NotFound")


def test_a_status_error_lists_causes_that_its_message_lacks() -> None:
    causes = [{"field": "spec.a", "message": "Required value"}, {"message": "in the message"}]
    status = {"reason": "Invalid", "message": "it is in the message", "details": {"causes": causes}}
    error = StatusError(422, status, request="create pods default/p")
    expected = (
        "create pods default/p was refused: 422 Invalid: it is in the message\n    spec.a: Required value"
    )
    assert str(error) == expected


def test_every_public_method_is_on_a_page() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("reference-*.md"))
    for name in package.__all__:
        if name != "__version__":
            assert f"## {name}\n" in pages, name
    for kind in (FakeAPI, package.Requests, package.Faults, package.Fault, package.Watch, package.Entry):
        for name in dir(kind):
            assert name[0] == "_" or f"### {name}\n" in pages, (kind, name)


def test_no_documentation_page_sleeps() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        assert "time.sleep(" not in Path(page).read_text(encoding="utf-8"), page
