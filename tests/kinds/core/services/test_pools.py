"""The server allocates each cluster IP and each node port of its ranges only once."""

from ipaddress import ip_network

import pytest

from fakeapi.kinds.core.service.pools import (
    AddressPool,
    AllocationError,
    PoolFull,
    PortPool,
)

RANGE = ip_network("10.0.0.0/24")
NODE_PORTS = range(30000, 32768)


def first() -> float:
    return 0.0


def addresses(*taken: str, names_network: bool = True) -> AddressPool:
    return AddressPool((RANGE,), frozenset(taken), first, names_network=names_network)


def test_addresses_that_people_choose_are_chosen_last() -> None:
    assert addresses().next(dry_run=False) == "10.0.0.17"
    upper = [f"10.0.0.{number}" for number in range(17, 255)]
    assert addresses(*upper).next(dry_run=False) == "10.0.0.1"


def test_neither_the_network_nor_its_broadcast_address_is_given() -> None:
    every = [f"10.0.0.{number}" for number in range(1, 255)]
    with pytest.raises(PoolFull, match="range is full"):
        addresses(*every).next(dry_run=False)
    for text in ("10.0.0.0", "10.0.0.255"):
        with pytest.raises(AllocationError, match="is not in the valid range"):
            addresses().check(text, dry_run=False)


def test_an_address_is_given_once() -> None:
    with pytest.raises(AllocationError, match="provided IP is already allocated"):
        addresses("10.0.0.5").check("10.0.0.5", dry_run=False)
    addresses("10.0.0.5").check("10.0.0.5", dry_run=True)


def test_an_address_of_no_range_is_told_the_range_where_there_is_one() -> None:
    with pytest.raises(AllocationError, match=r"\(1.2.3.4\) is not in the valid range.*10.0.0.0/24"):
        addresses().check("1.2.3.4", dry_run=False)
    with pytest.raises(AllocationError, match="the provided network does not match the current range"):
        addresses(names_network=False).check("1.2.3.4", dry_run=False)


def test_a_dry_run_shows_the_address_of_the_network() -> None:
    assert addresses().next(dry_run=True) == "10.0.0.0"


def test_a_small_range_has_no_part_that_is_chosen_last() -> None:
    pool = AddressPool((ip_network("10.0.0.0/28"),), frozenset(), first)
    assert pool.next(dry_run=False) == "10.0.0.1"


def test_node_ports_are_given_once() -> None:
    pool = PortPool(NODE_PORTS, frozenset((30086,)), first, dry_run=False)
    assert [pool.next(), pool.next()] == [30087, 30088]
    for port in (30086, 30087):
        with pytest.raises(AllocationError, match="provided port is already allocated"):
            pool.take(port)
    with pytest.raises(AllocationError, match="The range of valid ports is 30000-32767"):
        pool.take(80)


def test_all_node_ports_are_given_before_there_are_none() -> None:
    pool = PortPool(NODE_PORTS, frozenset(), first, dry_run=False)
    assert {pool.next() for _ in NODE_PORTS} == set(NODE_PORTS)
    with pytest.raises(PoolFull):
        pool.next()


def test_a_dry_run_chooses_ports_outside_of_the_range() -> None:
    pool = PortPool(NODE_PORTS, frozenset(), first, dry_run=True)
    pool.take(80)
    assert [pool.next(), pool.next()] == [81, 82]
    assert PortPool(NODE_PORTS, frozenset(), first, dry_run=True).next() == 32769
