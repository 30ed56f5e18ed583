"""APIService: validation, and the condition Available of new objects."""

from typing import Any

import pytest

from tests.kinds.judging import NOW, Body, created, refusals, refused_change, resource_of

SERVICES = resource_of("1.33", "apiregistration.k8s.io", "v1", "apiservices")
SERVICE = {"name": "s", "namespace": "n"}


def service(**spec: Any) -> Body:
    fields = {"group": "g.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10}
    return {"metadata": {"name": "v1.g.example.com"}, "spec": {**fields, **spec}}


@pytest.mark.parametrize(
    "body", [service(), service(service=SERVICE), service(service=SERVICE, caBundle="YQ==")]
)
def test_a_good_service_has_no_errors(body: Body) -> None:
    assert refusals(SERVICES, body) == []


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (
            {**service(), "metadata": {"name": "other"}},
            "metadata.name",
            'Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.g.example.com"',
        ),
        (
            service(groupPriorityMinimum=0),
            "spec.groupPriorityMinimum",
            "0: must be positive and less than 20000",
        ),
        (service(versionPriority=1001), "spec.versionPriority", "1001: must be positive and less than 1000"),
        (service(caBundle="YWJj"), "spec.caBundle", '"3 bytes": local APIServices may not have a caBundle'),
        (service(service={"name": "s"}), "spec.service.namespace", "Required value"),
        (
            service(service={**SERVICE, "port": 70000}),
            "spec.service.port",
            "port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            service(service=SERVICE, caBundle="YQ==", insecureSkipTLSVerify=True),
            "spec.insecureSkipTLSVerify",
            "true: may not be true if caBundle is present",
        ),
    ],
)
def test_what_is_wrong_with_a_service_is_said(body: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(SERVICES, body)
    assert field == place
    assert text in message


def test_a_local_service_is_available_and_another_one_is_not_yet() -> None:
    [condition] = created(SERVICES, service())["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Available", "True", "Local")
    assert condition["lastTransitionTime"] == NOW
    assert created(SERVICES, service(service=SERVICE))["status"] == {}


def test_the_status_of_a_condition_is_a_known_one() -> None:
    condition = {"type": "Available", "status": "Odd"}
    changed = {**service(), "status": {"conditions": [condition]}}
    [(field, text)] = refused_change(SERVICES, service(), changed, "status")
    assert field == "status.conditions[0].status"
    assert text == 'Unsupported value: "Odd": supported values: "True", "False", "Unknown"'
