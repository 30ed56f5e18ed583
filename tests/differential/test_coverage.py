"""The coverage of random stories: verbs sent equally often, rare pairs, and provoked error messages."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fakeapi.releases import load_release
from tests.differential.exchanges.bases import driven_kinds, never_sent
from tests.differential.exchanges.coverage import Coverage
from tests.differential.exchanges.even import EvenWriter
from tests.differential.exchanges.messages import Cause, messages, provoked, shares
from tests.differential.exchanges.stories import APPLY, JSON_PATCH, MERGE, verb_of, verbs_of
from tests.differential.exchanges.subjects import BuiltIn
from tools.strategy_samples import Generator

SERVED = [*load_release("1.37").kinds]
KINDS = driven_kinds(SERVED)
MODULE = """
from fakeapi.machinery.field_errors import forbidden, invalid, required

RULE = "must be short"


def validate(path, value):
    yield required(f"{path}.name")
    yield invalid(f"{path}.size", value, RULE)
    yield forbidden("spec.mode", f"may not be {value} here")
    yield required(path)
"""


@pytest.fixture
def kinds(tmp_path: Path) -> Path:
    (tmp_path / "things").mkdir()
    (tmp_path / "things" / "validation.py").write_text(MODULE)
    return tmp_path


def test_a_message_has_the_literal_parts_of_its_field_and_detail(kinds: Path) -> None:
    assert [(each.field, each.detail) for each in messages(kinds)] == [
        (r".*\.name", ".*"),
        (r".*\.size", r"must\ be\ short"),
        (r"spec\.mode", r"may\ not\ be\ .*\ here"),
    ]


def test_a_message_is_provoked_by_a_cause_with_its_reason_field_and_detail(kinds: Path) -> None:
    known = messages(kinds)
    causes = [
        Cause("FieldValueRequired", "spec.name", "Required value"),
        Cause("FieldValueInvalid", "spec.size", 'Invalid value: "a": must be long'),
        Cause("FieldValueForbidden", "spec.mode", "Forbidden: may not be 7 here"),
        Cause("FieldValueRequired", "spec.size", "Required value"),
    ]
    assert [message.place for message in known if message in provoked(known, causes)] == [
        "things/validation.py:8",
        "things/validation.py:10",
    ]
    assert shares(known, causes) == {"things": (2, 3)}


def test_the_messages_of_all_groups_are_known() -> None:
    assert {"core", "apps", "resource", "storage"} <= {message.package for message in messages()}


@pytest.mark.parametrize("resource", ["deployments", "configmaps", "nodes"])
def test_even_stories_send_each_verb_of_a_kind_equally_often(resource: str) -> None:
    kind = next(kind for kind in KINDS if kind.resource == resource)
    subject, sent, random = BuiltIn(Generator(7), kind), Counter[tuple[str, str]](), Random(7)
    counted: Counter[str] = Counter()
    for number in range(1, 101):
        story = EvenWriter(random, subject, number, sent).write()
        counted.update(verb_of(request, resource) for request in story)
    assert counted.keys() == verbs_of(subject)
    others = [count for verb, count in counted.items() if verb != "POST"]
    assert max(others) - min(others) <= 1
    assert min(others) >= 20


def test_a_verb_names_the_collection_the_subresource_and_the_patch_type() -> None:
    def verb(method: str, target: str, form: str = "") -> str:
        headers = {"headers": {"content-type": form}} if form else {}
        return verb_of({"method": method, "target": target, **headers}, "pods")

    assert verb("GET", "/api/v1/namespaces/a/pods?limit=1") == "LIST"
    assert verb("DELETE", "/api/v1/namespaces/a/pods") == "DELETE collection"
    assert verb("DELETE", "/api/v1/namespaces/a/pods/b") == "DELETE"
    assert verb("PATCH", "/api/v1/namespaces/a/pods/b/status", APPLY) == f"PATCH {APPLY} status"
    assert verb("PATCH", "/api/v1/namespaces/a/pods/b", JSON_PATCH) != f"PATCH {MERGE}"


def test_each_served_kind_is_driven_or_has_a_reason() -> None:
    reasons = never_sent(SERVED)
    driven = {kind.resource for kind in KINDS}
    assert all(kind.resource in reasons or kind.resource in driven for kind in SERVED)
    assert driven.isdisjoint(reasons)


def test_the_summary_lists_the_rarest_pairs() -> None:
    kind = next(kind for kind in KINDS if kind.resource == "configmaps")
    coverage, subject = Coverage(), BuiltIn(Generator(7), kind)
    target = "/api/v1/namespaces/a/configmaps/b"
    coverage.count(subject, [{"method": "GET", "target": target, "answer": {"status": 200}}] * 25)
    for verb in verbs_of(subject) - {"PUT"}:
        coverage.verbs["v1 ConfigMap", verb] += 25
    assert "  0 v1 ConfigMap: PUT" in coverage.lines()
