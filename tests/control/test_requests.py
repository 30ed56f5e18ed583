"""The control API and its commands show recorded requests, open watches and events."""

import asyncio
import http.client
import queue
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI, PatternError, StatusError
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError, EventStream
from fakeapi.control.handlers import events
from fakeapi.journal.entry import Bodies, Entry, Record

WIDGETS: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    },
}


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as api:
        yield api


@pytest.fixture
def control(api: FakeAPI) -> Iterator[ControlClient]:
    with ControlClient(api.url) as client:
        yield client


def test_requests_are_listed_by_pattern_and_read_with_their_bodies(
    api: FakeAPI, control: ControlClient
) -> None:
    api.create_namespace("one")
    with pytest.raises(StatusError):
        api.request("GET", "/api/v1/namespaces/two")
    followed = control.get("/requests", resource="namespaces")
    create, get = followed["requests"]
    assert followed["total"] == 2
    assert (create["verb"], create["name"], create["code"], create["after"]) == ("create", "one", 201, "6")
    assert (get["reason"], get["message"]) == ("NotFound", 'namespaces "two" not found')
    assert "body" not in create
    assert control.get(f"/requests/{create['number']}")["body"]["metadata"] == {"name": "one"}
    assert [each["number"] for each in control.get("/requests", last=1)["requests"]] == [get["number"]]
    assert control.get("/requests", code=404)["requests"] == [get]
    control.delete("/requests")
    assert control.get("/requests")["total"] == 0


@pytest.mark.parametrize(("last", "shown"), [(-1, 0), (0, 0), (1, 1), (2**64, 3)])
def test_the_query_last_limits_the_number_of_requests(
    api: FakeAPI, control: ControlClient, last: int, shown: int
) -> None:
    control.delete("/requests")
    for _ in range(3):
        api.request("GET", "/api/v1/namespaces")
    assert len(control.get("/requests", last=last)["requests"]) == shown


def test_requests_are_filtered_by_user_and_by_time(api: FakeAPI, control: ControlClient) -> None:
    api.clock.freeze("2090-11-29T12:00:00Z")
    control.delete("/requests")
    for _ in range(3):
        api.clock.advance(60)
        api.request("GET", "/api/v1/namespaces")
    as_eve = {"Impersonate-User": "eve", "Impersonate-Group": "system:masters"}
    with urllib.request.urlopen(urllib.request.Request(f"{api.url}/version", headers=as_eve)):
        pass

    def number(**query: str) -> int:
        return len(control.get("/requests", **query)["requests"])

    assert (number(), number(user="eve"), number(user="e*"), number(user="nobody")) == (4, 1, 1, 0)
    assert (number(since="12:01:30"), number(until="12:01:30"), number(since="61s")) == (3, 1, 3)
    assert number(since="2090-11-29T12:01:30Z", until="2090-11-29T14:02:30+02:00") == 1
    assert (number(since="1h"), number(until="1h")) == (4, 0)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/requests?since=yesterday", "since: 'yesterday' is not a time or duration such as"),
        ("/requests?until=25:00", "until: '25:00' is not a time"),
        ("/requests?until=2026-11-29T12:00:00", "until: '2026-11-29T12:00:00' is not a time"),
        ("/requests?verb=remove", "no verb 'remove'"),
        ("/requests?verbs=get", "unknown field `verbs`"),
        ("/requests?last=many", "parameters of /requests"),
        ("/requests/99", "no request '99'"),
        ("/requests/x", "no request 'x'"),
    ],
)
def test_an_invalid_query_for_requests_is_refused(control: ControlClient, path: str, problem: str) -> None:
    with pytest.raises(ControlError, match=problem):
        control.get(path)


def test_an_open_watch_is_listed_until_it_ends(api: FakeAPI, control: ControlClient) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    connection.request("GET", "/api/v1/namespaces?watch=true&resourceVersion=0")
    stream = connection.getresponse()
    for _ in range(4):
        stream.readline()
    while (followed := control.get("/watches")["watches"])[0]["watch"]["behind"]:
        pass  # waits until the server has noted that it sent the events
    assert [(each["verb"], each["resource"], each["watch"]["events"]) for each in followed] == [
        ("watch", "namespaces", 4)
    ]
    api.reset()
    stream.read()
    connection.close()
    assert control.get("/watches") == {"watches": []}


def test_events_contain_requests_and_changes_of_objects(api: FakeAPI, control: ControlClient) -> None:
    with control.events(query={"objects": "true", "verb": "write"}) as stream:
        created = api.create_namespace("one")
        followed = {each["type"]: each for each in (next(stream), next(stream))}
    assert followed["request"]["request"]["name"] == "one"
    assert followed["object"] == {
        "type": "object",
        "change": "ADDED",
        "group": "",
        "resource": "namespaces",
        "namespace": "",
        "name": "one",
        "resourceVersion": created["metadata"]["resourceVersion"],
    }


def test_a_reset_ends_the_events_as_it_ends_watches(api: FakeAPI, control: ControlClient) -> None:
    with control.events(query={"objects": "true", "requests": "false"}) as stream:
        api.create_namespace("one")
        api.reset()
        assert [each["name"] for each in stream][:1] in ([], ["one"])


def test_an_invalid_query_for_events_is_refused(control: ControlClient) -> None:
    with pytest.raises(ControlError, match="no verb 'remove'"):
        control.events(query={"verb": "remove"})


def entry(number: int, code: int = 200) -> Entry:
    path = b"/api/v1/namespaces"
    record = Record(0.0, 0.0, "GET", path, b"", "list", "", b"", code, 0, ("", 0, 0), (), None)
    return Entry(number, record, Bodies())


def test_the_query_most_limits_events_per_second_and_counts_the_rest(
    api: FakeAPI, control: ControlClient
) -> None:
    with control.events(query={"most": "10"}) as stream:
        for _ in range(200):
            api.request("GET", "/api/v1/namespaces")
        sent = lost = 0
        while sent + lost < 200:
            event = next(stream)
            sent += event["type"] == "request"
            lost += event.get("requests", 0) if event["type"] == "lost" else 0
    assert (sent + lost, sent < 200) == (200, True)


@pytest.mark.parametrize("most", ["-1", "1001"])
def test_the_query_most_is_refused_outside_its_bounds(control: ControlClient, most: str) -> None:
    with pytest.raises(ControlError, match=f"most: {most} is not from 0 to 1000"):
        control.events(query={"most": most})


def test_events_that_a_slow_client_does_not_read_are_counted_as_lost() -> None:
    async def take() -> None:
        queue = events.EventQueue(2)
        for number in range(5):
            queue.put_request(entry(number))
        for _ in range(3):
            queue.put_request(entry(9, code=409))
        queue.put({"type": "reset"})
        *sent, reset, lost = await queue.take() or []
        assert [each["request"].code for each in sent] == [200, 200, 409, 409]
        assert reset == {"type": "reset"}
        assert lost == {"type": "lost", "count": 4, "requests": 4, "objects": 0}
        queue.put_request(entry(10))
        assert [each["type"] for each in await queue.take() or []] == ["request"]
        queue.end()
        assert await queue.take() is None

    asyncio.run(take())


def test_the_command_prints_control_characters_of_a_path_as_escapes(api: FakeAPI) -> None:
    with pytest.raises(StatusError):
        api.request("GET", "/api/v1/namespaces/a%0A%1B%5B31m")
    run = CliRunner().invoke(main, ["requests", "--server", api.url, "--code", "404"])
    (line,) = run.output.splitlines()
    assert "  namespaces a\\n\\x1b[31m  404 NotFound" in line
    assert line.isprintable()


def test_the_command_prints_requests_one_to_a_line(api: FakeAPI) -> None:
    api.create_namespace("one")
    run = CliRunner().invoke(main, ["requests", "--server", api.url, "--verb", "write"])
    assert run.exit_code == 0
    (line,) = run.output.splitlines()
    assert "create  namespaces one  201" in line
    number = line.split()[0].lstrip("#")
    shown = CliRunner().invoke(main, ["requests", "--kubeconfig", str(api.kubeconfig), "--number", number])
    assert '"name": "one"' in shown.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--server", "http://127.0.0.1:1"], "does not answer"),
        (["--server", "nowhere"], "is not the URL of a server"),
        (["--kubeconfig", "missing"], "missing"),
    ],
)
def test_the_command_exits_with_1_if_the_server_does_not_answer(arguments: list[str], problem: str) -> None:
    run = CliRunner().invoke(main, ["requests", *arguments])
    assert run.exit_code == 1
    assert problem in run.output
    assert len(run.output.splitlines()) == 1


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> "queue.Queue[str]":
    """Returns a queue with the progress of the command `fakeapi requests --follow`.

    The queue receives `following` when the command subscribes to events, and then the name of the requested
    object for each event.
    """
    met: queue.Queue[str] = queue.Queue()
    events_of, next_of = ControlClient.events, EventStream.__next__

    def follow(self: ControlClient, *arguments: Any, **options: Any) -> EventStream:
        stream = events_of(self, *arguments, **options)
        met.put("following")
        return stream

    def note(self: EventStream) -> Any:
        event = next_of(self)
        met.put(event["request"]["name"])
        return event

    monkeypatch.setattr(ControlClient, "events", follow)
    monkeypatch.setattr(EventStream, "__next__", note)
    return met


def test_the_command_follows_requests_by_pattern_and_code_until_the_server_ends(
    api: FakeAPI, followed: "queue.Queue[str]"
) -> None:
    api.create_namespace("before")
    arguments = ["requests", "--follow", "--server", api.url, "--verb", "create", "--code", "201"]
    with ThreadPoolExecutor(1) as threads:
        command = threads.submit(CliRunner().invoke, main, arguments)
        assert followed.get(timeout=30) == "following"
        api.create_namespace("new")
        with pytest.raises(StatusError):
            api.create_namespace("new")
        api.get("Namespace", "new")
        api.create_namespace("last")
        assert [followed.get(timeout=30) for _ in range(3)] == ["new", "new", "last"]
        api.stop()
        result = command.result(30)
    shown = [line.split("namespaces ")[1].split()[:2] for line in result.output.splitlines()]
    assert (result.exit_code, shown) == (0, [["before", "201"], ["new", "201"], ["last", "201"]])


def test_an_interrupt_ends_requests_follow_without_a_message(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(EventStream, "__next__", interrupted)
    result = CliRunner().invoke(main, ["requests", "--follow", "--server", api.url, "--last", "0"])
    assert (result.exit_code, result.output) == (0, "")


def test_requests_follow_reports_lost_requests(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    coming = iter([{"type": "lost", "count": 7}])
    monkeypatch.setattr(EventStream, "__next__", lambda _: next(coming))
    result = CliRunner().invoke(main, ["requests", "--follow", "--server", api.url, "--last", "0"])
    assert (result.exit_code, result.output) == (0, "(7 requests are not shown: they arrived too fast)\n")


def test_requests_are_filtered_by_codes_text_and_heartbeats() -> None:
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "node"}}
    with FakeAPI() as api, ControlClient(api.url) as client:
        api.create(lease)
        node = api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
        api.update_status(node)
        with pytest.raises(StatusError):
            api.get("ConfigMap", "nothing-like-it")

        def resources(**query: Any) -> set[str]:
            return {
                each["resource"]
                for each in client.get("/requests", **query)["requests"]
                if "resource" in each
            }

        assert {"leases", "nodes/status"} <= resources()
        assert resources(heartbeats="false") == {"nodes", "configmaps"}
        assert resources(codes="4xx") == {"configmaps"}
        assert resources(codes="201,404", heartbeats="false") == {"nodes", "configmaps"}
        assert resources(text="NOTHING-like") == {"configmaps"}
        assert resources(codes="5xx,0") == set()
        newest = client.get("/requests", last=1)["requests"][0]["number"]
        older = client.get("/requests", before=newest, last=1)["requests"]
        assert [each["number"] for each in older] == [newest - 1]


@pytest.mark.parametrize("codes", ["6xx", "4x", "abc", "4040"])
def test_a_wrong_status_code_in_a_filter_is_refused(codes: str) -> None:
    with FakeAPI() as api, ControlClient(api.url) as client, pytest.raises(Exception, match="codes: "):
        client.get("/requests", codes=codes)


def test_a_misspelled_resource_is_refused_with_the_nearest_name(api: FakeAPI, control: ControlClient) -> None:
    with pytest.raises(ControlError) as caught:
        control.get("/requests", resource="resourceclam")
    assert caught.value.code == 400
    assert str(caught.value) == "no resource 'resourceclam' is served; did you mean resourceclaims?"
    result = CliRunner().invoke(main, ["requests", "--server", api.url, "--resource", "resourceclam/status"])
    assert result.exit_code == 1
    assert result.output == f"Error: {caught.value}\n"


def test_a_resource_of_another_release_has_no_requests() -> None:
    with FakeAPI(release="1.36") as api, ControlClient(api.url) as client:
        assert client.get("/requests", resource="podschedulingcontexts")["requests"] == []
        with pytest.raises(PatternError, match=r"Kubernetes 1\.27 to 1\.31 have it"):
            api.requests.verify("create podschedulingcontexts", times=0)


def test_the_requests_for_a_deleted_custom_kind_can_be_read(api: FakeAPI, control: ControlClient) -> None:
    api.create(WIDGETS)
    api.list("Widget")
    api.delete("CustomResourceDefinition", "widgets.example.com")
    api.wait_for("CustomResourceDefinition", "widgets.example.com", gone=True)
    (one,) = control.get("/requests", resource="widgets", verb="list")["requests"]
    assert control.get("/requests", resource="widgets", after=one["number"])["requests"] == []


def test_requests_accepts_the_pattern_of_a_test(api: FakeAPI) -> None:
    for name in ("one", "two"):
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})

    def shown(*arguments: str) -> list[str]:
        result = CliRunner().invoke(main, ["requests", "--server", api.url, *arguments])
        assert result.exit_code == 0, result.output
        return [line.split("configmaps default")[1].split()[0] for line in result.output.splitlines()]

    assert shown("create configmaps default/o*") == ["/one"]
    assert shown("create", "configmaps", "--name", "two") == ["/two"]
    for pattern, message in (
        ("creat configmaps", "no verb 'creat'; did you mean create?"),
        ("a b c d", "of the form VERB"),
    ):
        result = CliRunner().invoke(main, ["requests", "--server", api.url, pattern])
        assert result.exit_code == 2
        assert message in result.output
