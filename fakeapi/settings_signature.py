"""Lets functions take the options of a server as keywords, with their types and help texts."""

from collections.abc import Callable, Mapping
from dataclasses import Field
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from fakeapi.option import Option
from fakeapi.settings import Settings, options, problem_of

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def described() -> str:
    """Returns the options as text for a docstring: one line per option, with help text and default."""
    return "\n".join(
        f"    {setting.name}: {option.help} {_default(setting, option)}" for setting, option in options()
    )


def _default(each: Field[Any], option: Option) -> str:
    return f"Default: {option.unset or repr(each.default)}."


def _check_names(args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Raises TypeError for positional arguments, and for names that are not options."""
    if args:
        raise TypeError(
            f"FakeAPI takes its options by name, such as FakeAPI(release='1.34'), not {args[0]!r:.80}"
        )
    if problem := problem_of(options):
        raise TypeError(problem)


def passes_options(
    make: Callable[P, Settings],
) -> Callable[[Callable[[T, Mapping[str, Any]], R]], Callable[Concatenate[T, P], R]]:
    """Returns a decorator for a method with a mapping of options, which callers then pass as keywords.

    `make`: creates Settings. Type checkers take the keywords of the method from the signature of `make`. The
    mapping has only the options that the caller has named. The method raises TypeError for positional
    arguments, and for names that are not options.
    """

    def decorate(method: Callable[[T, Mapping[str, Any]], R]) -> Callable[Concatenate[T, P], R]:
        @wraps(method)
        def call(self: T, *args: P.args, **kwargs: P.kwargs) -> R:
            _check_names(args, kwargs)
            return method(self, kwargs)

        return cast("Callable[Concatenate[T, P], R]", call)

    return decorate


def takes_settings(
    make: Callable[P, Settings],
) -> Callable[[Callable[[T, Settings], None]], Callable[Concatenate[T, P], None]]:
    """Returns a decorator for `__init__(self, settings)` that lets callers pass the options as keywords.

    `make`: creates the settings, such as the class Settings. Type checkers, `help` and editors show the
    signature of `make` for `__init__`. The method raises TypeError for positional arguments, and for names
    that are not options.
    """

    def decorate(initialize: Callable[[T, Settings], None]) -> Callable[Concatenate[T, P], None]:
        @wraps(initialize)
        def init(self: T, *args: P.args, **kwargs: P.kwargs) -> None:
            _check_names(args, kwargs)
            initialize(self, make(*args, **kwargs))

        first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        named = signature(make).parameters.values()
        vars(init)["__signature__"] = Signature([first, *named], return_annotation=None)
        return cast("Callable[Concatenate[T, P], None]", init)

    return decorate
