"""The server finds the addresses and ports in use from the newest version of each Service."""

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Any

from fakeapi.kinds.core.service.usage import RECENT_MAX, UsageTracker
from fakeapi.machinery import codec
from fakeapi_storage import Entry

RANGE = IPv4Network("10.0.0.0/24")

PREFIX = "/core/services/default/"


class Entries:
    """A fake storage that has committed entries, and newer entries that are not committed yet."""

    def __init__(self) -> None:
        self.committed: dict[str, Entry] = {}
        self.accepted: dict[str, Entry | None] = {}

    def newest(self, key: str) -> Entry | None:
        return self.accepted[key] if key in self.accepted else self.committed.get(key)

    def list(self, prefix: str) -> Iterable[Entry]:
        return [entry for key, entry in self.committed.items() if key.startswith(prefix)]


def entry(name: str, *ips: str, revision: int = 2, **port: int) -> Entry:
    spec: dict[str, Any] = {"clusterIPs": list(ips), "ports": [port]}
    value = codec.encode({"metadata": {"name": name}, "spec": spec})
    return Entry(f"{PREFIX}{name}", value, revision, revision)


def test_addresses_and_ports_of_stored_services_are_taken() -> None:
    entries = Entries()
    entries.committed = {
        each.key: each for each in (entry("a", "10.0.0.5", nodePort=30001), entry("b", "None"))
    }
    held = UsageTracker(entries, RANGE).taken()
    assert held.addresses == {"10.0.0.5"}
    assert held.ports == {30001}


def test_a_service_that_changed_at_the_same_revision_is_read_again() -> None:
    entries = Entries()
    tracker = UsageTracker(entries, RANGE)
    for address in ("10.0.0.5", "10.0.0.6"):
        entries.committed = {f"{PREFIX}a": entry("a", address)}
        assert tracker.taken().addresses == {address}


def test_what_is_accepted_counts_before_it_is_committed() -> None:
    entries = Entries()
    tracker = UsageTracker(entries, RANGE)
    entries.committed = {f"{PREFIX}b": entry("b", "10.0.0.6")}
    for name in ("a", "b"):
        tracker.expect("default", name)
    entries.accepted = {f"{PREFIX}a": entry("a", "10.0.0.5"), f"{PREFIX}b": None}
    assert tracker.taken().addresses == {"10.0.0.5"}


def test_no_more_writes_are_remembered_than_can_be_waiting() -> None:
    entries = Entries()
    tracker = UsageTracker(entries, RANGE)
    entries.accepted = {f"{PREFIX}old": entry("old", "10.0.0.5")}
    tracker.expect("default", "old")
    for number in range(RECENT_MAX):
        assert tracker.taken().addresses == {"10.0.0.5"} or number
        tracker.expect("default", f"a-{number}")
    assert tracker.taken().addresses == set()


def test_ranges_that_are_not_ready_are_not_allocated_from() -> None:
    entries = Entries()
    for name, status in (("ready", "True"), ("unready", "False")):
        value = codec.encode(
            {
                "metadata": {"name": name},
                "spec": {"cidrs": [f"10.{len(name)}.0.0/28"]},
                "status": {"conditions": [{"type": "Ready", "status": status}]},
            }
        )
        key = f"/networking.k8s.io/servicecidrs/{name}"
        entries.committed[key] = Entry(key, value, 2, 2)
    networks = [str(each) for each in UsageTracker(entries, RANGE).networks(several=True)]
    assert networks == ["10.0.0.0/24", "10.5.0.0/28"]
    assert [str(each) for each in UsageTracker(entries, RANGE).networks(several=False)] == ["10.0.0.0/24"]
