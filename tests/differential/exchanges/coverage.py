"""Counts the coverage of the stories: kinds, verbs, patch types, status codes and causes of errors."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fakeapi.releases import Kind


@dataclass
class Coverage:
    """Counts the requests and responses of a run.

    - `verbs`: by kind, and by HTTP method, subresource and content type.
    - `codes`: by HTTP status code of kube-apiserver.
    - `causes`: by kind, field and reason of the causes in the errors of kube-apiserver.
    """

    verbs: Counter[tuple[str, str]] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    causes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    exchanges: int = 0

    def count(self, kind: Kind, exchanges: list[dict[str, Any]]) -> None:
        """Counts the requests and responses of one story. `kind`: the kind of the story."""
        for exchange in exchanges:
            self.exchanges += 1
            answer = exchange["answer"]
            self.verbs[f"{kind.api_version} {kind.kind}", _verb(exchange)] += 1
            self.codes[answer["status"]] += 1
            for cause in _causes(answer["body"]):
                self.causes[kind.kind, str(cause.get("field")), str(cause.get("reason"))] += 1

    def lines(self) -> list[str]:
        """Returns a summary of the counts as lines of text."""
        codes = ", ".join(f"{code}: {count:,}" for code, count in sorted(self.codes.items()))
        return [
            f"{self.exchanges:,} exchanges; {len({kind for kind, _ in self.verbs})} kinds; codes {codes}",
            f"{len(self.verbs):,} pairs of kind and verb, rarest {min(self.verbs.values(), default=0)} times",
            f"{len(self.causes):,} different causes of errors (kind, field, reason)",
        ]


def _verb(exchange: dict[str, Any]) -> str:
    path = exchange["target"].partition("?")[0]
    last = path.rpartition("/")[2]
    words = [exchange["method"], exchange.get("headers", {}).get("content-type", "")]
    words.append(last if last in ("status", "scale") else "")
    return " ".join(word for word in words if word)


def _causes(body: Any) -> list[dict[str, Any]]:
    details = body.get("details") if isinstance(body, dict) and body.get("kind") == "Status" else None
    causes = details.get("causes") if isinstance(details, dict) else None
    return causes if isinstance(causes, list) else []
