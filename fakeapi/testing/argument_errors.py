"""Improves Python's error for wrong arguments of a method: suggests the argument that was probably meant."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors

P = ParamSpec("P")
T = TypeVar("T")

OTHER_WORDS = {"timeout": "within", "seconds": "within", "condition": "until", "ns": "namespace"}
"""Maps keyword arguments of other libraries to the argument of fakeapi with the same meaning."""


def explains_arguments(shown: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Returns a decorator for methods. A call with wrong arguments raises a TypeError that suggests the right
    arguments.

    `shown`: the method as a test calls it, such as "fakeapi.wait_for".
    """

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        @wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return method(*args, **kwargs)
            except TypeError as error:
                trace = error.__traceback__
                if trace is None or trace.tb_next is not None:  # the error was raised inside the method
                    raise
                problem = _problem(method, shown, args, kwargs, str(error))
            raise TypeError(problem)

        return call

    return decorate


def _problem(
    method: Callable[..., Any], shown: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], text: str
) -> str:
    parameters = [*signature(method).parameters.values()]
    names = [each.name for each in parameters[1:]]
    for name in kwargs:
        if name not in names:
            other = OTHER_WORDS.get(name)
            hint = f"; did you mean {other}?" if other in names else did_you_mean(name, names)
            return f"{shown}() has no keyword argument {name!r}{hint}"
    free = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    ordered = [each for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if len(args) > len(ordered) and free:
        return f"{shown}(): name the argument: write {free[0]}={args[len(ordered)]!r:.100}"
    return text.replace(getattr(method, "__qualname__", ""), shown)
