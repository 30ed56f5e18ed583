"""Sends the requests of a recorded scenario to a server and compares the responses with the recording."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.conformance import projections
from tests.conformance.differences import Comparison, Difference
from tests.conformance.player import Player

Compare = Callable[[int, Any, Any], None]
"""A function that gets the index of an exchange, its recorded response and the server's response."""


def differences(
    server: FakeAPI, exchanges: list[dict[str, Any]], scenario: str
) -> dict[int, list[Difference]]:
    """Plays a recorded scenario on a server.

    Returns the differences by the number of the request in the scenario, from 1.
    """
    return played(Player(server.port), exchanges, scenario)


def played(player: Player, exchanges: list[dict[str, Any]], scenario: str) -> dict[int, list[Difference]]:
    """Plays a recorded scenario with `player` and closes the player.

    Returns the differences by the number of the request in the scenario, from 1.
    """
    comparison = Comparison(player.identities, generated_names(exchanges))
    if scenario in projections.PROJECTIONS:
        return compared(player, comparison, partial(projections.play, player, exchanges, scenario))
    return compared(player, comparison, partial(player.play, exchanges))


def compared(
    player: Player, comparison: Comparison, play: Callable[[Compare], None]
) -> dict[int, list[Difference]]:
    """Calls `play` with a function that compares a response with its recording; then closes the player.

    Returns the differences by the number of the request in the scenario, from 1.
    """
    differences: dict[int, list[Difference]] = {}

    def compare(number: int, recorded: Any, actual: Any) -> None:
        if lines := comparison.answer(recorded, actual):
            differences[number + 1] = lines

    try:
        play(compare)
    finally:
        player.close()
    return differences


def generated_names(exchanges: list[dict[str, Any]]) -> list[str]:
    prefixes = set()
    for exchange in exchanges:
        body = exchange.get("body")
        meta = body.get("metadata") if isinstance(body, dict) else None
        if isinstance(meta, dict) and meta.get("generateName"):
            prefixes.add(meta["generateName"][:58])
    return sorted(prefixes)
