"""hypercorn has the names that the server imports; a failure means that a new version has changed them."""

import ast
import dataclasses
import inspect
from importlib.metadata import version
from pathlib import Path

import hypercorn.protocol.events as hypercorn_events
import pytest
from hypercorn.config import Config
from hypercorn.protocol.http_stream import HTTPStream
from hypercorn.protocol.ws_stream import WSStream

import fakeapi.serving

USED = f"hypercorn {version('hypercorn')}, see fakeapi/serving/hypercorn_streams.py"
SOURCES = sorted(Path(fakeapi.serving.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("stream", [HTTPStream, WSStream])
def test_streams_are_made_and_called_as_the_server_does(stream: type) -> None:
    made = list(inspect.signature(stream).parameters)
    wanted = ["app", "config", "context", "task_group", "ssl", "client", "server", "send", "stream_id"]
    assert made == wanted, f"{stream.__name__} is made otherwise in {USED}"
    for name, arguments in {"handle": ["self", "event"], "app_send": ["self", "message"]}.items():
        method = getattr(stream, name, None)
        assert method is not None, f"{stream.__name__}.{name} is gone in {USED}"
        assert list(inspect.signature(method).parameters) == arguments, f"{stream.__name__}.{name} in {USED}"
        assert inspect.iscoroutinefunction(method), f"{stream.__name__}.{name} is not async in {USED}"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Request", {"stream_id", "headers", "http_version", "method", "raw_path", "state"}),
        ("Response", {"stream_id", "headers", "status_code"}),
        ("Body", {"stream_id", "data"}),
        ("EndBody", {"stream_id"}),
        ("Data", {"stream_id", "data"}),
        ("EndData", {"stream_id"}),
        ("StreamClosed", {"stream_id"}),
    ],
)
def test_events_have_the_fields_that_the_server_uses(name: str, fields: set[str]) -> None:
    event = getattr(hypercorn_events, name, None)
    assert event is not None, f"the event {name} is gone in {USED}"
    assert {field.name for field in dataclasses.fields(event)} == fields, f"the event {name} in {USED}"


@pytest.mark.parametrize("name", ["errorlog", "include_server_header", "websocket_max_message_size"])
def test_settings_that_the_server_makes_are_still_hypercorns(name: str) -> None:
    assert hasattr(Config, name), f"Config.{name} is gone in {USED}"


def test_the_task_group_is_asked_for_with_the_arguments_that_ours_takes() -> None:
    for stream in (HTTPStream, WSStream):
        calls = inspect.getsource(stream).replace("\n", " ").replace(" ", "")
        call = "self.task_group.spawn_app(self.app,self.config,self.scope,self.app_send)"
        assert call in calls, f"{stream.__name__} starts the application otherwise in {USED}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_hypercorn_is_imported_in_one_module_and_no_private_name_of_a_library_is_used(path: Path) -> None:
    tree = ast.parse(path.read_text())
    modules = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    if path.name != "hypercorn_streams.py":
        assert not any(name.split(".")[0] == "hypercorn" for name in modules)
    private = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"})
    }
    assert not private
