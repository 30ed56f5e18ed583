"""The server gives the recorded response to every request, except for the differences listed in `known`."""

import pytest

from tests.conformance import known, page
from tests.conformance.recordings import RECORDINGS, Recording
from tests.conformance.replaying import differences
from tests.conformance.servers import Servers

CASES = [(recording, scenario) for recording in RECORDINGS for scenario in recording.scenarios]


@pytest.mark.parametrize(
    ("recording", "scenario"), CASES, ids=[f"{recording.name}-{scenario}" for recording, scenario in CASES]
)
def test_a_recorded_scenario_is_answered_as_recorded(
    recording: Recording, scenario: str, servers: Servers
) -> None:
    server = servers.prepared(recording)
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
