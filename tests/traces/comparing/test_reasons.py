"""A replay report explains a divergence: missing data in the trace, or an earlier divergence, for example."""

from array import array
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from fakeapi.clients.messages import Response
from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.initial_state import InitialObject
from fakeapi.traces.analysis.plan import ReplayPlan
from fakeapi.traces.analysis.protobuf_bodies import ProtobufBodies
from fakeapi.traces.analysis.request_facts import RequestFacts
from fakeapi.traces.analysis.resource_path import ResourcePath
from fakeapi.traces.analysis.server_times import ServerTimesScan
from fakeapi.traces.comparing.differences import Difference, DifferenceKind, show
from fakeapi.traces.comparing.events import EventComparison
from fakeapi.traces.comparing.reasons import Explainer, Explanation, Reason
from fakeapi.traces.model import Exchange, Inferred, Request

GROUP = "resource.k8s.io"
PATH = ResourcePath(GROUP, "v1", "resourceclaims", "ns", "a")
KEY: Key = PATH.key
VALUE = Difference(DifferenceKind.VALUE, "spec.x", "1", "2")
GENERATION = Difference(DifferenceKind.VALUE, "metadata.generation", "1", "2")


def explainer(
    *initial: InitialObject,
    partial: dict[Key, str] | None = None,
    releases: tuple[str, str] = ("", ""),
    **plan: Any,
) -> Explainer:
    return Explainer(
        ReplayPlan(
            order=array("L"),
            limit=0.0,
            reordered=0,
            since=0.0,
            until=0.0,
            group_versions=(),
            written=plan.get("written", frozenset({5})),
            removed=plan.get("removed", frozenset()),
            notes=Counter(),
            initial_objects=initial,
            partial_objects=partial or {},
            namespaces=plan.get("namespaces", {}),
            server_times=ServerTimesScan(),
            bodies=ProtobufBodies(),
        ),
        releases,
    )


def facts(
    verb: str = "update", status: int = 200, path: ResourcePath = PATH, **versions: int
) -> RequestFacts:
    is_write = verb in {"create", "update", "patch", "delete"}
    answered, requested = versions.get("answered", 5), versions.get("requested", 5)
    return RequestFacts(path, verb, status, answered, requested, is_write)


def exchange(identity: int = 1, *inferred: Inferred) -> Exchange:
    return Exchange(identity, 0.0, "me", Request("PUT", "/x"), Response(200), inferred=inferred)


def initial(*, exact: bool, version: str = "3") -> InitialObject:
    return InitialObject(PATH, {}, version, exact, -1, "read")


@pytest.mark.parametrize(
    ("status", "reason"), [(403, Reason.AUTHORIZATION), (429, Reason.LOAD), (410, Reason.HISTORY)]
)
def test_a_status_of_the_recorded_servers_own_explains_itself(status: int, reason: Reason) -> None:
    explanation, _ = explainer().explain(exchange(), facts(status=status), [VALUE], 200)
    assert explanation == Explanation(reason, str(status))


def test_a_version_that_nothing_in_the_trace_made_is_foreign() -> None:
    explanation, _ = explainer().explain(exchange(), facts(requested=9), [VALUE], 200)
    assert str(explanation) == "changed by a request that is not in the trace (version 9)"
    assert explainer(initial(exact=True, version="9")).explain(
        exchange(), facts(requested=9), [VALUE], 200
    ) == (None, -1)


def test_an_inferred_state_explains_everything_and_an_exact_one_what_cannot_be_created() -> None:
    assert explainer(initial(exact=False)).explain(exchange(), facts(), [VALUE], 200)[0] == Explanation(
        Reason.INFERRED_STATE
    )
    own_explainer = explainer(initial(exact=True))
    assert own_explainer.explain(exchange(), facts(), [GENERATION], 200)[0] == Explanation(
        Reason.INCOMPLETE_STATE
    )
    assert explainer(initial(exact=True)).explain(exchange(), facts(), [VALUE], 200)[0] is None


def test_a_list_without_objects_that_could_not_be_created_is_explained() -> None:
    path = PATH._replace(name="")
    missing = Difference(DifferenceKind.ITEM_MISSING, "rows", "ns/a")
    other = Difference(DifferenceKind.ITEM_MISSING, "rows", "ns/b")
    found = explainer(partial={KEY: "listed"})
    assert found.explain(exchange(), facts("list", path=path), [missing], 200)[0] == Explanation(
        Reason.METADATA_ONLY
    )
    assert found.explain(exchange(), facts("list", path=path), [missing, other], 200)[0] is None


def test_an_inferred_patch_type_explains_a_patch_alone() -> None:
    inferred = Inferred.parse("patch type: merge (assumed)")
    assert explainer().explain(exchange(1, inferred), facts("patch"), [VALUE], 200)[0] == Explanation(
        Reason.PATCH_TYPE
    )
    assert explainer().explain(exchange(1, inferred), facts(), [VALUE], 200)[0] is None


def test_a_write_that_could_not_be_sent_explains_its_resource() -> None:
    own_explainer = explainer()
    own_explainer.note_unsent(facts())
    other = PATH._replace(name="b")
    assert own_explainer.explain(exchange(), facts(path=other), [VALUE], 200)[0] == Explanation(
        Reason.UNSENT_WRITE
    )


def test_later_divergences_of_an_object_inherit_the_explanation_of_the_first() -> None:
    own_explainer = explainer()
    first = own_explainer.explain(exchange(3), facts(requested=9), [VALUE], 200)
    assert own_explainer.explain(exchange(4), facts("get"), [VALUE], 200) == (first[0], 3)


def test_missing_events_of_foreign_versions_are_explained() -> None:
    missing = Difference(DifferenceKind.EVENT_MISSING, "event 0", "ADDED")
    found = EventComparison([missing], (9,), (("ns", "b"),), 0)
    path = PATH._replace(name="")
    assert explainer().explain_watch(facts("watch", path=path), [missing], found) == (
        Explanation(Reason.FOREIGN),
        -1,
    )


def test_a_list_between_the_two_writes_of_one_delete_is_a_race_of_the_recorded_server() -> None:
    path = PATH._replace(name="")
    body = b'{"items":[{"metadata":{"namespace":"ns","name":"a","resourceVersion":"8"}}]}'
    listed = replace(exchange(), response=Response(200, (), body))
    missing = Difference(DifferenceKind.ITEM_MISSING, "items", "ns/a")
    other = Difference(DifferenceKind.ITEM_MISSING, "items", "ns/b")
    own_explainer = explainer(written=frozenset({9}), removed=frozenset({9}))
    assert own_explainer.explain(listed, facts("list", path=path), [missing, other], 200)[0] is None
    explanation = own_explainer.explain(listed, facts("list", path=path), [missing], 200)[0]
    assert explanation == Explanation(Reason.RACE, "version 8")
    written = explainer(written=frozenset({8, 9}))
    assert written.explain(listed, facts("list", path=path), [missing], 200)[0] is None


DEPRECATED = '299 - "v1beta1 Gadget is deprecated in v1.35+; use v1 Gadget"'
UNKNOWN = '299 - "unknown field \\"spec.a\\""'


@pytest.mark.parametrize(
    ("releases", "recorded", "now", "is_explained"),
    [
        (("1.34", "1.36"), [], [DEPRECATED], True),
        (("1.36", "1.34"), [DEPRECATED], [], True),
        (("1.34", "1.36"), [UNKNOWN], [UNKNOWN, DEPRECATED], True),
        (("1.34", "1.36"), [], [UNKNOWN, DEPRECATED], False),
        (("1.36", "1.36"), [], [DEPRECATED], False),
        (("", "1.36"), [], [DEPRECATED], False),
    ],
)
def test_a_deprecation_warning_of_another_release_is_explained(
    releases: tuple[str, str], recorded: list[str], now: list[str], *, is_explained: bool
) -> None:
    warning = Difference(DifferenceKind.WARNING, "header Warning", show(recorded), show(now))
    explanation, _ = explainer(releases=releases).explain(exchange(), facts(), [warning], 200)
    expected = Explanation(Reason.RELEASE, " and ".join(releases)) if is_explained else None
    assert explanation == expected
