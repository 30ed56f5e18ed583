"""Requests for kinds other than ResourceClaim get the recorded responses, except for listed differences."""

import pytest

from tests.conformance import world
from tests.conformance.recordings import WORLD_RECORDINGS, Recording
from tests.conformance.servers import Servers

CASES = [(recording, scenario) for recording in WORLD_RECORDINGS for scenario in recording.scenarios]
AGAIN = "write the list again: make world fidelity"


@pytest.mark.parametrize(
    ("recording", "scenario"), CASES, ids=[f"{recording.name}-{scenario}" for recording, scenario in CASES]
)
def test_a_recorded_scenario_differs_in_what_is_listed_and_in_nothing_else(
    recording: Recording, scenario: str, servers: Servers
) -> None:
    server = servers.prepared(recording)
    differences = world.differences(server, recording.scenarios[scenario])
    known = world.listed()[recording.name].get(scenario, {})
    in_full, in_words = set(known.get(world.ANSWER, ())), set(known.get(world.WORDS, ()))
    unexpected = {
        number: lines
        for number, lines in differences.items()
        if number not in in_full and not (number in in_words and all(line.is_wording for line in lines))
    }
    assert not unexpected
    assert in_full | in_words <= differences.keys(), f"what is listed agrees by now; {AGAIN}"


def test_what_is_listed_was_recorded() -> None:
    recorded = {recording.name: recording.scenarios for recording in WORLD_RECORDINGS}
    for name, scenarios in world.listed().items():
        for scenario, found in scenarios.items():
            numbers = [number for each in found.values() for number in each]
            assert max(numbers) <= len(recorded[name][scenario])
