"""The server handles responses of webhooks as client-go does."""

import json
from pathlib import Path
from typing import Any

import pytest

from fakeapi.admission.admission_review import review_type
from fakeapi.registry.webhooks.answers import TEXT_MAX, UnusableAnswer, read_answer
from fakeapi.registry.webhooks.transport import Answer
from fakeapi.releases import load_release

FIXTURE = Path(__file__).parents[2] / "fixtures/webhooks/answers.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text(encoding="utf-8"))

QUIRKS = load_release("1.34").quirks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_answer_is_read_or_refused_as_client_go_does(case: dict[str, Any]) -> None:
    answer = Answer(case["status"], case["content_type"], case["body"].encode())
    try:
        read_answer(answer, review_type("v1", QUIRKS))
        found = ""
    except UnusableAnswer as error:
        found = str(error)
    assert found == case["error"]


def test_an_answer_that_is_nested_too_deep_is_refused() -> None:
    body = b'{"kind":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(UnusableAnswer):
        read_answer(Answer(200, "application/json", body), review_type("v1", QUIRKS))


def test_of_a_text_that_is_no_review_a_part_is_told() -> None:
    answer = Answer(403, "text/plain", b"a" * TEXT_MAX + b"b")
    with pytest.raises(UnusableAnswer) as error:
        read_answer(answer, review_type("v1", QUIRKS))
    assert "a" * TEXT_MAX in str(error.value)
    assert "ab" not in str(error.value)
