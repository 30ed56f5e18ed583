"""Why an answer differs, where the reason lies in the trace and not in the server that was asked."""

from collections.abc import Iterable, Sequence

from fakeapi.traces.comparing.responses import Difference
from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.causal_order import Key
from fakeapi.traces.replay.initial_state import Seed
from fakeapi.traces.replay.request_facts import Facts
from fakeapi.traces.replay.watches import Missed

FOREIGN = "changed by what is not in the trace"
INFERRED = "state before the trace is inferred"
SEEDED = "state before the trace cannot be made in full"
UNSENT = "an earlier write could not be sent"
PATCH_TYPE = "patch type is inferred"

_CONDITIONS = {
    401: "credentials of the recorded server",
    403: "authorization of the recorded server",
    410: "history of the recorded server",
    429: "load on the recorded server",
    500: "condition of the recorded server",
    503: "condition of the recorded server",
    504: "load on the recorded server",
}
_NOT_SEEDABLE = ("metadata.generation", "metadata.managedFields")


class Explainer:
    """Knows what the trace takes for granted, and which objects have diverged so far."""

    def __init__(self, seeds: Iterable[Seed], written: frozenset[int]) -> None:
        self._inferred: set[Key] = set()
        self._seeded: set[Key] = set()
        self._versions: set[int] = set()
        for seed in seeds:
            (self._seeded if seed.exact else self._inferred).add(seed.address.key)
            if seed.version.isdecimal():
                self._versions.add(int(seed.version))
        self._written = written
        self._diverged: dict[Key, tuple[int, str]] = {}
        self._unsent: set[tuple[str, str]] = set()

    def is_foreign(self, version: int) -> bool:
        """Whether nothing in the trace made a version, nor was it there at the beginning."""
        return version > 0 and version not in self._written and version not in self._versions

    def note_unsent(self, facts: Facts) -> None:
        """A write that the trace lacks the body of; its object may have no name for the same reason."""
        if facts.is_write:
            self._unsent.add(facts.address.kind)

    def explain(
        self, exchange: Exchange, facts: Facts, differences: Sequence[Difference], now: int
    ) -> tuple[str, int]:
        """(explanation or "", id of the earlier divergence that this follows or -1).

        `now`: the status of the answer now.
        """
        key = facts.address.key
        explanation = self._reason(exchange, facts, differences, now)
        follows, inherited = self._diverged.get(key, (-1, ""))
        if follows >= 0 and not explanation:
            explanation = inherited
        if key not in self._diverged and facts.address.name and (facts.status < 300 or now < 300):
            self._diverged[key] = (exchange.id, explanation)
        return explanation, follows

    def explain_watch(
        self, facts: Facts, differences: Sequence[Difference], found: Missed
    ) -> tuple[str, int]:
        """As `explain`, for the events of a watch."""
        group, resource, namespace, _ = facts.address.key
        keys = [(group, resource, name[0] or namespace, name[1]) for name in found.names]
        all_missing = len(found.versions) == len(differences)
        if all_missing and all(self.is_foreign(version) for version in found.versions):
            return FOREIGN, -1
        before = [self._diverged[key] for key in keys if key in self._diverged]
        if before and len(before) == len(keys):
            explained = all(explanation for _, explanation in before)
            return before[0][1] if explained else "", min(before)[0]
        if keys and all(key in self._inferred for key in keys):
            return INFERRED, -1
        if keys and all(key in self._seeded for key in keys) and _only_not_seedable(differences):
            return SEEDED, -1
        return "", -1

    def _reason(self, exchange: Exchange, facts: Facts, differences: Sequence[Difference], now: int) -> str:
        key = facts.address.key
        if facts.status != now and facts.status in _CONDITIONS:
            return f"{_CONDITIONS[facts.status]} ({facts.status})"
        if facts.address.kind in self._unsent:
            return UNSENT
        if key in self._inferred:
            return INFERRED
        if key in self._seeded and all(_is_not_seedable(each.path) for each in differences):
            return SEEDED
        if facts.verb == "get" and self.is_foreign(facts.saw):
            return f"{FOREIGN} (version {facts.saw})"
        if facts.is_write and self.is_foreign(facts.asked):
            return f"{FOREIGN} (version {facts.asked})"
        if any(each.startswith("patch type") for each in exchange.inferred) and facts.verb == "patch":
            return PATCH_TYPE
        return ""


def _only_not_seedable(differences: Sequence[Difference]) -> bool:
    return all(_is_not_seedable(each.path.partition(": object.")[2]) for each in differences)


def _is_not_seedable(path: str) -> bool:
    bare = path.partition("].")[2] if path.startswith("items[") else path
    return bare.startswith(_NOT_SEEDABLE)
