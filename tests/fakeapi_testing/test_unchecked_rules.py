"""A test learns from a Python warning that the server stored CEL expressions without checking them."""

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI, UncheckedRuleWarning
from fakeapi.testing import unchecked_rules

NEEDS_CEL = "it needs the extra cel, pip install 'fakeapi-k8s[cel]'"
RULES = f"fakeapi does not check x-kubernetes-validations: {NEEDS_CEL}"


@pytest.fixture(autouse=True)
def without_cel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pretends that the extra is not installed, and that the process has not warned yet."""
    monkeypatch.setattr("fakeapi.machinery.cel.library.is_installed", lambda: False)
    monkeypatch.setattr(unchecked_rules, "_warned", set())
    with warnings.catch_warnings():
        warnings.simplefilter("always", UncheckedRuleWarning)
        yield


def definition(kind: str = "Widget") -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    schema: dict[str, Any] = {"type": "object", "x-kubernetes-validations": [{"rule": "self.spec.size < 10"}]}
    schema["properties"] = {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [version],
        },
    }


def device_class(name: str = "gpu") -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]},
    }


def test_create_warns_about_rules_of_a_definition_that_are_not_checked(fakeapi: FakeAPI) -> None:
    with pytest.warns(UncheckedRuleWarning) as caught:
        fakeapi.create(definition())
    assert [str(one.message) for one in caught] == [f"create customresourcedefinitions: {RULES}"]
    assert caught[0].filename == __file__, "the warning names the line of the test"


def test_apply_warns_about_a_selector_that_is_not_checked(fakeapi: FakeAPI) -> None:
    with pytest.warns(UncheckedRuleWarning, match="fakeapi did not check a CEL expression"):
        fakeapi.apply(device_class())


def test_install_warns_at_the_line_of_the_test(fakeapi: FakeAPI) -> None:
    with pytest.warns(UncheckedRuleWarning) as caught:
        fakeapi.install(device_class())
    assert str(caught[0].message) == f"install: fakeapi did not check a CEL expression: {NEEDS_CEL}"
    assert caught[0].filename == __file__


def test_the_option_install_warns_when_the_server_starts() -> None:
    with (
        pytest.warns(UncheckedRuleWarning, match="install: fakeapi does not check"),
        FakeAPI(install=definition()),
    ):
        pass


def test_one_text_is_one_warning_for_several_objects(fakeapi: FakeAPI) -> None:
    with warnings.catch_warnings(record=True, category=UncheckedRuleWarning, action="always") as caught:
        for obj in (device_class("a"), device_class("b"), definition()):
            fakeapi.create(obj)
    assert len(caught) == 2, "one text for selectors, and one for x-kubernetes-validations"


def test_a_filter_that_makes_warnings_errors_refuses_each_write(fakeapi: FakeAPI) -> None:
    warnings.simplefilter("error", UncheckedRuleWarning)
    for name in "ab":
        with pytest.raises(UncheckedRuleWarning, match="fakeapi did not check"):
            fakeapi.create(device_class(name))
    server = FakeAPI(install=definition())
    with pytest.raises(UncheckedRuleWarning, match="x-kubernetes-validations"):
        server.start()
    assert not server.running


def test_after_a_hundred_texts_the_process_warns_again() -> None:
    headers = [f'299 - "fakeapi did not check {number}"' for number in range(unchecked_rules._WARNED_MAX + 1)]
    with pytest.warns(UncheckedRuleWarning) as caught:
        unchecked_rules.warn_of_headers([*headers, headers[0]], "create")
    assert len(caught) == len(headers) + 1


def test_other_warnings_of_the_server_are_not_python_warnings(fakeapi: FakeAPI) -> None:
    assert (
        unchecked_rules.texts_of(['299 - "unknown field \\"spec.a\\""', '299 - "v1beta1 is deprecated"'])
        == []
    )
