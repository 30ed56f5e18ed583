"""The location of a storage is a path, a URL, or None for an in-memory storage."""

from pathlib import Path

import pytest

from fakeapi_storage.errors import OpenFailed, UnsupportedLocation
from fakeapi_storage.location import MEMORY, Location, parse_location


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
        ("claims.db", Path("claims.db")),
        ("a b?c#d%20:e.db", Path("a b?c#d%20:e.db")),
        (Path("/srv/claims.db"), Path("/srv/claims.db")),
        ("sqlite:///claims.db", Path("claims.db")),
        ("sqlite:////srv/a%20b.db", Path("/srv/a%20b.db")),
    ],
)
def test_a_location_names_a_database(location: str | Path | None, path: Path | None) -> None:
    parsed = parse_location(location)
    assert (parsed.engine, parsed.path) == ("sqlite", path)


@pytest.mark.parametrize("location", [None, ":memory:"])
def test_memory_has_no_engine(location: str | None) -> None:
    assert parse_location(location) == Location(MEMORY, None, "memory")


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("mysql://host/db", "no storage engine is called 'mysql'"),
        ("http://127.0.0.1:8001", "no storage engine is called 'http'"),
        ("sqlite://host/claims.db", "no hosts"),
        ("sqlite:///claims.db?mode=ro", "options in the URL are not supported"),
        ("", "empty"),
    ],
)
def test_a_location_that_no_engine_knows_is_refused_with_the_reason(location: str, words: str) -> None:
    with pytest.raises(UnsupportedLocation, match=words) as refusal:
        parse_location(location)
    assert isinstance(refusal.value, OpenFailed)
    assert refusal.value.location == location


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_url_of_postgresql_is_kept_whole_and_shown_without_secrets(scheme: str) -> None:
    parsed = parse_location(f"{scheme}://user:p@ss@host:5432/db?password=word")
    assert (parsed.engine, parsed.path, parsed.text) == ("postgresql", None, f"{scheme}://***@host:5432/db")
    assert parsed.url == f"{scheme}://user:p@ss@host:5432/db?password=word"


def test_a_password_in_a_location_is_in_no_message() -> None:
    with pytest.raises(UnsupportedLocation) as refusal:
        parse_location("mysql://user:p@ss@host/db")
    assert "p@ss" not in str(refusal.value)
    assert refusal.value.location == "mysql://***@host/db"


@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        ("user:se/cret@host/db", "***@host/db"),
        ("user:se#cret@host/db", "***@host/db"),
        ("user:se@cret@host/db", "***@host/db"),
        ("user:se@cr/et@host/db", "***@host/db"),
        ("user:se?cret@host/db", "***"),
        ("host/db?password=se@cret", "***"),
        ("host/db?password=secret", "host/db"),
    ],
)
@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_password_with_special_characters_is_in_no_message(scheme: str, rest: str, shown: str) -> None:
    try:
        text = parse_location(f"{scheme}://{rest}").text
    except UnsupportedLocation as refusal:
        text = refusal.location
    assert text == f"{scheme}://{shown}"


@pytest.mark.parametrize(
    "location", ["postgresql:/user:secret@host/db", "postgres:user:secret@host", "sqlite:a.db"]
)
def test_a_url_without_its_slashes_is_no_path(location: str) -> None:
    scheme = location.partition(":")[0]
    with pytest.raises(UnsupportedLocation, match=f"a URL begins with {scheme}://") as refusal:
        parse_location(location)
    assert "secret" not in str(refusal.value)
    assert parse_location(f"./{location}").path == Path(location)
