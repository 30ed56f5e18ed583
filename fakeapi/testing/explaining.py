"""Explains: the method `explain` of a test's server."""

from typing import TYPE_CHECKING

from fakeapi.testing.server_methods import ServerMethods

if TYPE_CHECKING:
    from fakeapi.explaining.explanation import Explanation


class Explains(ServerMethods):
    """The method `explain` of FakeAPI."""

    def explain(self, kind: str, name: str, *, namespace: str = "default") -> "Explanation":
        """Explains why a pod or claim waits, why a pod has its node, or why an object is not deleted.

            assert "in use" in api.explain("pod", "train").summary

        - `kind`: "pod" or "claim"; also the kind or the plural of a resource, such as "Node".
        - `name`: the name of the object, or NAMESPACE/NAME.

        Returns an Explanation. Its `text` equals the output of `fakeapi explain`, and docs/explain.md
        describes its `json`. The verdict of an object that does not exist is "missing". Raises ValueError for
        a kind that cannot be explained, and for a name that is not [NAMESPACE/]NAME.
        """
        return self._running().explain(kind, namespace, name)
