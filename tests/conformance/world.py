"""Replays the recordings of kinds other than ResourceClaim, and lists the differences from fakeapi.

`python -m tests.conformance.world` (`make world`) replays all recordings and writes the list again.
docs/fidelity.md shows the list.
"""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.conformance.differences import Comparison, Difference
from tests.conformance.identities import Identities
from tests.conformance.player import Player
from tests.conformance.recordings import WORLD_RECORDINGS
from tests.conformance.replaying import compared, generated_names
from tests.conformance.servers import started_servers

LISTED = Path(__file__).with_name("world_differences.json")

ANSWER, WORDS = "answer", "words"
Found = dict[str, list[int]]
"""Lists the requests of a scenario whose responses differ from the recording, by number from 1.

The key WORDS has the requests for which only the text of messages differs. The key ANSWER has the others.
"""

_JWT = re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}")
_GO_VALUE = re.compile(
    r"(Invalid value: |Unsupported value: |Duplicate value: )"
    r"((?:\[\])?(?:[a-z0-9]+\.[A-Za-z]+|map\[string\][a-z]+)\{.*\}|\"\{.*\}\")(?=[:,\]]|$)",
    re.DOTALL,
)
_GO_DIFF = re.compile("\n[ \u00a0]{2}[&\\w.*]+\\{\n.*?\n[ \u00a0]{2}\\}\n", re.DOTALL)
_PORT_IN_TEXT = re.compile(r"(\d:)3[0-2]\d{3}(/[TUS])")
_NODE_PORTS = ("nodePort", "healthCheckNodePort")
_NODE_PORT_MIN = 30_000
_VALUE = "<value>"


class WorldIdentities(Identities):
    """Identities that also include cluster IPs of Services, and signed tokens."""

    def learn(self, recorded: Any, actual: Any) -> None:
        super().learn(recorded, actual)
        if not (isinstance(recorded, dict) and isinstance(actual, dict)):
            return
        for key in ("clusterIP", "token"):
            one, other = recorded.get(key), actual.get(key)
            if isinstance(one, str) and isinstance(other, str) and one not in ("", "None"):
                self.texts.setdefault(one, other)


class WorldComparison(Comparison):
    """A comparison that also ignores node ports, tokens, and Go values printed in error messages."""

    age = re.compile(r"(?:\d+[smhdy]){1,2}")

    def _settled(self, value: Any, version: Any, key: str = "", *, listed: bool = False) -> Any:
        if key in _NODE_PORTS and isinstance(value, int) and value >= _NODE_PORT_MIN:
            return "<node-port>"
        return super()._settled(value, version, key, listed=listed)

    def _text(self, text: str) -> str:
        text = _PORT_IN_TEXT.sub(r"\1<node-port>\2", _JWT.sub("<jwt>", super()._text(text)))
        return _GO_VALUE.sub(rf"\1{_VALUE}", _GO_DIFF.sub(f"\n{_VALUE}", text))

    def match(self, recorded: Any, actual: Any) -> bool:
        """Whether two texts are equal except for printed Go values, for which any text is accepted."""
        if not (isinstance(recorded, str) and isinstance(actual, str) and _VALUE in recorded):
            return False
        pattern = ".*".join(map(re.escape, recorded.split(_VALUE)))
        return re.fullmatch(pattern, actual.replace(_VALUE, "x"), re.DOTALL) is not None


def differences(server: FakeAPI, exchanges: list[dict[str, Any]]) -> dict[int, list[Difference]]:
    """Plays a recorded scenario on a server.

    Returns the differences by the number of the request in the scenario, from 1.
    """
    return played(Player(server.port), exchanges)


def played(
    player: Player, exchanges: list[dict[str, Any]], comparing: type[WorldComparison] = WorldComparison
) -> dict[int, list[Difference]]:
    """Sends the recorded requests of a scenario with `player`, then closes the player.

    Returns the differences from the recorded responses by request number; the first request is number 1.
    `comparing`: the class that compares two responses.
    """
    player.identities = WorldIdentities()
    comparison = comparing(player.identities, generated_names(exchanges))
    return compared(player, comparison, partial(player.play, exchanges))


def summary(found: dict[int, list[Difference]]) -> Found:
    """Lists the requests with differences by ANSWER and WORDS; leaves out a key without requests."""
    worded = [number for number, lines in found.items() if all(line.is_wording for line in lines)]
    named = {ANSWER: sorted(found.keys() - set(worded)), WORDS: sorted(worded)}
    return {part: numbers for part, numbers in named.items() if numbers}


def listed() -> dict[str, dict[str, Found]]:
    """Reads the list of known differences, by recording and scenario."""
    known: dict[str, dict[str, Found]] = json.loads(LISTED.read_text())
    return known


def main() -> None:
    """Replays all recordings and writes the list of known differences."""
    listing: dict[str, dict[str, Found]] = {}
    for recording in WORLD_RECORDINGS:
        with started_servers() as servers:
            by_scenario: dict[str, Found] = {}
            for scenario, exchanges in recording.scenarios.items():
                if numbers := summary(differences(servers.prepared(recording), exchanges)):
                    by_scenario[scenario] = numbers
            listing[recording.name] = by_scenario
    LISTED.write_text(_rendered(listing))


def _rendered(made: dict[str, dict[str, Found]]) -> str:
    """Renders the list of differences as JSON with one line for each scenario, which makes diffs short."""
    parts = []
    for name, scenarios in made.items():
        lines = [f"  {json.dumps(scenario)}: {json.dumps(entry)}" for scenario, entry in scenarios.items()]
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
