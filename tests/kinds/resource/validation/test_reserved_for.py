"""Validation of the field `status.reservedFor` of claims."""

from fakeapi.kinds.resource.validation.reserved_for import (
    reserved_without_allocation,
    validate_consumer,
    validate_no_new_consumers,
)
from tests.kinds.resource.builders import consumer, triples

WHILE_GOING = (
    "Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
)


def test_a_consumer_is_named_in_full() -> None:
    assert validate_consumer(consumer(1), "r[0]") == []
    assert triples(validate_consumer({"resource": "", "name": "", "uid": ""}, "r[0]")) == [
        ("r[0].resource", "Required", "Required value"),
        ("r[0].name", "Required", "Required value"),
        ("r[0].uid", "Required", "Required value"),
    ]


def test_the_names_of_a_consumer_are_free() -> None:
    assert validate_consumer(consumer(1, name="BAD NAME", apiGroup="bad group!"), "r[0]") == []


def test_only_an_allocated_claim_is_reserved() -> None:
    assert triples([reserved_without_allocation("r")]) == [
        ("r", "Forbidden", "Forbidden: may not be specified when `allocated` is not set")
    ]


def test_consumers_may_go_while_the_claim_goes() -> None:
    old = [consumer(1), consumer(2)]
    assert validate_no_new_consumers([], old, "r") == []
    assert validate_no_new_consumers([consumer(2)], old, "r") == []


def test_a_consumer_that_differs_in_anything_is_a_new_one() -> None:
    old = [consumer(1)]
    for new in (consumer(2), consumer(1, name="renamed"), consumer(1, apiGroup="example.com")):
        assert triples(validate_no_new_consumers([new], old, "r")) == [("r", "Forbidden", WHILE_GOING)]
