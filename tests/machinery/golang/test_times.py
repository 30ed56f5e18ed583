"""Timestamps are parsed as in Go's time.Parse, and written in UTC."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.golang import times

AS = ' as "2006-01-02T15:04:05Z07:00": cannot parse '
AS_MICRO = ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse '


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
        ("2024-12-31T00:00:00Z", "2024-12-31T00:00:00Z"),
        ("2024-01-01T00:00:00.999999999999Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T5:00:00Z", "2024-01-01T05:00:00Z"),
        ("2024-01-01T00:00:00+01:30", "2023-12-31T22:30:00Z"),
        ("2024-02-28T23:00:00-01:00", "2024-02-29T00:00:00Z"),
        ("2024-01-01T00:00:00+24:60", "2023-12-30T23:00:00Z"),
        ("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"),
        ("0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"),
        ("0000-01-01T00:00:00+00:01", "-0001-12-31T23:59:00Z"),
        ("9999-12-31T23:59:59-00:01", "10000-01-01T00:00:59Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T01:00:00+01:00", None),
        ("0001-01-01T00:00:00.5Z", "0001-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_written_in_utc_to_the_second(text: str, canonical: str | None) -> None:
    assert times.canonical(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2024-01-01T00:00:00.123456Z", "2024-01-01T00:00:00.123456Z"),
        ("2024-01-01T00:00:00,000001+01:00", "2023-12-31T23:00:00.000001Z"),
        ("2024-01-01T00:00:00.+12345Z", "2024-01-01T00:00:00.012345Z"),
        ("2024-01-01T00:00:00.-00000Z", "2024-01-01T00:00:00.000000Z"),
        ("0001-01-01T00:00:00.000000Z", None),
        ("0001-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000001Z"),
    ],
)
def test_a_micro_time_has_six_digits_more(text: str, canonical: str | None) -> None:
    assert times.canonical_micro(text) == canonical


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("", AS + '"" as "2006"'),
        ("yesterday", AS + '"yesterday" as "2006"'),
        ("202-01-01T00:00:00Z", AS + '"202-01-01T00:00:00Z" as "2006"'),
        ("2024", AS + '"" as "-"'),
        ("2024-1-01T00:00:00Z", AS + '"1-01T00:00:00Z" as "01"'),
        ("2024-01-01", AS + '"" as "T"'),
        ("2024-01-01 00:00:00Z", AS + '" 00:00:00Z" as "T"'),
        ("2024-01-01t00:00:00Z", AS + '"t00:00:00Z" as "T"'),
        ("2024-01-01T00:00Z", AS + '"Z" as ":"'),
        ("2024-01-01T00:00:0Z", AS + '"0Z" as "05"'),
        ("2024-01-01T00:00:00", AS + '"" as "Z07:00"'),
        ("2024-01-01T00:00:00z", AS + '"z" as "Z07:00"'),
        ("2024-01-01T00:00:00.Z", AS + '".Z" as "Z07:00"'),
        ("2024-01-01T00:00:00+0100", AS + '"+0100" as "Z07:00"'),
        ("2024-01-01T00:00:00*01:00", AS + '"*01:00" as "Z07:00"'),
        ("2024-01-01T00:00:00+1a:00", AS + '"+1a:00" as "Z07:00"'),
        ('é"\\\x01', AS + r'"\xc3\xa9\"\\\x01" as "2006"'),
        ("2024-13-01T00:00:00Z", ": month out of range"),
        ("2024-00-01T00:00:00Z", ": month out of range"),
        ("2023-02-29T00:00:00Z", ": day out of range"),
        ("2024-01-00T00:00:00Z", ": day out of range"),
        ("2024-01-01T24:00:00Z", ": hour out of range"),
        ("2024-01-01T00:60:00Z", ": minute out of range"),
        ("2024-01-01T23:59:60Z", ": second out of range"),
        ("2024-01-01T00:00:00+25:00", ": time zone offset hour out of range"),
        ("2024-01-01T00:00:00*25:61", ": time zone offset minute out of range"),
        ("2024-01-32T00:00:00Z0", ': extra text: "0"'),
    ],
)
def test_what_is_no_time_is_refused_in_go_s_words(text: str, rest: str) -> None:
    with pytest.raises(ValueError, match=r"^parsing time") as refusal:
        times.canonical(text)
    quoted = r'"\xc3\xa9\"\\\x01"' if text.startswith("é") else f'"{text}"'
    assert str(refusal.value) == f"parsing time {quoted}{rest}"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2024-01-01T00:00:00Z", AS_MICRO + '"Z" as ".000000"'),
        ("2024-01-01T00:00:00.12345Z", AS_MICRO + '".12345Z" as ".000000"'),
        ("2024-01-01T00:00:00.1234567Z", AS_MICRO + '"7Z" as "Z07:00"'),
        ("2024-01-01T00:00:00.-12345Z", ": fractional second out of range"),
    ],
)
def test_a_micro_time_needs_its_six_digits(text: str, rest: str) -> None:
    with pytest.raises(ValueError, match=r"^parsing time") as refusal:
        times.canonical_micro(text)
    assert str(refusal.value) == f'parsing time "{text}"{rest}'


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "1970-01-01T00:00:00Z"), (1700000000.999, "2023-11-14T22:13:20Z")],
)
def test_now_is_cut_to_the_second(seconds: float, text: str) -> None:
    assert times.now_text(seconds) == text


offsets = st.integers(-24 * 60 + 1, 24 * 60 - 1).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(
    datetime.fromisoformat("0002-01-01"), datetime.fromisoformat("9998-12-31"), timezones=offsets
)


@given(moments)
@settings(max_examples=150, derandomize=True, database=None)
def test_a_time_keeps_its_instant(moment: datetime) -> None:
    utc = moment.astimezone(UTC)
    assert times.canonical(moment.isoformat()) == utc.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
    micro = moment.isoformat(timespec="microseconds")
    assert times.canonical_micro(micro) == utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


@given(moments)
@settings(max_examples=100, derandomize=True, database=None)
def test_a_canonical_time_is_its_own(moment: datetime) -> None:
    once = times.canonical(moment.isoformat())
    assert once is not None
    assert times.canonical(once) == once


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:01Z", 1.0),
        ("1969-12-31T23:59:59.500000Z", -0.5),
        ("0001-01-01T00:00:00Z", -62_135_596_800.0),
        ("0000-01-01T00:00:00Z", -62_167_219_200.0),
        ("-0001-12-31T23:59:00Z", -62_167_219_260.0),
        ("10000-01-01T00:00:59Z", 253_402_300_859.0),
    ],
)
def test_a_time_of_any_year_has_seconds_since_1970(text: str, seconds: float) -> None:
    assert times.seconds_of(text) == seconds
