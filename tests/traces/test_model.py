"""Trace files describe the missing parts and the inferred facts of an exchange by fixed texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.traces.model import Gap, Inference, Inferred, Missing, TraceError


@pytest.mark.parametrize("gap", [gap for gap in Gap if gap is not Gap.OTHER])
@pytest.mark.parametrize("detail", ["", "too long", "gzip (no) cannot be decoded"])
def test_a_gap_is_read_as_it_was_written(gap: Gap, detail: str) -> None:
    assert Missing.parse(str(Missing(gap, detail))) == Missing(gap, detail)


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("request body", Gap.REQUEST_BODY),
        ("request body (too long)", Gap.REQUEST_BODY),
        ("request body (the server did not read it)", Gap.UNREAD_REQUEST_BODY),
        ("request body, if there was one", Gap.OPTIONAL_REQUEST_BODY),
        ("request body (br cannot be undone)", Gap.REQUEST_BODY),
        ("response (it did not come in time)", Gap.RESPONSE),
        ("response body (too long)", Gap.RESPONSE_BODY),
        ("the response's end", Gap.RESPONSE_END),
        ("watch events", Gap.WATCH_EVENTS),
        ("watch events after the first 5: more than is kept", Gap.WATCH_EVENTS),
        ("watch events (their gzip is damaged)", Gap.WATCH_EVENTS),
        ("bodies (the audit log truncated them)", Gap.TRUNCATED_BODIES),
        ("managedFields, if there were any", Gap.MANAGED_FIELDS),
        ("patch type", Gap.PATCH_TYPE),
    ],
)
def test_the_texts_of_earlier_files_are_read(text: str, gap: Gap) -> None:
    assert Missing.parse(text).gap is gap


@given(st.text())
def test_a_text_of_another_program_is_kept(text: str) -> None:
    note = Missing.parse(text)
    assert note.gap is not Gap.OTHER or str(note) == text
    inferred = Inferred.parse(text)
    assert str(inferred) == text


def test_an_inference_is_read_as_it_was_written() -> None:
    note = Inferred(Inference.PATCH_TYPE, "apply (a whole object: yes)")
    assert Inferred.parse(str(note)) == note


def test_an_error_is_one_line_whatever_is_in_the_file() -> None:
    assert str(TraceError("f", 3, "a\nb", "\x1b[2J")) == "f:3: a\\nb: \\x1b[2J"
