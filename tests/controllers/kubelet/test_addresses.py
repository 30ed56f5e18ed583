"""Each pod of a node has an IP address of its own."""

import pytest

from fakeapi.controllers.kubelet.addresses import NodeAddresses


@pytest.mark.parametrize("node", [1, 255, 256, 1_000])
def test_pods_have_different_addresses(node: int) -> None:
    addresses = NodeAddresses(node)
    assert len({addresses.of_pod(f"pod-{number}") for number in range(250)}) == 250


@pytest.mark.parametrize("node", [1, 1_000])
def test_a_pod_keeps_its_address_while_other_pods_come_and_go(node: int) -> None:
    addresses = NodeAddresses(node)
    kept = addresses.of_pod("kept")
    others = set()
    for number in range(600):
        others.add(addresses.of_pod(f"pod-{number}"))
        addresses.release(f"pod-{number}")
    assert kept not in others
    assert addresses.of_pod("kept") == kept


def test_a_full_node_still_gives_addresses() -> None:
    addresses = NodeAddresses(1_000)
    assert all(addresses.of_pod(f"pod-{number}") for number in range(300))
