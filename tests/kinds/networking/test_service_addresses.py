"""ServiceCIDR and IPAddress: validation and immutable fields."""

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, created, refusals, refused_change, resource_of


def kind(resource: str, release: str = "1.33", version: str = "v1") -> Resource:
    return resource_of(release, "networking.k8s.io", version, resource)


def cidr(*cidrs: str) -> Body:
    return {"spec": {"cidrs": list(cidrs)}}


TWO_OF_A_FAMILY = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
THREE_CIDRS = 'networking.ServiceCIDRSpec{CIDRs:[]string{"10.0.0.0/16", "fd00::/64", "x"}}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (cidr("10.0.0.0/16"), []),
        (cidr("10.0.0.0/16", "fd00::/64"), []),
        (cidr(), [("spec.cidrs", "Required value: at least one CIDR required")]),
        (
            cidr("10.0.0.1/16"),
            [
                (
                    "spec.cidrs[0]",
                    'Invalid value: "10.0.0.1/16": must not have bits set beyond the prefix length',
                )
            ],
        ),
        (
            cidr("10.0.0.0/16", "10.1.0.0/16"),
            [
                (
                    "spec.cidrs",
                    f'Invalid value: []string{{"10.0.0.0/16", "10.1.0.0/16"}}: {TWO_OF_A_FAMILY}',
                )
            ],
        ),
        (
            cidr("10.0.0.0/16", "fd00::/64", "x"),
            [
                (
                    "spec.cidrs",
                    f"Invalid value: {THREE_CIDRS}: may only hold up to 2 values",
                )
            ],
        ),
    ],
)
def test_there_is_a_range_of_each_family_at_most(body: Body, expected: list[tuple[str, str]]) -> None:
    assert refusals(kind("servicecidrs"), body) == expected


def test_before_ranges_were_generally_available_they_were_parsed_more_strictly() -> None:
    resource = kind("servicecidrs", "1.32", "v1beta1")
    assert refusals(resource, cidr("x")) == [
        ("spec.cidrs[0]", 'Invalid value: "x": netip.ParsePrefix("x"): no \'/\'')
    ]
    assert refusals(resource, cidr("10.0.0.1/16")) == [
        (
            "spec.cidrs[0]",
            'Invalid value: "10.0.0.1/16": wrong CIDR format, IP doesn\'t match network IP address',
        )
    ]


def test_a_range_of_the_other_family_may_be_added_and_nothing_else_changed() -> None:
    one, two = cidr("10.0.0.0/16"), cidr("10.0.0.0/16", "fd00::/64")
    assert refused_change(kind("servicecidrs"), one, two) == []
    assert refused_change(kind("servicecidrs"), one, cidr("10.1.0.0/16")) == [
        ("spec.cidrs[0]", 'Invalid value: "10.1.0.0/16": field is immutable')
    ]
    assert refused_change(kind("servicecidrs"), two, one) == [
        ("spec.cidrs", 'Invalid value: []string{"10.0.0.0/16"}: field is immutable')
    ]
    assert len(refused_change(kind("servicecidrs", "1.32", "v1beta1"), one, two)) == 1


def test_a_write_to_a_range_sets_no_status_where_the_release_has_it_so() -> None:
    ready = {**cidr("10.0.0.0/16"), "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    assert created(kind("servicecidrs", "1.35"), ready)["status"]["conditions"]
    assert created(kind("servicecidrs", "1.36"), ready)["status"] == {}


@pytest.mark.parametrize(
    ("release", "version", "name", "problem"),
    [
        ("1.33", "v1", "10.0.0.1", None),
        ("1.33", "v1", "x", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("1.33", "v1", "FD00::1", 'must be in canonical form ("fd00::1")'),
        ("1.32", "v1beta1", "x", 'ParseAddr("x"): unable to parse IP'),
        ("1.32", "v1beta1", "FD00::1", "must be a canonical format IP address"),
        ("1.28", "v1alpha1", "FD00::1", "not a valid ip in canonical format"),
    ],
)
def test_the_name_of_an_address_is_the_address(
    release: str, version: str, name: str, problem: str | None
) -> None:
    found = kind("ipaddresses", release, version).name_validator(name, False)
    assert found == ([] if problem is None else [problem])


def test_an_address_has_a_parent_that_stays() -> None:
    parent = {"resource": "services", "namespace": "ns", "name": "a"}
    address = {"spec": {"parentRef": parent}}
    assert refusals(kind("ipaddresses"), address) == []
    assert refusals(kind("ipaddresses"), {"spec": {}}) == [("spec.parentRef", "Required value")]
    assert refusals(kind("ipaddresses"), {"spec": {"parentRef": {}}}) == [
        ("spec.parentRef.resource", "Required value"),
        ("spec.parentRef.name", "Required value"),
    ]
    other = {"spec": {"parentRef": {**parent, "name": "b"}}}
    ((field, text),) = refused_change(kind("ipaddresses"), address, other)
    assert field == "spec.parentRef"
    assert text.endswith('Name:"b"}: field is immutable')
