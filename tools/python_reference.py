"""Makes the reference pages of the Python API from signatures and docstrings.

`tools.reference_pages` writes them. A test compares the pages with the code, so that every public name has a
page.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import pytest

import fakeapi
from fakeapi import pytest_plugin
from fakeapi.testing import objects, ready_faults, watching, write_options
from fakeapi.testing.armed_fault import Fault
from fakeapi.testing.existing_cluster import ExistingCluster, NotOnExistingCluster
from fakeapi.testing.objects import ObjectBuilder

GENERATED = "<!-- `make reference` writes this page. Do not edit it. -->"

_MODULE = re.compile(r"\b(?:fakeapi|collections|pathlib|typing|datetime|ssl|types)(?:\.\w+)*\.(?=[A-Z])")
_QUOTED = re.compile(r"(?<=: )'([^']+)'|(?<=> )'([^']+)'")
_ERRORS = [
    name
    for name in fakeapi.__all__
    if isinstance(getattr(fakeapi, name), type) and issubclass(getattr(fakeapi, name), Exception)
]


def server_page() -> str:
    """Returns the page of FakeAPI and the other clients."""
    head = (
        "`FakeAPI` is the server and its client in one object. The options of its constructor are in"
        " [Options](options.md). [Testing](testing.md) shows the methods in tests."
    )
    parts = [_class(fakeapi.FakeAPI, with_options=False), _class(fakeapi.Client), _class(ExistingCluster)]
    parts += [_class(write_options.WriteOptions), _class(write_options.PatchOptions)]
    parts += [
        _function("replay", fakeapi.replay, "##"),
        _class(fakeapi.ControlClient),
        _class(fakeapi.Snapshot),
    ]
    return _page("Python: server and clients", head, parts)


def watching_page() -> str:
    """Returns the page of requests and watches."""
    head = (
        "`FakeAPI.requests` and `FakeAPI.watch` return these objects. [Requests](requests.md) has examples."
    )
    classes = (fakeapi.Requests, fakeapi.Entry, fakeapi.Watch, watching.WatchEvent)
    return _page("Python: requests and watches", head, [_class(each) for each in classes])


def faults_page() -> str:
    """Returns the page of faults."""
    head = "`FakeAPI.faults` has one method for each ready-made fault. [Faults](faults.md) explains each one."
    classes = (fakeapi.Faults, ready_faults.FaultOptions, Fault, fakeapi.Rule)
    return _page("Python: faults", head, [_class(each) for each in classes])


def builders_page() -> str:
    """Returns the page of the builders of objects."""
    head = (
        "The functions are in `fakeapi.testing.objects`, for resource.k8s.io/v1. `FakeAPI.objects` has them"
        " as methods, for the version that the server prefers."
    )
    names = [name for name in objects.__all__ if name != "ObjectBuilder"]
    parts = [_function(name, getattr(ObjectBuilder, name), "##") for name in names]
    return _page("Python: builders of objects", head, parts)


def errors_page() -> str:
    """Returns the page of the exceptions."""
    head = "Every error of this page has the base `FakeAPIError`. All are in the package `fakeapi`."
    parts = [_class(getattr(fakeapi, name)) for name in _ERRORS]
    return _page("Python: errors", head, [*parts, _class(NotOnExistingCluster)])


def pytest_page() -> str:
    """Returns the page of pytest's fixtures, markers and options."""
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    private = vars(parser)  # pytest has no public list of options
    (group,) = [each for each in private["_groups"] if each.name == "fakeapi"]
    lines = ["## Options of the command line\n", "| option | ini setting | meaning |", "|---|---|---|"]
    for option in group.options:
        flag, attributes = option.names()[0], option.attrs()
        setting = flag.removeprefix("--").replace("-", "_")
        ini = f"`{setting}`" if setting in private["_inidict"] else ""
        lines.append(f"| `{flag} {attributes['metavar']}` | {ini} | {_sentence(attributes['help'])} |")
    options = "The ini setting `fakeapi_options` has the [options](options.md) of all servers, one a line.\n"
    markers = [
        "## Markers\n",
        *(f"- `{text.partition(': ')[0]}`: {text.partition(': ')[2]}" for text in _MARKERS),
    ]
    fixtures = ["## Fixtures\n"]
    for name, fixture in sorted(vars(pytest_plugin).items()):
        if isinstance(fixture, pytest.FixtureDef | type(pytest_plugin.fakeapi)) and name[0] != "_":
            fixtures.append(f"### {name}\n\n{_text(fixture)}\n")
    types = [_class(fakeapi.FakeAPIFactory), _class(fakeapi.ReplayFunction)]
    parts = ["\n".join([*lines, "", options]), "\n".join(markers) + "\n", "\n".join(fixtures), *types]
    return _page("Python: pytest", "The plugin is loaded without configuration.", parts)


_MARKERS = (pytest_plugin.MARKER, pytest_plugin.RECORD_MARKER)


def _page(title: str, head: str, parts: list[str]) -> str:
    return "\n".join([GENERATED, "", f"# {title}", "", f"{head}\n", *parts]).rstrip() + "\n"


def _class(kind: type[Any], *, with_options: bool = True) -> str:
    """Returns the section of a class, with its public methods and properties in the order of their names."""
    text = _text(kind)
    if not with_options:
        text = text.partition("Options:")[0].rstrip()
    parts = [f"## {kind.__name__}\n", f"{text}\n"]
    for name, member in _members(kind):
        if isinstance(member, property | cached_property):
            parts.append(f"### {name}\n\n{_text(member)}\n")
        else:
            parts.append(_function(name, getattr(kind, name), "###"))
    return "\n".join(parts)


def _members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yields the public methods and properties of a class and of its base classes in fakeapi."""
    members: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("fakeapi"):
            members |= vars(base)
    for name in sorted(members):
        member = members[name]
        is_method = inspect.isfunction(member) or isinstance(
            member, property | cached_property | classmethod | staticmethod
        )
        if name[0] != "_" and is_method:
            yield name, member


def _function(name: str, function: Callable[..., Any], level: str) -> str:
    signature = str(inspect.signature(function)).replace("(self, /, ", "(").replace("(self, ", "(")
    signature = _QUOTED.sub(lambda match: match[1] or match[2], signature.replace("(self)", "()")).replace(
        "'", '"'
    )
    signature = re.sub(r'\*<class "([\w.]+)">', r"Unpack[\1]", signature)
    return f"{level} {name}\n\n`{name}{_MODULE.sub('', signature)}`\n\n{_text(function)}\n"


def _text(member: Any) -> str:
    text = inspect.getdoc(member) or ""
    if not text:
        raise ValueError(f"{member!r} has no docstring")
    return text.replace("<", "&lt;")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}.".replace("|", "\\|")


PAGES = {
    "reference-server.md": server_page,
    "reference-requests.md": watching_page,
    "reference-faults.md": faults_page,
    "reference-objects.md": builders_page,
    "reference-errors.md": errors_page,
    "reference-pytest.md": pytest_page,
}
"""Maps the file name of each page to the function that makes the page."""
