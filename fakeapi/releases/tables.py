"""The generated tables, as they are read: one JSON document for each release."""

import json
from functools import cache
from importlib import resources
from typing import Any

DATA = "fakeapi.releases.data"


@cache
def read(minor: str) -> dict[str, Any]:
    """The table of a release, "1.31"; read once in a process, and not to be changed.

    Raises FileNotFoundError for a release that has none.
    """
    text = resources.files(DATA).joinpath(f"{minor}.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table
