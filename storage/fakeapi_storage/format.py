"""Describes the format of an application's keys and values, and migrates rows from an older format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from fakeapi_storage.log import Row

FIRST_FORMAT = 1
"""The default format of an application, and the format of databases that do not record a format."""

Migration: TypeAlias = Callable[[str, bytes], tuple[str, bytes]]
"""A function that converts the key and the value of a row to the next format.

A migration must be pure. A migration must convert different keys to different keys, and must not derive a key
from the value. A migration receives every stored row: current entries, their history, and deletions. A
deletion without its own value comes with the last value of the key. If the migration raises, the database
remains unchanged.
"""


@dataclass(frozen=True, slots=True)
class Format:
    """The format in which an application encodes keys and values.

    - `version`: the number of the format. An application increments it for each incompatible change.
    - `migrations`: by format number n, the function that converts format n to n + 1. A database with an older
      format can be opened only if there is a migration for each step from that format to `version`.

    This example changes keys:

        def without_version(key: str, value: bytes) -> tuple[str, bytes]:
            _, group, _version, rest = key.split("/", 3)
            return f"/{group}/{rest}", value

        storage = await open_storage(path, data_format=Format(version=2, migrations={1: without_version}))
    """

    version: int = FIRST_FORMAT
    migrations: Mapping[int, Migration] = field(default_factory=dict)

    def steps_from(self, found: int) -> list[Migration] | None:
        """Returns the migrations from the format `found` to `version`, in order.

        Returns None if a migration is missing, or if `found` is newer than `version`.
        """
        if found > self.version:
            return None
        steps = [self.migrations.get(version) for version in range(found, self.version)]
        known = [step for step in steps if step is not None]
        return known if len(known) == len(steps) else None


class MigrationError(Exception):
    """A row cannot be migrated, or a migration breaks its contract. The message has the details."""


def migrate(rows: Iterable[Row], steps: Sequence[Migration]) -> Iterator[Row]:
    """Converts the keys and values of log rows with the migrations `steps`; yields the rows in order.

    Raises MigrationError if a migration fails or breaks its contract.
    """
    new_keys: dict[str, str] = {}
    old_keys: dict[str, str] = {}
    last_values: dict[str, bytes] = {}
    for row in rows:
        old = last_values.get(row.key, b"") if row.value is None else row.value
        last_values[row.key] = old
        try:
            key, value = _apply(steps, row.key, old)
        except Exception as error:
            raise MigrationError(f"{row.key!r} at revision {row.revision}: {error}") from error
        if new_keys.setdefault(row.key, key) != key:
            raise MigrationError(f"{row.key!r} becomes both {new_keys[row.key]!r} and {key!r}")
        if old_keys.setdefault(key, row.key) != row.key:
            raise MigrationError(f"{old_keys[key]!r} and {row.key!r} both become {key!r}")
        yield row._replace(key=key, value=None if row.value is None else value)


def _apply(steps: Sequence[Migration], key: str, value: bytes) -> tuple[str, bytes]:
    for step in steps:
        key, value = step(key, value)
    return key, value
