"""Compares the reviews that both servers send to the webhooks of a story."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tests.conformance.differences import Difference
from tests.conformance.identities import Identities
from tests.differential.exchanges.comparing import OrderComparison
from tests.differential.exchanges.webhook_endpoint import Asked

MUTATING_PATH = "/m/"


def review_differences(
    recorded: Sequence[Asked], actual: Sequence[Asked], identities: Identities
) -> list[Difference]:
    """Returns the differences between the reviews of two servers.

    - `recorded`, `actual`: the reviews of kube-apiserver and of fakeapi, in the order of their arrival.
    - `identities`: maps identities of kube-apiserver to identities of fakeapi. Learns the identities in the
      reviews, because a denied create has no response with the object.
    """
    one, other = in_order(recorded), in_order(actual)
    names = [*map(_name, one)], [*map(_name, other)]
    if names[0] != names[1]:
        return [Difference(".reviews.names", *map(", ".join, names))]
    comparison = OrderComparison(identities, [])
    lines: list[Difference] = []
    for index, (left, right) in enumerate(zip(one, other, strict=True)):
        _learn(identities, left.review, right.review)
        found = comparison.answer({"review": left.review}, {"review": right.review})
        lines += [_placed(line, f".reviews[{index}]{left.target}") for line in found]
    return lines


def in_order(asked: Sequence[Asked]) -> list[Asked]:
    """Returns reviews with each run of validating reviews sorted by target.

    A server calls validating webhooks at the same time, so they arrive in any order.
    """
    sorted_reviews: list[Asked] = []
    for mutates, run in groupby(asked, lambda one: one.target.startswith(MUTATING_PATH)):
        reviews = list(run)
        sorted_reviews += reviews if mutates else sorted(reviews, key=lambda one: one.target)
    return sorted_reviews


def _name(asked: Asked) -> str:
    """Returns the target, the operation and the subresource of a review."""
    request = asked.review["request"]
    return " ".join([asked.target, request["operation"], request.get("subResource", "")]).strip()


def _learn(identities: Identities, recorded: Any, actual: Any) -> None:
    for name in ("object", "oldObject"):
        identities.learn(recorded["request"].get(name), actual["request"].get(name))


def _placed(line: Difference, place: str) -> Difference:
    moved = str.__new__(Difference, f"{place}{line}")
    moved.is_wording = line.is_wording
    return moved
