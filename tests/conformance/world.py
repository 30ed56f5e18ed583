"""The recordings of the kinds around claims, and the exchanges of them that are answered otherwise.

`python -m tests.conformance.world` replays them all and writes the list anew (`make world`); the fidelity
page is made from it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.conformance.differences import Comparison, Difference
from tests.conformance.identities import Identities
from tests.conformance.player import Player
from tests.conformance.recordings import WORLD_RECORDINGS, Recording

LISTED = Path(__file__).with_name("world_differences.json")

ANSWER, WORDS = "answer", "words"
Found = dict[str, list[int]]
"""The numbers of a scenario's exchanges, counted from one: those whose ANSWER differs, and those of which
only the WORDS of messages do."""

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
    """Knows the addresses that a server picks for services, and the tokens that it signs, too."""

    def learn(self, recorded: Any, actual: Any) -> None:
        super().learn(recorded, actual)
        if not (isinstance(recorded, dict) and isinstance(actual, dict)):
            return
        for key in ("clusterIP", "token"):
            one, other = recorded.get(key), actual.get(key)
            if isinstance(one, str) and isinstance(other, str) and one not in ("", "None"):
                self.texts.setdefault(one, other)


class WorldComparison(Comparison):
    """Passes over node ports, tokens and dumps of Go values too."""

    age = re.compile(r"(?:\d+[smhdy]){1,2}")

    def _settled(self, value: Any, version: Any, key: str = "", *, listed: bool = False) -> Any:
        if key in _NODE_PORTS and isinstance(value, int) and value >= _NODE_PORT_MIN:
            return "<node-port>"
        return super()._settled(value, version, key, listed=listed)

    def _text(self, text: str) -> str:
        text = _PORT_IN_TEXT.sub(r"\1<node-port>\2", _JWT.sub("<jwt>", super()._text(text)))
        return _GO_VALUE.sub(rf"\1{_VALUE}", _GO_DIFF.sub(f"\n{_VALUE}", text))

    def match(self, recorded: Any, actual: Any) -> bool:
        """A recorded dump of a Go value matches any text in its place."""
        if not (isinstance(recorded, str) and isinstance(actual, str) and _VALUE in recorded):
            return False
        pattern = ".*".join(map(re.escape, recorded.split(_VALUE)))
        return re.fullmatch(pattern, actual.replace(_VALUE, "x"), re.DOTALL) is not None


def differences(server: FakeAPI, exchanges: list[dict[str, Any]]) -> dict[int, list[Difference]]:
    """What differs in a scenario, by the number of the exchange, counted from one."""
    return played(Player(server.port), exchanges)


def played(player: Player, exchanges: list[dict[str, Any]]) -> dict[int, list[Difference]]:
    """Plays a scenario and closes the player: the differences by number of the exchange."""
    player.identities = WorldIdentities()
    prefixes = {
        meta["generateName"][:58]
        for exchange in exchanges
        if isinstance(body := exchange.get("body"), dict)
        and isinstance(meta := body.get("metadata"), dict)
        and meta.get("generateName")
    }
    comparison = WorldComparison(player.identities, sorted(prefixes))
    found: dict[int, list[Difference]] = {}

    def compare(number: int, recorded: Any, actual: Any) -> None:
        if lines := comparison.answer(recorded, actual):
            found[number + 1] = lines

    try:
        player.play(exchanges, compare)
    finally:
        player.close()
    return found


def summary(found: dict[int, list[Difference]]) -> Found:
    """The numbers by what differs; a kind of difference without exchanges is left out."""
    worded = [number for number, lines in found.items() if all(line.is_wording for line in lines)]
    named = {ANSWER: sorted(found.keys() - set(worded)), WORDS: sorted(worded)}
    return {what: numbers for what, numbers in named.items() if numbers}


def listed() -> dict[str, dict[str, Found]]:
    """What is known to differ, by recording and scenario."""
    known: dict[str, dict[str, Found]] = json.loads(LISTED.read_text())
    return known


@contextmanager
def server_of(recording: Recording) -> Iterator[FakeAPI]:
    with FakeAPI(release=recording.release, feature_gates=recording.gates) as server:
        yield server


def prepare(server: FakeAPI) -> None:
    """A new cluster with the namespace of the recordings."""
    server.reset()
    server.create_namespace("conformance")


def main() -> None:
    """Writes the list anew."""
    made: dict[str, dict[str, Found]] = {}
    for recording in WORLD_RECORDINGS:
        with server_of(recording) as server:
            found: dict[str, Found] = {}
            for scenario, exchanges in recording.scenarios.items():
                prepare(server)
                if numbers := summary(differences(server, exchanges)):
                    found[scenario] = numbers
            made[recording.name] = found
    LISTED.write_text(_rendered(made))


def _rendered(made: dict[str, dict[str, Found]]) -> str:
    """A line for each scenario, so that a change of one is one line."""
    parts = []
    for name, scenarios in made.items():
        lines = [f"  {json.dumps(scenario)}: {json.dumps(found)}" for scenario, found in scenarios.items()]
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
