"""Writes the generated pages of the reference: `python -m tools.reference_pages`.

- docs/options.md: the options of a server by theme, from `fakeapi.settings`
- docs/cli.md: the commands with their options, from the command line itself
- docs/reference-*.md: the Python API, from signatures and docstrings (`tools.python_reference`)

A test compares the pages with their sources.
"""

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, Field
from pathlib import Path
from typing import Any

import click

from fakeapi.cli.main import main as fakeapi
from fakeapi.cli.options import default_text
from fakeapi.cli.themes import OTHER, THEMES, theme_of
from fakeapi.option import Option
from fakeapi.settings import options
from tools import python_reference

DOCS = Path(__file__).parents[1] / "docs"
GENERATED = "<!-- `make reference` writes this page. Do not edit it. -->"
SELECTING = {"server", "kubeconfig", "token", "token_file", "ca_file"}
"""The options of each command that sends requests to a running server."""
OPTIONS_HEAD = f"""\
{GENERATED}

# Options

You can set an option in five places. `fakeapi serve` takes the flag or the environment variable. `FakeAPI`,
the marker and pytest's ini setting take the name:

```sh
fakeapi serve --history 100
FAKEAPI_HISTORY=100 fakeapi serve
```

```python
import pytest

from fakeapi import FakeAPI

with FakeAPI(history=100) as api:
    print(api.url)


@pytest.mark.fakeapi(history=100)
def test_with_a_short_history(fakeapi): ...
```

```ini
[pytest]
fakeapi_options =
    history = 100
```
"""
CLI_HEAD = f"""\
{GENERATED}

# Command line

```sh
fakeapi --help
fakeapi serve --help
```

`fakeapi-k8s` is a second name of the command. `fakeapi serve` has its options in [Options](options.md).

## Exit status

| status | meaning |
|---|---|
| 0 | The command has done its work. `serve`: the server was stopped by Ctrl-C (SIGINT) or SIGTERM. |
| 1 | A port, a file, a database or a server cannot be used; or a comparison found a difference. |
| 2 | An option or an argument is invalid. |

Each error is one line on standard error, and begins with `Error:`. If an option or an argument is invalid, up
to three lines before it show the usage.

## Shell completion

Put one line into the startup file of your shell:

| shell | file | line |
|---|---|---|
| bash | `~/.bashrc` | `eval "$(_FAKEAPI_COMPLETE=bash_source fakeapi)"` |
| zsh | `~/.zshrc` | `eval "$(_FAKEAPI_COMPLETE=zsh_source fakeapi)"` |
| fish | `~/.config/fish/completions/fakeapi.fish` | `_FAKEAPI_COMPLETE=fish_source fakeapi \\| source` |
"""

SELECT_HEAD = """\
## Select a server

Commands for a running server use the server that the first of these names:

1. `--server URL`
2. `--kubeconfig FILE`
3. the variable `FAKEAPI_SERVER`, a URL
4. the first readable kubeconfig in the variable `KUBECONFIG`, such as the one that `fakeapi serve` prints
5. `http://127.0.0.1:8001`
"""
SELECT_NOTES = """\
`FAKEAPI_TOKEN` and `FAKEAPI_TOKEN_FILE` set the token of a URL. With `--token`, `--token-file` or
`--ca-file`, the variable `KUBECONFIG` does not count. If a variable names the server of a real cluster,
`explain` and `export` read from it, `import` refuses it, and other commands fail because it has no control
API.
"""


def options_page() -> str:
    """Returns the page of the options, with a table for each theme."""
    rows: dict[str, list[str]] = {}
    ordered = sorted(options(), key=lambda pair: _order(pair[0].name))
    for setting, option in ordered:
        rows.setdefault(theme_of(setting.name), []).append(_option_row(setting, option))
    parts = [OPTIONS_HEAD]
    for theme in [*THEMES, OTHER]:
        if theme in rows:
            table = "\n".join(["| name | flag | meaning | default |", "|---|---|---|---|", *rows[theme]])
            parts.append(f"## {theme}\n\n{table}\n")
    parts.append(
        "The name of an option is its flag with `_` instead of `-`. Three names differ: `database` (`--db`), "
        "`drivers`\n(`--driver`) and `webhook_services` (`--webhook-service`). The variable of a flag is the "
        "flag in capitals: `--db` is\n`FAKEAPI_DB`, `--feature-gates` is `FAKEAPI_FEATURE_GATES`. An option "
        "without a flag exists only in Python.\n\n"
        "Some flags exist only on the command line, for example `--demo`, `--log` and `--ready-file`. "
        "[Command\nline](cli.md#fakeapi-serve) lists these flags.\n"
    )
    return "\n".join(parts)


def _order(name: str) -> int:
    names = [name for theme in THEMES.values() for name in theme]
    return names.index(name) if name in names else len(names)


def _option_row(setting: Field[Any], option: Option) -> str:
    default = setting.default if setting.default is not MISSING else None
    text = default_text(option, default).strip().removeprefix("[default: ").removesuffix("]")
    if option.command_line_default is not None:
        text = f"{option.command_line_default} for `fakeapi serve`, in Python {text}"
    flag = f"`{option.flag}`" if option.flag else ""
    if setting.default is True and option.flag:
        flag = f"`{option.flag}`, `--no-{option.flag.removeprefix('--')}`"
    return f"| `{setting.name}` | {flag} | {_cell(option.help)} | {_cell(text or 'off or empty')} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def cli_page() -> str:
    """Returns the page of the commands, with a section for each command."""
    context = click.Context(fakeapi, info_name="fakeapi")
    select = f"{SELECT_HEAD}\n{_selecting_rows()}\n\n{SELECT_NOTES}"
    return "\n".join([CLI_HEAD, select, *_commands(fakeapi, context, "fakeapi")])


def _commands(group: click.Group, context: click.Context, path: str) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        yield _section(command, inner, f"{path} {name}")
        if isinstance(command, click.Group):
            yield from _commands(command, inner, f"{path} {name}")


def _section(command: click.Command, context: click.Context, path: str) -> str:
    level = "##" if path.count(" ") == 1 else "###"
    usage = " ".join(command.collect_usage_pieces(context))
    text = inspect.cleandoc(command.help or "").replace("\b\n", "").replace("<", "&lt;")
    parts = [f"{level} {path}\n", f"`{path} {usage}`\n", f"{text}\n"]
    selects_server = any(param.envvar == "FAKEAPI_SERVER" for param in command.params)
    without: set[str] = set()
    if path == "fakeapi serve":
        without = {setting.name for setting, _ in options()}
        parts.append("Besides the [options of a server](options.md):\n")
    elif selects_server:
        without = SELECTING
    if rows := [*_rows(command, context, without)]:
        parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n")
    if without is SELECTING:
        parts.append("The command takes the [options that select a server](#select-a-server).\n")
    return "\n".join(parts)


def _rows(command: click.Command, context: click.Context, without: set[str]) -> Iterator[str]:
    for param in command.params:
        record = param.get_help_record(context)
        if record is not None and record[1] and param.name not in without:
            yield f"| `{_cell(record[0])}` | {_cell(' '.join(record[1].split()))} |"


def _selecting_rows() -> str:
    """Returns the table of the options that select a server, as the command `fakeapi requests` has them."""
    command = fakeapi.get_command(click.Context(fakeapi), "requests")
    assert command is not None
    shown = {param.name for param in command.params if param.name is not None} - SELECTING
    rows = _rows(command, click.Context(command), shown)
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


PAGES = {"options.md": options_page, "cli.md": cli_page, **python_reference.PAGES}
"""Maps the file name of each generated page to the function that makes the page."""


def main() -> None:
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
