"""PodSchedulingContext of v1alpha2 and v1alpha3: validation and status."""

from typing import Any

import pytest

from fakeapi.kinds.resource.scheduling_context import (
    PodSchedulingContextStatusStrategy,
    PodSchedulingContextStrategy,
)
from tests.kinds.resource.builders import RULES, Triple, places, triples


def main(release: str = "1.31", *, duplicates_only: bool = False) -> PodSchedulingContextStrategy:
    return PodSchedulingContextStrategy(RULES[release], duplicates_only=duplicates_only)


def status(release: str = "1.31") -> PodSchedulingContextStatusStrategy:
    return PodSchedulingContextStatusStrategy(RULES[release], duplicates_only=release != "1.31")


def context(
    spec: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **metadata: Any
) -> dict[str, Any]:
    return {"metadata": {"name": "pod-1", **metadata}, "spec": spec or {}, "status": status or {}}


def claims(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"resourceClaims": list(claims)}


def test_a_new_context_has_no_status() -> None:
    assert main().prepare_create(context({}, claims({"name": "a"}))) == context()


def test_writes_to_a_context_keep_its_status_and_writes_to_the_status_keep_its_spec() -> None:
    old = context({"selectedNode": "n1"}, claims({"name": "a"}), labels={"a": "1"})
    new = context({"selectedNode": "n2"}, claims({"name": "b"}), labels={"a": "2"})
    assert main().prepare_update({**new}, old) == {**new, "status": old["status"]}
    assert status().prepare_update({**new}, old) == {**new, "metadata": old["metadata"], "spec": old["spec"]}


@pytest.mark.parametrize(("release", "label"), [("1.29", "2"), ("1.30", "1"), ("1.31", "1")])
def test_labels_come_through_status_up_to_1_29(release: str, label: str) -> None:
    new, old = context(labels={"a": "2"}), context(labels={"a": "1"})
    assert status(release).prepare_update(new, old)["metadata"]["labels"] == {"a": label}


def test_the_selected_node_may_be_anything() -> None:
    assert main().validate_create(context({"selectedNode": "Bad Node"})) == []


@pytest.mark.parametrize(
    ("duplicates_only", "expected"),
    [
        (True, [("spec.potentialNodes[1]", "Duplicate", 'Duplicate value: "a"')]),
        (False, [("spec.potentialNodes[1]", "Duplicate", 'Duplicate value: "a"')]),
    ],
)
def test_potential_nodes_are_a_set(*, duplicates_only: bool, expected: list[Triple]) -> None:
    strategy = main(duplicates_only=duplicates_only)
    assert triples(strategy.validate_create(context({"potentialNodes": ["a", "a", "b"]}))) == expected


def test_of_a_bad_node_that_stands_twice_v1alpha2_says_less() -> None:
    spec = {"potentialNodes": ["Bad_", "Bad_"]}
    path = "spec.potentialNodes"
    assert places(main().validate_create(context(spec))) == [f"{path}[0]", f"{path}[1]", f"{path}[1]"]
    strict = main("1.30", duplicates_only=True)
    assert places(strict.validate_create(context(spec))) == [f"{path}[0]", f"{path}[1]"]


def test_there_are_at_most_128_nodes() -> None:
    spec = {"potentialNodes": [f"node-{number}" for number in range(129)]}
    found = [("spec.potentialNodes", "TooLong", "Too long: may not be longer than 128")]
    assert triples(main("1.27", duplicates_only=True).validate_create(context(spec))) == found
    assert triples(main("1.31").validate_create(context(spec))) == found


def test_what_is_wrong_with_the_spec_of_an_update_is_said_twice() -> None:
    spec = {"potentialNodes": ["Bad_"]}
    assert places(main().validate_update(context(spec), context())) == ["spec.potentialNodes[0]"] * 2


def test_claims_of_a_status_differ_in_name_and_have_sets_of_nodes() -> None:
    new = claims({"name": "a", "unsuitableNodes": ["n", "n"]}, {"name": "a"}, {}, {"name": ""})
    assert triples(status().validate_update(context({}, new), context())) == [
        ("status.claims[0].unsuitableNodes[1]", "Duplicate", 'Duplicate value: "n"'),
        ("status.claims[1]", "Duplicate", 'Duplicate value: "a"'),
        ("status.claims[3]", "Duplicate", 'Duplicate value: ""'),
    ]
