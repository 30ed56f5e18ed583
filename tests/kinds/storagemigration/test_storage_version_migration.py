"""StorageVersionMigration: validation and status."""

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import NOW, Body, Found, created, refusals, refused_change, resource_of

STARTED = {"type": "Running", "status": "True", "reason": "R", "message": "m", "lastTransitionTime": NOW}


def migrations(release: str = "1.36", version: str = "v1beta1") -> Resource:
    return resource_of(release, "storagemigration.k8s.io", version, "storageversionmigrations")


def migration(**resource: str) -> Body:
    return {"spec": {"resource": resource}}


def reported(resource: Resource, old: Body, new: Body) -> Found:
    """Updates a migration's status from `old` to `new`; returns the validation errors as (field, message)."""
    obj = created(resource, migration(group="g", resource="widgets", version="v1"))
    errors = resource.strategy_for("status").validate_update({**obj, "status": new}, {**obj, "status": old})
    return [(error.field, error.body) for error in errors]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (migration(group="example.com", resource="widgets"), []),
        (migration(), ["spec.resource.resource"]),
        (migration(group="Bad_Group", resource="Widgets"), ["spec.resource.resource", "spec.resource.group"]),
    ],
)
def test_a_migration_is_of_a_resource(body: Body, fields: list[str]) -> None:
    assert [field for field, _ in refusals(migrations(), body)] == fields


def test_a_migration_of_v1alpha1_names_a_version_too() -> None:
    resource = migrations("1.33", "v1alpha1")
    assert refusals(resource, migration(group="g")) == [
        ("spec.resource.resource", "Required value: resource is required"),
        ("spec.resource.version", "Required value: version is required"),
    ]
    old, new = (migration(resource="a", version=version) for version in ("v1", "v2"))
    assert refused_change(resource, old, new) == [("version", 'Invalid value: "v2": field is immutable')]


def test_what_is_migrated_stays() -> None:
    ((field, text),) = refused_change(migrations(), migration(resource="a"), migration(resource="b"))
    assert field == "spec"
    assert text.endswith(": field is immutable")


def test_a_migration_that_has_ended_does_not_run_until_1_35() -> None:
    done = {**STARTED, "type": "Succeeded"}
    status = {"resourceVersion": "5", "conditions": [STARTED, done]}
    assert reported(migrations(), {}, status) == []
    ((field, text),) = reported(migrations("1.35"), {}, status)
    assert field == "status.conditions"
    assert text.endswith("Running condition cannot be true when success condition is true")


def test_a_migration_succeeds_or_fails_for_good() -> None:
    done, failed = ({**STARTED, "type": kind} for kind in ("Succeeded", "Failed"))
    both = {"conditions": [done, failed]}
    ((_, text),) = reported(migrations(), {}, both)
    assert text.endswith("Both success and failed conditions cannot be true at the same time")
    ((_, text),) = reported(migrations(), {"conditions": [done]}, {})
    assert text.endswith("Success condition cannot be set to false once it is true")


def test_the_version_of_a_migration_is_a_number_and_stays() -> None:
    assert reported(migrations(), {"resourceVersion": "5"}, {"resourceVersion": "06"}) == [
        ("status.resourceVersion", 'Invalid value: "06": resource version is not well formed: 06'),
        ("status.resourceVersion", 'Invalid value: "06": field is immutable'),
    ]
