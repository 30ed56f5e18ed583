"""ReplicationController of core/v1: its default selector, validation and deletion."""

from fakeapi.machinery.errors import Qualified
from fakeapi.registry.model.deletion_policies import DeletionRequest, orphan_dependents
from fakeapi.registry.requests.options import DeleteOptions
from fakeapi.releases import load_release
from tests.kinds.workloads import TEMPLATE, Kind

NEGATIVE = "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
UNSELECTED = (
    'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'
)


def controllers(release: str = "1.36") -> Kind:
    return Kind(release, "v1", "replicationcontrollers", {"template": TEMPLATE})


def test_the_selector_is_that_of_the_template() -> None:
    assert controllers().refusals() == []
    assert controllers().created()["spec"]["selector"] == {"app": "a"}


def test_declared_rules_are_reported_last_from_1_37_on() -> None:
    changes = ("spec.replicas", -1), ("spec.selector", {"app": "z"})
    assert controllers("1.36").refusals(*changes) == [NEGATIVE, UNSELECTED]
    assert controllers("1.37").refusals(*changes) == [UNSELECTED, NEGATIVE]


def test_an_update_is_checked_twice_up_to_1_34() -> None:
    change = ("spec.replicas", -1)
    assert controllers("1.34").update_refusals(change) == [
        "metadata: object",
        NEGATIVE,
        "metadata: change",
        NEGATIVE,
    ]
    assert controllers("1.35").update_refusals(change) == ["metadata: change", NEGATIVE]


def deleted(options: DeleteOptions, *finalizers: str) -> list[str] | None:
    obj = {"metadata": {"name": "a", "uid": "u", "finalizers": list(finalizers)}}
    qualified, quirks = Qualified("", "replicationcontrollers"), load_release("1.36").quirks
    held = orphan_dependents(
        obj, DeletionRequest(options, "2030-01-01T00:00:00Z", qualified, qualified, quirks)
    )
    return None if held is None else held["metadata"]["finalizers"]


def test_pods_stay_unless_the_client_says_otherwise() -> None:
    assert deleted(DeleteOptions()) == ["orphan"]
    assert deleted(DeleteOptions(propagation="Background")) is None
    assert deleted(DeleteOptions(orphan=False)) is None
    assert deleted(DeleteOptions(), "foregroundDeletion") == ["foregroundDeletion"]
