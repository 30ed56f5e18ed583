"""managedFields are converted between an object and its scale subresource."""

from typing import Any

from fakeapi.machinery.apply.scale_fields import to_object, to_scale

PATHS = {"apps/v1": ("f:spec", "f:replicas")}
SCALE = "autoscaling/v1"
REPLICAS: dict[str, Any] = {"f:spec": {"f:replicas": {}}}


def entry(manager: str, operation: str, version: str, fields: Any, **more: str) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": version,
        **({"time": more["time"]} if "time" in more else {}),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **({"subresource": more["subresource"]} if "subresource" in more else {}),
    }


def test_a_scale_has_the_managers_of_the_replicas() -> None:
    both: dict[str, Any] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    entries = [
        entry("one", "Apply", "apps/v1", both, time="2030-01-01T00:00:00Z"),
        entry("two", "Apply", "apps/v1", {"f:spec": {"f:paused": {}}}),
        entry("old", "Update", "apps/v1beta9", REPLICAS),
    ]
    assert to_scale(entries, PATHS, SCALE) == [
        entry("one", "Apply", SCALE, REPLICAS, time="2030-01-01T00:00:00Z")
    ]


def test_who_scales_takes_the_replicas_over_without_a_time() -> None:
    both: dict[str, Any] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    entries = [entry("maker", "Update", "apps/v1", both, time="2030-01-01T00:00:00Z")]
    scaled = [entry("scaler", "Update", SCALE, REPLICAS, time="2031-01-01T00:00:00Z", subresource="scale")]
    assert to_object(entries, scaled, PATHS, "apps/v1") == [
        entry("scaler", "Update", "apps/v1", REPLICAS, subresource="scale"),
        entry("maker", "Update", "apps/v1", {"f:spec": {"f:paused": {}}}, time="2030-01-01T00:00:00Z"),
    ]


def test_an_applier_keeps_its_entry_and_its_time() -> None:
    entries = [entry("hpa", "Apply", "apps/v1", REPLICAS, time="2030-01-01T00:00:00Z", subresource="scale")]
    scaled = [entry("hpa", "Apply", SCALE, REPLICAS, time="2031-01-01T00:00:00Z", subresource="scale")]
    assert to_object(entries, scaled, PATHS, "apps/v1") == entries


def test_a_manager_with_nothing_left_goes() -> None:
    entries = [entry("maker", "Update", "apps/v1", REPLICAS)]
    scaled = [entry("hpa", "Apply", SCALE, REPLICAS, subresource="scale")]
    assert to_object(entries, scaled, PATHS, "apps/v1") == [
        entry("hpa", "Apply", "apps/v1", REPLICAS, subresource="scale")
    ]
