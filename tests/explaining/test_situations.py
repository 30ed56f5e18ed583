"""The first line of each explanation is as expected."""

from collections.abc import Iterator
from functools import cache

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining.explanation import Explanation
from tests.explaining import claim_situations, device_situations, node_situations
from tests.explaining.situations import ALL_GATES, SITUATIONS, Situation

assert claim_situations
assert device_situations
assert node_situations

LINE_LENGTH = 120
"""Maximum number of characters of a first line, including the name of the object."""


@cache
def _server(release: str, controllers: str, *, gates: bool) -> FakeAPI:
    """Starts a server; all situations with the same settings share the server."""
    gated = ALL_GATES if gates else {}
    return FakeAPI(release=release, feature_gates=gated, controllers=controllers).start()


@pytest.fixture(scope="module", autouse=True)
def _servers() -> Iterator[None]:
    yield
    for each in SITUATIONS:
        _server(each.release, each.controllers, gates=each.gates).stop()
    _server.cache_clear()


def explained(situation: Situation) -> Explanation:
    """Builds the cluster of a situation, and explains its object."""
    api = _server(situation.release, situation.controllers, gates=situation.gates)
    api.reset()
    situation.build(api)
    api.settle()
    return api.explain(*situation.target)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.name)
def test_the_first_line_names_the_cause(situation: Situation) -> None:
    why = explained(situation)
    code = why.reasons[0].code if why.reasons else ""
    assert (code, why.summary) == (situation.code, situation.summary)
    assert len(why.headline) <= LINE_LENGTH


def test_there_are_at_least_60_situations() -> None:
    assert len({each.name for each in SITUATIONS}) == len(SITUATIONS) >= 60
