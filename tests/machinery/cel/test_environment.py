from fakeapi.machinery.cel.environment import Environment, Extent, extent
from fakeapi.machinery.cel.sizes import Size
from fakeapi.machinery.cel.types import INT, STRING, read

EXTENTS = {
    "device": Extent(
        fields={"driver": Extent(63), "attributes": Extent(32, keys=Extent(63), elements=Extent(8))}
    )
}


def test_a_path_leads_to_the_size_of_what_it_names() -> None:
    assert extent(EXTENTS, ("device", "driver")) == Size(0, 63)
    assert extent(EXTENTS, ("device", "attributes", "@keys")) == Size(0, 63)
    assert extent(EXTENTS, ("device", "attributes", "@values")) == Size(0, 8)


def test_a_path_to_nothing_known_has_no_size() -> None:
    assert extent(EXTENTS, ("device", "unknown")) is None
    assert extent(EXTENTS, ("device", "unknown", "deeper")) is None
    assert extent(EXTENTS, ()) is None


def test_an_expression_may_name_variables_types_and_structs() -> None:
    environment = Environment({"x.y": INT}, frozenset({"addresses"}), structs={"S": {"field": STRING}})
    assert environment.names["x.y"] == INT
    assert environment.names["net.IP"] == read("type(net.IP)")
    assert environment.names["S"].kind == "type"
    assert Environment({}, frozenset(), structs={"S": {}}, constructible=False).names["S"].kind == "struct"


def test_fields_are_known_of_own_structs_and_of_well_known_messages() -> None:
    environment = Environment({}, frozenset(), structs={"S": {"field": STRING}})
    assert environment.fields("S") == {"field": STRING}
    assert environment.fields("google.protobuf.Duration") == {"seconds": INT, "nanos": INT}
    assert environment.fields("Duration") is None
