"""Lists, arms and disarms faults."""

from typing import Any

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.faults.armed import ArmedFault
from fakeapi.faults.reading import read_rules
from fakeapi.faults.ready import READY
from fakeapi.faults.rules import Rule, RuleError


class FaultView(msgspec.Struct, rename="camel"):
    """An armed fault.

    - `matched`: the number of requests that matched the fault's rule.
    - `fired`: the number of requests that the fault affected.
    """

    name: str
    matched: int
    fired: int
    rule: Rule


class FaultList(msgspec.Struct):
    """Armed faults, oldest first."""

    faults: list[FaultView]


class ReadyMade(msgspec.Struct):
    """The names of the ready-made faults, such as conflict."""

    names: list[str]


def view_of(fault: ArmedFault) -> FaultView:
    return FaultView(fault.name, fault.matched, fault.fired, fault.rule)


async def read(call: Call) -> FaultList:
    faults = call.server.cluster.armed_faults
    return FaultList([] if faults is None else [view_of(fault) for fault in faults.armed])


async def arm(call: Call) -> FaultList:
    body = call.body
    rules = body if isinstance(body, list) else [body]
    if not all(isinstance(rule, dict) for rule in rules):
        raise refused(400, "a rule, or a list of rules, is expected")
    try:
        armed = call.server.cluster.faults.arm(read_rules(rules))
    except RuleError as error:
        raise refused(400, str(error)) from None
    return FaultList([view_of(fault) for fault in armed])


async def disarm(call: Call) -> None:
    faults = call.server.cluster.armed_faults
    if faults is not None:
        faults.disarm()


async def disarm_one(call: Call) -> None:
    try:
        call.server.cluster.faults.disarm(call.path["name"])
    except RuleError as error:
        raise refused(404, str(error)) from None


async def ready_made(call: Call) -> ReadyMade:
    return ReadyMade([*READY])


ROUTES = (
    Route(
        "GET", "/faults", read, "The faults that are armed, and how often each has fired.", answer=FaultList
    ),
    Route(
        "POST", "/faults", arm, "Arm one rule or a list of them: all, or none.", answer=FaultList, body=Any
    ),
    Route("DELETE", "/faults", disarm, "Disarm all faults."),
    Route("DELETE", "/faults/{name}", disarm_one, "Disarm one fault."),
    Route("GET", "/ready-made-faults", ready_made, "The names of the ready-made faults.", answer=ReadyMade),
)
