"""Messages between a kubelet and a DRA driver, for drivers in tests that have no stubs (extra `node`).

`PrepareRequest`, `PluginInfo` and so on are message classes as protoc makes them; from v1alpha4 on, all
versions of the gRPC API have the same. Where a stub has a map, these have a list of `key` and `value`.
"""

from typing import Any

from fakeapi.controllers.kubelet.messages import MESSAGES


def __getattr__(name: str) -> Any:
    try:
        return MESSAGES[name]
    except KeyError:
        raise AttributeError(f"there is no message {name}") from None
