"""The request journal: its entries, and the limits of its size."""

import http.client
from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.journal import journal as journals
from fakeapi.journal.entry import Raw
from fakeapi.journal.journal import Journal

CLAIM = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "metadata": {"name": "claim"},
    "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
}
PATH = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as api:
        yield api


def raw(path: bytes = b"/api/v1/pods", code: int = 200) -> Raw:
    return (0.0, 0.0, "GET", path, b"", "list", "me", b"agent", code, 0, ("", 0, 0), (), None)


def test_a_request_is_told_with_its_object_its_sender_and_its_versions(api: FakeAPI) -> None:
    created = api.request("POST", PATH, CLAIM)
    created["metadata"]["labels"] = {"a": "b"}
    updated = api.request("PUT", f"{PATH}/claim", created)
    api.request("DELETE", f"{PATH}/claim")
    create, update, delete = api.requests
    version, later = (each["metadata"]["resourceVersion"] for each in (created, updated))
    assert (create.verb, create.resource, create.namespace, create.name, create.code) == (
        "create",
        "resourceclaims",
        "default",
        "claim",
        201,
    )
    assert (create.agent, create.user) == ("fakeapi", "kubernetes-admin")
    assert (create.before, create.after) == ("", version)
    assert (update.before, update.after) == (version, later)
    assert (delete.before, delete.after) == (later, "")
    assert create.body == CLAIM
    assert create.answer is None
    assert 0 <= create.seconds < 60


def test_the_name_that_the_server_made_is_the_name_of_the_request(api: FakeAPI) -> None:
    named = api.request("POST", PATH, {**CLAIM, "metadata": {"generateName": "claim-"}})
    assert api.requests[0].name == named["metadata"]["name"]


def test_a_refusal_is_told_with_its_reason_and_its_message(api: FakeAPI) -> None:
    with pytest.raises(StatusError):
        api.request("GET", f"{PATH}/missing")
    entry = api.requests[0]
    assert (entry.code, entry.reason) == (404, "NotFound")
    assert entry.message == 'resourceclaims.resource.k8s.io "missing" not found'
    assert "404 NotFound" in str(entry)


def test_a_watch_is_open_until_it_ends_and_counts_its_events(api: FakeAPI) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    connection.request("GET", f"{PATH}?watch=true&resourceVersion=0")
    stream = connection.getresponse()
    created = api.request("POST", PATH, CLAIM)
    stream.readline()
    (entry,) = api.requests.filter("watch")
    assert entry.watch is not None
    while entry.watch.behind:
        pass  # waits until the server has noted that it sent the event
    assert (entry.watch.is_open, entry.watch.sent) == (True, 1)
    assert str(entry.watch.version) == created["metadata"]["resourceVersion"]
    api.reset()
    assert stream.read() == b""
    connection.close()
    assert not entry.watch.is_open


def test_answers_are_kept_when_asked_for_and_nothing_when_it_is_off() -> None:
    with FakeAPI(journal="bodies") as api:
        api.create_namespace("one")
        assert api.requests.filter("create")[0].answer["metadata"]["name"] == "one"
    with FakeAPI(journal="off") as api:
        api.create_namespace("one")
        assert len(api.requests) == 0


def test_a_reset_forgets_the_requests(api: FakeAPI) -> None:
    api.create_namespace("one")
    api.reset()
    assert len(api.requests) == 0


def test_the_oldest_requests_are_forgotten_and_numbers_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "ENTRIES_MAX", 3)
    journal = Journal()
    for number in range(5):
        journal.append(raw(b"/%d" % number), b"body", b"")
    assert [(each.number, each.path) for each in journal.entries()] == [(3, "/2"), (4, "/3"), (5, "/4")]
    assert (journal.last, journal.forgotten) == (5, 2)
    assert journal.entry(2) is None
    assert journal.entry(6) is None
    assert [each.number for each in journal.entries(after=4)] == [5]


def test_bodies_are_forgotten_before_their_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "BODIES_BYTES_MAX", 20)
    journal = Journal()
    for body in (b'"first"', b'"second"', b'"third"'):
        journal.append(raw(), body, b"")
    assert [each.body for each in journal.entries()] == [None, "second", "third"]


def test_each_of_the_newest_entries_has_its_own_bodies() -> None:
    journal = Journal()
    for number, code in enumerate((422, 200, 403, 200, 422, 200), 1):
        sent = b"" if number in {2, 5} else str(number).encode()
        journal.append(raw(code=code), sent, sent)
    every = [(entry.number, entry.bodies.sent) for entry in journal.newest_entries()]
    assert every == [(6, b"6"), (5, b""), (4, b"4"), (3, b"3"), (2, b""), (1, b"1")]
    refused = journal.newest_entries(1, lambda record: record.code != 200)
    assert [(entry.number, entry.bodies.answer) for entry in refused] == [(5, b""), (3, b"3")]


def test_a_long_body_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "BODY_MAX", 5)
    journal = Journal()
    journal.append(raw(), b"12345", b"123456")
    (entry,) = journal.entries()
    assert (entry.body, entry.answer) == (12345, None)


def test_long_paths_and_agents_are_cut(api: FakeAPI) -> None:
    with pytest.raises(StatusError):
        api.request("GET", "/" + "x" * 5000)
    assert len(api.requests[0].path) == journals.TEXT_MAX


def test_listeners_hear_of_every_request_until_they_end() -> None:
    journal, heard = Journal(), list[int]()
    end = journal.subscribe(lambda entry: heard.append(entry.number))
    journal.append(raw(), b"", b"")
    end()
    journal.append(raw(), b"", b"")
    assert heard == [1]
