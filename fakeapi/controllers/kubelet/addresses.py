"""NodeAddresses: the IP addresses of a node and of its pods."""


class NodeAddresses:
    """Assigns addresses to pods, in order, from the node's own network. `node` is the node's address."""

    def __init__(self, number: int) -> None:
        """Takes the number of the node in its cluster; the first node has 1."""
        self.node = f"10.0.0.{number}"
        self._number = number
        self._assigned = 0
        self._of_pods: dict[str, str] = {}

    def of_pod(self, uid: str) -> str:
        """Returns the address of a pod; assigns one at the first call."""
        if uid not in self._of_pods:
            number = self._assigned
            self._assigned += 1
            self._of_pods[uid] = f"10.{self._number}.{number // 250 % 256}.{number % 250 + 2}"
        return self._of_pods[uid]

    def release(self, uid: str) -> None:
        """Forgets the address of a deleted pod."""
        self._of_pods.pop(uid, None)
