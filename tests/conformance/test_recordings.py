"""Every recorded exchange gets the response of Kubernetes' own server, except those listed in `known`."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.conformance import known, page, projections
from tests.conformance.differences import Comparison, Difference
from tests.conformance.player import Player
from tests.conformance.recordings import RECORDINGS, Recording

CASES = [(recording, scenario) for recording in RECORDINGS for scenario in recording.scenarios]


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, FakeAPI]]:
    """Keeps the running servers by recording; tests start them on first use."""
    running: dict[str, FakeAPI] = {}
    yield running
    for server in running.values():
        server.stop()


def server_for(recording: Recording, servers: dict[str, FakeAPI]) -> FakeAPI:
    if recording.name not in servers:
        servers[recording.name] = FakeAPI(release=recording.release, feature_gates=recording.gates).start()
    server = servers[recording.name]
    server.reset()
    server.create_namespace("conformance")
    return server


def differences(
    server: FakeAPI, exchanges: list[dict[str, Any]], scenario: str
) -> dict[int, list[Difference]]:
    """Plays a scenario; returns the differences by the number of the exchange, counted from one."""
    return played(Player(server.port), exchanges, scenario)


def played(player: Player, exchanges: list[dict[str, Any]], scenario: str) -> dict[int, list[Difference]]:
    """Plays a scenario and closes the player; returns the differences by the number of the exchange."""
    comparison = Comparison(player.identities, generated_names(exchanges))
    differences: dict[int, list[Difference]] = {}

    def compare(number: int, recorded: Any, actual: Any) -> None:
        lines = comparison.answer(recorded, actual)
        if lines:
            differences[number + 1] = lines

    try:
        if scenario in projections.PROJECTIONS:
            projections.play(player, exchanges, scenario, compare)
        else:
            player.play(exchanges, compare)
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


@pytest.mark.parametrize(
    ("recording", "scenario"), CASES, ids=[f"{recording.name}-{scenario}" for recording, scenario in CASES]
)
def test_a_recorded_scenario_is_answered_as_recorded(
    recording: Recording, scenario: str, servers: dict[str, FakeAPI]
) -> None:
    server = server_for(recording, servers)
    differences_by_number = differences(server, recording.scenarios[scenario], scenario)
    entries = known.of(recording.name, scenario)
    in_full = {number for entry in entries if not entry.wording_only for number in entry.exchanges}
    in_words = {number for entry in entries if entry.wording_only for number in entry.exchanges}
    certain = {number for entry in entries if not entry.sometimes for number in entry.exchanges}
    unexpected = {
        number: lines
        for number, lines in differences_by_number.items()
        if number not in in_full and not (number in in_words and all(line.is_wording for line in lines))
    }
    assert not unexpected
    assert certain <= differences_by_number.keys(), "what is known to differ agrees by now"


def test_the_page_about_fidelity_says_what_the_suite_knows() -> None:
    assert page.render() == page.PAGE.read_text(), "run `make fidelity`"


def test_each_known_difference_is_of_a_recorded_scenario() -> None:
    for entry in known.KNOWN:
        matching = [
            exchanges
            for recording in RECORDINGS
            for scenario, exchanges in recording.scenarios.items()
            if entry in known.of(recording.name, scenario)
        ]
        assert matching, entry
        assert all(max(entry.exchanges) <= len(exchanges) for exchanges in matching), entry
