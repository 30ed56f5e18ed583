"""The options of `fakeapi serve`, generated from `fakeapi.settings`."""

from collections.abc import Callable
from dataclasses import MISSING, Field
from typing import Any, TypeVar, get_args, get_origin

import click

from fakeapi.cli.file_type import FILE
from fakeapi.cli.numbers import Number, WholeNumber
from fakeapi.option import Option, seconds_of_duration
from fakeapi.settings import options

F = TypeVar("F", bound=Callable[..., Any])


def server_options(command: F) -> F:
    """Adds the options of `fakeapi serve` to a command: all options of Settings that have a flag."""
    for field, option in reversed([(field, option) for field, option in options() if option.flag]):
        command = _click_option(field, option)(command)
    return command


def _click_option(field: Field[Any], option: Option) -> Callable[[F], F]:
    default = field.default if option.command_line_default is None else option.command_line_default
    more: dict[str, Any] = {"type": _click_type(field, option), "default": default}
    if isinstance(default, bool):
        more = {"is_flag": True, "default": default}
    elif isinstance(default, tuple):
        more = {"multiple": True}
    return click.option(
        f"{option.flag}/--no-{option.flag.removeprefix('--')}" if default is True else option.flag,
        *option.also,
        field.name,
        cls=PlainOption,
        envvar=option.environment,
        metavar=option.metavar or None,
        help=option.help + default_text(option, default),
        **more,
    )


class PlainOption(click.Option):
    """An option with only its own help text. Omits click's text about defaults and ranges."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Returns the names and the help text of the option; None if the option is hidden."""
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], self.help or "")


def default_text(option: Option, default: Any) -> str:
    """Returns the default and the range of an option for its help, as "  [default: …]"; "" for a flag.

    `default`: the default on the command line.
    """
    bounds = f"; {_bounds_text(*option.bounds)}" if option.bounds is not None else ""
    if option.unset:
        return f"  [default: {option.unset}{bounds}]"
    if default is True:
        return "  [default: on]"
    if isinstance(default, (bool, tuple)) or default is None or default is MISSING:
        return ""
    return f"  [default: {default}{bounds}]"


def _bounds_text(low: float, high: float | None) -> str:
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _click_type(field: Field[Any], option: Option) -> Any:
    if get_origin(field.type) is not None and all(isinstance(choice, str) for choice in get_args(field.type)):
        return click.Choice(get_args(field.type))
    if option.is_file:
        return FILE
    if option.bounds is not None:
        low, high = option.bounds
        if option.is_duration:
            return _Duration(low, high)
        return Number(low, high) if field.type is float else WholeNumber(int(low), _whole(high))
    return None


class _Duration(Number):
    """The click type of a duration within a range: seconds as a number, or text with a unit, such as 10ms."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = seconds_of_duration(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        return float(super().convert(seconds, param, ctx))


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
