"""Counts the coverage of the stories: kinds, verbs, patch types, status codes and causes of errors."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.differential.exchanges.custom import CustomResource
from tests.differential.exchanges.messages import Cause, causes_of, share_lines
from tests.differential.exchanges.stories import verb_of, verbs_of
from tests.differential.exchanges.subjects import Subject

RARE = 20
"""The minimum number of requests of each kind and verb in a long run."""

SHOWN_MAX = 40
"""Maximum number of rare pairs in the summary."""


@dataclass
class Coverage:
    """Counts the requests and responses of a run.

    - `verbs`: by kind, and by HTTP method, subresource and content type.
    - `codes`: by HTTP status code of kube-apiserver.
    - `causes`: by kind, field and reason of the causes in the errors of kube-apiserver.
    - `messages`: the different causes with their messages.
    """

    verbs: Counter[tuple[str, str]] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    causes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    messages: set[Cause] = field(default_factory=set)
    exchanges: int = 0

    def count(self, kind: Subject, exchanges: list[dict[str, Any]]) -> None:
        """Counts the requests and responses of one story. `kind`: the kind of the story.

        Requests without a response are not counted, because they are not compared.
        """
        for verb in verbs_of(kind):
            self.verbs[_name(kind), verb] += 0
        for exchange in exchanges:
            answer = exchange.get("answer")
            if answer is None:
                continue
            self.exchanges += 1
            self.verbs[_name(kind), verb_of(exchange, kind.resource)] += 1
            self.codes[answer["status"]] += 1
            for cause in causes_of(answer.get("body")):
                self.causes[kind.kind, cause.field, cause.reason] += 1
                self.messages.add(cause)

    def lines(self) -> list[str]:
        """Returns a summary of the counts as lines of text."""
        codes = ", ".join(f"{code}: {count:,}" for code, count in sorted(self.codes.items()))
        return [
            f"{self.exchanges:,} exchanges; {len({kind for kind, _ in self.verbs})} kinds; codes {codes}",
            f"{len(self.verbs):,} pairs of kind and verb, rarest {min(self.verbs.values(), default=0)} times",
            *self._rare(),
            f"{len(self.causes):,} different causes of errors (kind, field, reason)",
            *share_lines(self.messages),
        ]

    def _rare(self) -> list[str]:
        """Returns lines about the pairs of kind and verb that were sent fewer than RARE times.

        Lists the pairs only if at most half of all pairs are rare, as in a long run.
        """
        rare = sorted((count, *pair) for pair, count in self.verbs.items() if count < RARE)
        if not rare:
            return []
        if len(rare) > len(self.verbs) / 2:
            return [f"{len(rare):,} pairs fewer than {RARE} times"]
        shown = [f"  {count} {kind}: {verb}" for count, kind, verb in rare[:SHOWN_MAX]]
        return [f"{len(rare):,} pairs fewer than {RARE} times:", *shown]


def _name(kind: Subject) -> str:
    """Returns the name of a kind in the counts. All custom kinds have the same name."""
    return f"{'custom' if isinstance(kind, CustomResource) else kind.api_version} {kind.kind}"
