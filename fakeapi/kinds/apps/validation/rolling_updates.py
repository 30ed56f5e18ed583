"""Converts the rolling update of a strategy to the internal version, for error messages."""

from fakeapi.machinery.json_types import Object


def with_zeros(strategy: Object, *names: str) -> Object:
    """Returns an update strategy whose absent fields `names` of the rolling update are 0.

    In the internal version these fields are not pointers.
    """
    rolling = strategy.get("rollingUpdate")
    if rolling is None:
        return strategy
    return {**strategy, "rollingUpdate": {**dict.fromkeys(names, 0), **rolling}}
