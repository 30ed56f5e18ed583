"""Explains differences in a replay whose cause is the trace and not the replay target."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.plan import ReplayPlan
from fakeapi.traces.analysis.request_facts import Head, Metadata, RequestFacts, version_number
from fakeapi.traces.analysis.resource_path import NAMESPACES
from fakeapi.traces.comparing.differences import Difference, DifferenceKind
from fakeapi.traces.comparing.events import EventComparison
from fakeapi.traces.model import Exchange, Inference


class Reason(StrEnum):
    """A cause of differences that lies in the trace, and is not an error of the replay target.

    The values are the texts in reports.
    """

    FOREIGN = "changed by a request that is not in the trace"
    INFERRED_STATE = "the state before the trace is inferred"
    INCOMPLETE_STATE = "the state before the trace cannot be created in full"
    METADATA_ONLY = "an object before the trace is known by its metadata alone"
    UNSENT_WRITE = "an earlier write could not be sent"
    PATCH_TYPE = "the patch type is inferred"
    CREDENTIALS = "credentials of the recorded server"
    AUTHORIZATION = "authorization of the recorded server"
    HISTORY = "history of the recorded server"
    LOAD = "load on the recorded server"
    CONDITION = "condition of the recorded server"
    RACE = "a race on the recorded server"
    RELEASE = "deprecated in only one of the two releases"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason for the differences of one exchange.

    `detail`: more facts, such as "version 12"; "" for none.
    """

    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else str(self.reason)


_STATUS_REASONS = {
    401: Reason.CREDENTIALS,
    403: Reason.AUTHORIZATION,
    410: Reason.HISTORY,
    429: Reason.LOAD,
    500: Reason.CONDITION,
    503: Reason.CONDITION,
    504: Reason.LOAD,
}
_LOST_RACE = "StorageError: invalid object, Code: 4"
"""Part of the message of a 409 Conflict that kube-apiserver returns after a race.

Another request changed the object while kube-apiserver handled this request.
"""
_NOT_CREATABLE = ("metadata.generation", "metadata.managedFields")
"""The fields that differ on the replay target because clients cannot set them when they create an object."""


_DEPRECATED = " is deprecated in v1."
"""Part of kube-apiserver's deprecation warnings. It precedes the minor release that deprecates the kind."""

_ITEM = lazy_pattern(r"items\[(\d+)\]")


class _List(msgspec.Struct):
    items: list[Head] = []


_decode_list = msgspec.json.Decoder(_List).decode


class Explainer:
    """Explains the differences of exchanges in a replay.

    The explanations use the initial objects of the trace, and the differences explained so far.
    """

    def __init__(self, plan: ReplayPlan, releases: tuple[str, str] = ("", "")) -> None:
        """Creates an explainer for a plan.

        `releases`: the Kubernetes releases of the recorded server and of the replay target, such as "1.36";
        "" if unknown.
        """
        self._releases = releases
        self._inferred: set[Key] = set()
        self._created: set[Key] = set()
        self._versions: set[int] = set()
        for initial in plan.initial_objects:
            (self._created if initial.exact else self._inferred).add(initial.path.key)
            self._versions.add(version_number(initial.version))
        self._written = plan.written
        self._removed = plan.removed
        self._partial = plan.partial_objects.keys()
        self._created_resources = {initial.path.group_resource for initial in plan.initial_objects}
        if plan.namespaces:
            self._created_resources.add(("", NAMESPACES))
        self._diverged: dict[Key, tuple[int, Explanation | None]] = {}
        self._unsent: set[tuple[str, str]] = set()

    def is_foreign(self, version: int) -> bool:
        """Whether a resourceVersion belongs to a write that is not in the trace.

        Returns False for resourceVersions of the trace's writes and of initial objects.
        """
        return version > 0 and version not in self._written and version not in self._versions

    def note_unsent(self, facts: RequestFacts) -> None:
        """Records a write that the replay could not send, because the trace lacks its body.

        The missing write can explain later differences in all objects of the resource.
        """
        if facts.is_write:
            self._unsent.add(facts.path.group_resource)

    def explain(
        self, exchange: Exchange, facts: RequestFacts, differences: Sequence[Difference], status: int
    ) -> tuple[Explanation | None, int]:
        """Explains the differences of an exchange.

        `status`: the status code of the response in the replay.

        Returns two values:

        - The explanation; None if the differences have no explanation.
        - The id of an earlier exchange with differences in the same object; -1 if there is none.
        """
        key = facts.path.key
        explanation = self._explanation(exchange, facts, differences, status)
        if explanation is None and facts.verb == "list":
            explanation = self._of_foreign_items(exchange, facts, differences)
        follows, inherited = self._diverged.get(key, (-1, None))
        if follows >= 0 and explanation is None:
            explanation = inherited
        if key not in self._diverged and facts.path.name and (facts.status < 300 or status < 300):
            self._diverged[key] = (exchange.id, explanation)
        return explanation, follows

    def explain_watch(
        self, facts: RequestFacts, differences: Sequence[Difference], found: EventComparison
    ) -> tuple[Explanation | None, int]:
        """Explains the differences in the events of a watch. `found`: the result of comparing the events.

        Returns two values:

        - The explanation; None if the differences have no explanation.
        - The id of an earlier exchange with differences in the same objects; -1 if there is none.
        """
        group, resource, namespace, _ = facts.path.key
        keys = [(group, resource, name[0] or namespace, name[1]) for name in found.names]
        all_missing = len(found.missing_versions) == len(differences)
        if all_missing and all(self.is_foreign(version) for version in found.missing_versions):
            return Explanation(Reason.FOREIGN), -1
        before = [self._diverged[key] for key in keys if key in self._diverged]
        if before and len(before) == len(keys):
            explained = all(explanation for _, explanation in before)
            return before[0][1] if explained else None, min(follows for follows, _ in before)
        if keys and all(key in self._inferred for key in keys):
            return Explanation(Reason.INFERRED_STATE), -1
        if keys and all(key in self._partial for key in keys):
            return Explanation(Reason.METADATA_ONLY), -1
        if keys and all(key in self._created for key in keys) and _only_not_creatable(differences):
            return Explanation(Reason.INCOMPLETE_STATE), -1
        return None, -1

    def _explanation(
        self, exchange: Exchange, facts: RequestFacts, differences: Sequence[Difference], status: int
    ) -> Explanation | None:
        key = facts.path.key
        if all(_is_deprecation(difference, *self._releases) for difference in differences):
            return Explanation(Reason.RELEASE, " and ".join(self._releases))
        if facts.status != status and facts.status in _STATUS_REASONS:
            return Explanation(_STATUS_REASONS[facts.status], str(facts.status))
        if key in self._partial:
            return Explanation(Reason.METADATA_ONLY)
        if facts.verb == "list" and (reason := self._of_initial_objects(facts, differences)):
            return Explanation(reason)
        if facts.path.group_resource in self._unsent:
            return Explanation(Reason.UNSENT_WRITE)
        if key in self._inferred:
            return Explanation(Reason.INFERRED_STATE)
        if key in self._created and all(_is_not_creatable(difference.path) for difference in differences):
            return Explanation(Reason.INCOMPLETE_STATE)
        if facts.verb == "get" and self.is_foreign(facts.answered_version):
            return Explanation(Reason.FOREIGN, f"version {facts.answered_version}")
        if facts.is_write and self.is_foreign(facts.requested_version):
            return Explanation(Reason.FOREIGN, f"version {facts.requested_version}")
        if any(_LOST_RACE in difference.recorded for difference in differences):
            return Explanation(Reason.RACE)
        if facts.verb == "patch" and exchange.infers(Inference.PATCH_TYPE):
            return Explanation(Reason.PATCH_TYPE)
        return None

    def _of_initial_objects(self, facts: RequestFacts, differences: Sequence[Difference]) -> Reason | None:
        """Returns a reason if a list differs only in initial objects that are incomplete on the target.

        Returns None if the list has other differences too.
        """
        group, resource = facts.path.group_resource
        reason: Reason | None = None
        for difference in differences:
            namespace, _, name = difference.recorded.rpartition("/")
            is_missing = difference.kind is DifferenceKind.ITEM_MISSING
            if is_missing and (group, resource, namespace, name) in self._partial:
                reason = Reason.METADATA_ONLY
            elif (group, resource) in self._created_resources and _is_not_creatable(difference.path):
                reason = reason or Reason.INCOMPLETE_STATE
            else:
                return None
        return reason

    def _of_foreign_items(
        self, exchange: Exchange, facts: RequestFacts, differences: Sequence[Difference]
    ) -> Explanation | None:
        """Explains a list whose differences are all in objects at a resourceVersion that no write answered.

        A delete with a grace period of 0 stores two versions, and answers with the second. A list between
        them shows the first. The same reason then explains watches from this version. Returns None if
        other objects differ too.
        """
        items = _recorded_items(exchange)
        versions: dict[Key, int] = {}
        for difference in differences:
            match = _ITEM.match(difference.path)
            if match is not None and int(match[1]) < len(items):
                item = items[int(match[1])]
            elif difference.kind is DifferenceKind.ITEM_MISSING:
                namespace, _, name = difference.recorded.rpartition("/")
                item = next(
                    (each for each in items if (each.namespace, each.name) == (namespace, name)), Metadata()
                )
            else:
                return None
            version = version_number(item.version)
            if not self.is_foreign(version):
                return None
            versions[*facts.path.group_resource, item.namespace, item.name] = version
        if not versions:
            return None
        is_race = all(version + 1 in self._removed for version in versions.values())
        reason = Reason.RACE if is_race else Reason.FOREIGN
        explanation = Explanation(reason, f"version {min(versions.values())}")
        for key in versions:
            self._diverged.setdefault(key, (exchange.id, explanation))
        return explanation


def _is_deprecation(difference: Difference, recorded: str, target: str) -> bool:
    """Whether a difference is a deprecation warning that only one of two releases gives.

    `recorded` and `target`: the releases of the recorded server and of the replay target; "" if unknown.
    """
    if difference.kind is not DifferenceKind.WARNING or not recorded or target in {"", recorded}:
        return False
    try:
        ours, theirs = (
            set(decode(text.encode()) if text else []) for text in (difference.recorded, difference.now)
        )
    except (JsonError, TypeError):  # the text is cut, or a header is not text
        return False
    return all(_DEPRECATED in str(text) for text in ours ^ theirs)


def _recorded_items(exchange: Exchange) -> list[Metadata]:
    """Returns the metadata of the objects in a recorded list; an empty list for other responses."""
    body = b"" if exchange.response is None else exchange.response.body
    try:
        return [head.metadata for head in _decode_list(body).items]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return []


def _only_not_creatable(differences: Sequence[Difference]) -> bool:
    return all(_is_not_creatable(difference.path.partition(": object.")[2]) for difference in differences)


def _is_not_creatable(path: str) -> bool:
    bare = path.partition("].")[2] if path.startswith(("items[", "rows[")) else path
    bare = bare.removeprefix("object.")
    return bare.startswith(_NOT_CREATABLE)
