"""Starts servers with an audit log, and reads their events."""

import json
from pathlib import Path
from typing import Any

from fakeapi.testing.server import FakeAPI

Events = list[dict[str, Any]]


def write_policy(directory: Path, *rules: dict[str, Any], **members: Any) -> Path:
    """Writes an audit policy with these rules; returns its path. Without rules, its level is Metadata."""
    path = directory / "policy.json"
    head = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy"}
    path.write_text(json.dumps({**head, "rules": rules or [{"level": "Metadata"}], **members}))
    return path


def events_of(path: Path) -> Events:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Audited:
    """A running server with an audit log.

    - `api`: the server.
    - `log`: the path of its audit log.
    """

    def __init__(self, api: FakeAPI, log: Path) -> None:
        self.api = api
        self.log = log

    def events(self, **members: str) -> Events:
        """Stops the server, and returns its events with these members, such as `verb="list"`."""
        self.api.stop()
        every = events_of(self.log)
        return [event for event in every if all(event[name] == text for name, text in members.items())]

    def last(self, **members: str) -> dict[str, Any]:
        """Stops the server, and returns its last event with these members."""
        return self.events(**members)[-1]
