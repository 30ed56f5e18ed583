"""Generates random statuses of lifecycle.k8s.io Evictions, with responders in every state, for samples."""

import copy
import random
from typing import Any

_NAMES = ("b.example.com/x", "a.example.com/x", "imperative-eviction.k8s.io/evictor", "example.com/z")
_PRIORITIES = (100, 100, 999, 1000, 10000, 10000, 100001)
_STATES = ("Inactive", "Active", "Completed", "Canceled", "Interrupted", "Odd")
_RUNNING = (
    ("Active", "Inactive", "Inactive"),
    ("Completed", "Active", "Inactive"),
    ("Canceled", "Interrupted", "Active"),
    ("Inactive", "Inactive", "Inactive"),
    ("Completed", "Interrupted", "Canceled"),
)
_PAST = "2024-12-31T23:"
_TIMES = (
    f"{_PAST}39:00Z",
    f"{_PAST}40:20Z",
    f"{_PAST}40:31Z",
    f"{_PAST}59:00Z",
    f"{_PAST}59:31Z",
    f"{_PAST}59:50Z",
    "2025-01-01T00:00:00Z",
    "2025-01-01T00:00:29Z",
    "2025-01-01T00:01:00Z",
    "2034-12-29T00:00:01Z",
    "2036-01-01T00:00:00Z",
)
_FIELDS = ("startTime", "heartbeatTime", "expectedCompletionTime", "completionTime")


def status(chance: random.Random) -> dict[str, Any]:
    """Returns a random Eviction status, which may violate a few validation rules."""
    count = chance.choice((1, 2, 3, 3, 3, 4))
    names = chance.sample(_NAMES, count)
    states = list(chance.choice(_RUNNING))[:count] + ["Inactive"] * (count - 3)
    own = _NAMES[2]
    targets = [
        {
            "name": name,
            "priority": 100 if name == own else 20000 - 1000 * (place // 2),
            "state": states[place],
        }
        for place, name in enumerate(names)
    ]
    responders = [_responder(chance, target) for target in targets]
    chance.shuffle(responders)
    return {"conditions": _conditions(chance), "targetResponders": targets, "responders": responders}


def changed(chance: random.Random, old: dict[str, Any]) -> dict[str, Any]:
    """Returns a random update of an Eviction status: the next responder becomes active, or fields change."""
    new = copy.deepcopy(old)
    if chance.random() < 0.3:
        new["conditions"] = _conditions(chance)
    targets, responders = new.get("targetResponders") or [], new.get("responders") or []
    for target in targets:
        if chance.random() < 0.4:
            target["state"] = chance.choice(_STATES)
        if chance.random() < 0.05:
            target["priority"] = chance.choice(_PRIORITIES)
    if chance.random() < 0.4:
        _move_on(chance, targets, responders)
    for responder in responders:
        if chance.random() < 0.3:
            responder[chance.choice(_FIELDS)] = chance.choice(_TIMES)
        if chance.random() < 0.1:
            responder.pop(chance.choice(_FIELDS), None)
        if chance.random() < 0.1:
            responder["message"] = "m"
    if chance.random() < 0.1:
        chance.shuffle(targets)
    if chance.random() < 0.1 and targets:
        chance.choice([targets, responders]).append(copy.deepcopy(targets[0]))
    if chance.random() < 0.1 and responders:
        responders.pop()
    return new


def _move_on(chance: random.Random, targets: list[Any], responders: list[Any]) -> None:
    for place, target in enumerate(targets):
        if target["state"] == "Active":
            target["state"] = chance.choice(_STATES[2:5])
            if place + 1 < len(targets):
                targets[place + 1]["state"] = "Active"
            for responder in responders:
                later = targets[min(place + 1, len(targets) - 1)]["name"]
                if responder["name"] == later:
                    responder.setdefault("startTime", "2025-01-01T00:00:00Z")
                elif responder["name"] == target["name"] and chance.random() < 0.5:
                    responder.setdefault("completionTime", "2025-01-01T00:00:00Z")
            return


def _responder(chance: random.Random, target: dict[str, Any]) -> dict[str, Any]:
    responder: dict[str, Any] = {"name": target["name"]}
    if target["state"] != "Inactive":
        responder["startTime"] = chance.choice(_TIMES[:7])
        if chance.random() < 0.5:
            responder["heartbeatTime"] = chance.choice(_TIMES[:7])
    if target["state"] == "Completed":
        responder["completionTime"] = chance.choice(_TIMES[3:7])
    return responder


def _conditions(chance: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "type": kind,
            "status": chance.choice(("True", "False", "Unknown")),
            "reason": chance.choice(("Done", "Other")),
            "message": "",
            "lastTransitionTime": "2025-01-01T00:00:00Z",
        }
        for kind in ("TargetEvicted", "Failed", "Ready")
        if chance.random() < 0.2
    ]
