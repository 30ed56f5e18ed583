"""Endpoints and EndpointSlice: validation, warnings and tables."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of


def endpoints(release: str = "1.33") -> Resource:
    return resource_of(release, "", "v1", "endpoints")


def slices(release: str = "1.33") -> Resource:
    return resource_of(release, "discovery.k8s.io", "v1", "endpointslices")


def subset(ip: str = "10.1.0.1", **members: Any) -> Body:
    return {"subsets": [{"addresses": [{"ip": ip}], "ports": [{"port": 80}], **members}]}


def sliced(*addresses: str, kind: str = "IPv4", **members: Any) -> Body:
    return {"addressType": kind, "endpoints": [{"addresses": list(addresses)}], **members}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (subset(), []),
        (subset("x"), ["subsets[0].addresses[0].ip", "subsets[0].addresses[0].ip"]),
        (subset("127.0.0.1"), ["subsets[0].addresses[0].ip"]),
        (subset(addresses=[]), ["subsets[0]"]),
        (
            subset(ports=[{"port": 80}, {"port": 81}]),
            ["subsets[0].ports[0].name", "subsets[0].ports[1].name"],
        ),
        (subset(ports=[{"port": 0}]), ["subsets[0].ports[0].port"]),
        (
            subset(addresses=[{"ip": "10.1.0.1", "nodeName": "Bad Node"}]),
            ["subsets[0].addresses[0].nodeName"],
        ),
    ],
)
def test_endpoints_have_addresses_and_ports(body: Body, fields: list[str]) -> None:
    assert [field for field, _ in refusals(endpoints(), body)] == fields


def test_stored_endpoints_are_trusted_where_the_release_trusts_them() -> None:
    bad = subset("127.0.0.1")
    assert refused_change(endpoints(), bad, bad) == []
    assert len(refused_change(endpoints("1.32"), bad, bad)) == 1


def test_ambiguous_addresses_are_warned_of_unless_the_controller_wrote_them() -> None:
    resource = endpoints()
    obj = canonical(resource, subset("01.2.3.4"))
    (warning,) = resource.strategy_for("").warnings_on_create(obj)
    assert warning.startswith("subsets[0].addresses[0].ip: non-standard IP address")
    obj["metadata"]["labels"] = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert resource.strategy_for("").warnings_on_create(obj) == []


def test_tables_show_the_first_endpoints() -> None:
    cells = {column.name: column.cell for column in endpoints().columns}
    body = subset(addresses=[{"ip": f"10.1.0.{number}"} for number in range(1, 6)])
    shown = cells["Endpoints"](created(endpoints(), body), 0)
    assert shown == "10.1.0.1:80,10.1.0.2:80,10.1.0.3:80 + 2 more..."
    assert cells["Endpoints"](created(endpoints(), {}), 0) == "<none>"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (sliced("10.1.0.1"), []),
        (sliced("fd00::1", kind="IPv6"), []),
        (sliced("a.example.com", kind="FQDN"), []),
        (sliced("a", kind="FQDN"), ["endpoints[0].addresses[0]"]),
        (sliced("10.1.0.1", kind=""), ["addressType"]),
        (sliced("10.1.0.1", kind="Odd"), ["addressType"]),
        (sliced(), ["endpoints[0].addresses"]),
        (sliced("fd00::1"), ["endpoints[0].addresses"]),
        (sliced("FD00::1", kind="IPv6"), ["endpoints[0].addresses[0]"]),
        (sliced("10.1.0.1", ports=[{"port": 80}, {"port": 81}]), ["ports[1].name"]),
        (sliced("10.1.0.1", ports=[{"protocol": "Odd"}]), ["ports[0].protocol"]),
        (
            {"addressType": "IPv4", "endpoints": [{"addresses": [f"10.1.0.{n}" for n in range(1, 102)]}]},
            ["endpoints[0].addresses"],
        ),
        ({"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.0.1"]}] * 1001}, ["endpoints"]),
        (
            {
                "addressType": "IPv4",
                "endpoints": [{"addresses": ["10.1.0.1"], "hints": {"forZones": [{"name": "a"}] * 2}}],
            },
            ["endpoints[0].hints.forZones[1].name"],
        ),
    ],
)
def test_slices_hold_addresses_of_their_type(body: Body, fields: list[str]) -> None:
    assert [field for field, _ in refusals(slices(), body)] == fields


def test_older_releases_ask_an_address_of_a_slice_for_its_family_alone() -> None:
    assert refusals(slices("1.32"), sliced("FD00::1", kind="IPv6")) == []
    ((field, text),) = refusals(slices("1.32"), sliced("fd00::1"))
    assert (field, text) == (
        "endpoints[0].addresses[0]",
        'Invalid value: "fd00::1": must be a valid IPv4 address',
    )


def test_the_type_of_a_slice_is_immutable() -> None:
    change = refused_change(slices(), sliced("10.1.0.1"), {"addressType": "IPv6", "endpoints": []})
    assert change == [("addressType", 'Invalid value: "IPv6": field is immutable')]


def test_another_label_is_another_generation_of_a_slice() -> None:
    resource = slices()
    old = created(resource, sliced("10.1.0.1"))
    same = resource.strategy_for("").prepare_update(canonical(resource, sliced("10.1.0.1")), old)
    assert "generation" not in same["metadata"]
    labelled = sliced("10.1.0.1", metadata={"labels": {"a": "b"}})
    new = resource.strategy_for("").prepare_update(canonical(resource, labelled), old)
    assert new["metadata"]["generation"] == 2


def test_topology_is_only_shown_by_v1() -> None:
    body = sliced("10.1.0.1")
    body["endpoints"][0]["deprecatedTopology"] = {"kubernetes.io/hostname": "node-1"}
    assert "deprecatedTopology" not in created(slices(), body)["endpoints"][0]


def test_hints_for_nodes_are_dropped_while_their_gate_is_off() -> None:
    body = sliced("10.1.0.1")
    body["endpoints"][0]["hints"] = {"forNodes": [{"name": "node-1"}]}
    assert created(slices("1.33"), body)["endpoints"][0]["hints"] == {}
    assert created(slices("1.34"), body)["endpoints"][0]["hints"] == {"forNodes": [{"name": "node-1"}]}


def test_tables_show_the_ports_and_endpoints_of_a_slice() -> None:
    resource = slices()
    cells = {column.name: column.cell for column in resource.columns}
    obj = created(resource, sliced("10.1.0.1", "10.1.0.2", ports=[{"port": 80}, {"name": "b"}]))
    assert cells["Ports"](obj, 0) == "80,b"
    assert cells["Endpoints"](obj, 0) == "10.1.0.1,10.1.0.2"
    assert cells["Endpoints"](created(resource, {"addressType": "IPv4", "endpoints": []}), 0) == "<unset>"


def test_what_is_declared_is_reported_last_in_1_37() -> None:
    body = {"addressType": "Odd", "endpoints": [{"addresses": [], "hostname": "A"}]}
    older = refusals(slices("1.36"), body)
    assert [field for field, _ in older] == ["addressType", "endpoints[0].addresses", "endpoints[0].hostname"]
    newer = refusals(slices("1.37"), body)
    assert [field for field, _ in newer] == ["endpoints[0].hostname", "addressType", "endpoints[0].addresses"]
    assert newer[-1] == ("endpoints[0].addresses", "Required value")
    change = refused_change(slices("1.37"), sliced("10.1.0.1"), {"addressType": "IPv6", "endpoints": []})
    assert change == [("addressType", "Invalid value: null: field is immutable")]
