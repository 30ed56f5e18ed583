"""Restores explicitly empty lists of device requests in the spec of a claim or a template.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim` and `resourceclaimtemplate`.
"""

from typing import Any

from fakeapi.machinery.json_types import Object

_LISTS = ("selectors", "tolerations", "derivedAttributes")


def restore_empty_request_lists(spec: Object, sent: Any, path: tuple[str, ...]) -> None:
    """Restores explicitly empty lists of device requests that decoding dropped.

    In v1alpha3 and v1beta1, from 1.33 on, an empty list makes the request exact, and errors print the list.
    The stored form omits empty lists.

    - `spec`: the decoded claim spec, which the function changes in place
    - `sent`, `path`: the request body, and the path of its device requests
    """
    for name in path:
        sent = sent.get(name) if isinstance(sent, dict) else None
    for request, sent_request in zip(spec["devices"]["requests"] or (), sent or (), strict=False):
        request |= {name: [] for name in _LISTS if (sent_request or {}).get(name) == []}
