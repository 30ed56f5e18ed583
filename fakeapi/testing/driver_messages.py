"""Messages between the kubelet and a DRA driver, for test drivers without generated stubs (extra `node`).

`PrepareRequest`, `PluginInfo` and the other messages are protobuf message classes, like the classes that
protoc generates. All versions of the gRPC API from v1alpha4 on share these messages. A map field is a list of
entries with `key` and `value`.
"""

from typing import Any

from fakeapi.controllers.kubelet.messages import MESSAGES


def __getattr__(name: str) -> Any:
    try:
        return MESSAGES[name]
    except KeyError:
        raise AttributeError(f"there is no message {name}") from None
