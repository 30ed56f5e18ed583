"""Converts `rollingUpdate` of an update strategy to the internal version, for error messages."""

from fakeapi.machinery.json_types import Object


def with_zeros(strategy: Object, *names: str) -> Object:
    """Returns an update strategy in which missing fields of `rollingUpdate` are 0.

    `names`: the names of these fields. The fields are not pointers in the internal version, so errors print
    a missing field as 0.
    """
    rolling = strategy.get("rollingUpdate")
    if rolling is None:
        return strategy
    return {**strategy, "rollingUpdate": {**dict.fromkeys(names, 0), **rolling}}
