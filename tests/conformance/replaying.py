"""Sends a recorded scenario to a server and compares the responses with the recording."""

from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.conformance import projections
from tests.conformance.differences import Comparison, Difference
from tests.conformance.player import Player


def differences(
    server: FakeAPI, exchanges: list[dict[str, Any]], scenario: str
) -> dict[int, list[Difference]]:
    """Plays a scenario on a server; returns its differences by number of the exchange, counted from one."""
    return played(Player(server.port), exchanges, scenario)


def played(player: Player, exchanges: list[dict[str, Any]], scenario: str) -> dict[int, list[Difference]]:
    """Plays a scenario with `player` and closes the player.

    Returns the differences by the number of the exchange, counted from one.
    """
    comparison = Comparison(player.identities, generated_names(exchanges))
    found: dict[int, list[Difference]] = {}

    def compare(number: int, recorded: Any, actual: Any) -> None:
        lines = comparison.answer(recorded, actual)
        if lines:
            found[number + 1] = lines

    try:
        if scenario in projections.PROJECTIONS:
            projections.play(player, exchanges, scenario, compare)
        else:
            player.play(exchanges, compare)
    finally:
        player.close()
    return found


def generated_names(exchanges: list[dict[str, Any]]) -> list[str]:
    prefixes = set()
    for exchange in exchanges:
        body = exchange.get("body")
        meta = body.get("metadata") if isinstance(body, dict) else None
        if isinstance(meta, dict) and meta.get("generateName"):
            prefixes.add(meta["generateName"][:58])
    return sorted(prefixes)
