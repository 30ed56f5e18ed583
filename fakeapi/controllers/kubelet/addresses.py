"""NodeAddresses: the IP addresses of a node and of its pods."""


class NodeAddresses:
    """Assigns IP addresses from the node's own network to pods.

    `node` is the IP address of the node itself.
    """

    def __init__(self, number: int) -> None:
        """Starts without pods. `number`: the number of the node in its cluster, starting with 1."""
        self.node = f"10.0.{number // 255}.{number % 255 or 255}" if number > 254 else f"10.0.0.{number}"
        self._number = number
        self._assigned = 0
        self._of_pods: dict[str, str] = {}
        self._in_use: set[str] = set()

    def of_pod(self, uid: str) -> str:
        """Returns the IP address of the pod with this uid. The first call for a pod assigns its address.

        Two pods have the same address only if the node has more pods than addresses.
        """
        if uid not in self._of_pods:
            address = self._next()
            for _ in range(len(self._of_pods)):
                if address not in self._in_use:
                    break
                address = self._next()
            self._of_pods[uid] = address
            self._in_use.add(address)
        return self._of_pods[uid]

    def _next(self) -> str:
        """Returns the next address of the node; after the last address, returns the first address again."""
        number = self._assigned
        self._assigned += 1
        return f"{self._network(number // 250)}.{number % 250 + 2}"

    def _network(self, block: int) -> str:
        """Returns the first three numbers of the IP addresses in a block of the node.

        The nodes 1 to 255 have 256 blocks each. Every later node has only one block.
        """
        if self._number <= 255:
            return f"10.{self._number}.{block % 256}"
        return f"100.{64 + self._number // 256}.{self._number % 256}"

    def release(self, uid: str) -> None:
        """Forgets the IP address of a deleted pod. The address is not assigned again before all addresses of
        the node were assigned.
        """
        self._in_use.discard(self._of_pods.pop(uid, ""))
