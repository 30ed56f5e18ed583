"""NodeAddresses: the IP addresses of a node and of its pods."""


class NodeAddresses:
    """`node` is the node's address; the pods' are assigned from a network of its own, in order."""

    def __init__(self, number: int) -> None:
        """`number` is that of the node in its cluster, from 1 on."""
        self.node = f"10.0.0.{number}"
        self._number = number
        self._assigned = 0
        self._of_pods: dict[str, str] = {}

    def of_pod(self, uid: str) -> str:
        """The address of a pod; assigned when first asked for."""
        if uid not in self._of_pods:
            number = self._assigned
            self._assigned += 1
            self._of_pods[uid] = f"10.{self._number}.{number // 250 % 256}.{number % 250 + 2}"
        return self._of_pods[uid]

    def release(self, uid: str) -> None:
        """Forgets the address of a pod that is gone."""
        self._of_pods.pop(uid, None)
