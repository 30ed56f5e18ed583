"""Restores explicitly empty lists. Decoding drops such lists, but validation needs them.

In a few checks kube-apiserver treats `[]` differently from a missing list. This module only restores lists
that make their object invalid or that a feature gate drops later. Therefore no empty list is ever stored.
"""

from typing import Any

from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.layout import Layout
from fakeapi.kinds.resource.validation.attributes import LISTS
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_BINDING = ("bindingConditions", "bindingFailureConditions")


def restore_in_status(claim: Object, sent: Any) -> None:
    """Restores empty lists of binding conditions in the allocation results of a ResourceClaim.

    `sent`: the decoded JSON of the request body, which still has the lists
    """
    results = claim["status"].get("allocation", {}).get("devices", {}).get("results", ())
    sent_results = _at(sent, "status", "allocation", "devices", "results")
    for result, result_sent in zip(results, sent_results or (), strict=False):
        _restore_binding(result, result_sent)


def restore_in_slice(each: Object, sent: Any, layout: Layout, rules: ReleaseRules) -> None:
    """Restores empty lists in a ResourceSlice and its devices, in place.

    - `each`: the decoded ResourceSlice
    - `sent`: the decoded JSON of the request body, which still has the lists
    - `layout`: the layout of the devices in the request body
    """
    spec, sent_spec = each["spec"], _at(sent, "spec")
    for device, device_sent in zip(spec.get("devices") or (), _at(sent_spec, "devices") or (), strict=False):
        if layout is Layout.NESTED:
            _restore_in_device(device.get("basic", {}), _at(device_sent, "basic"), rules)
        else:
            _restore_in_device(device, device_sent, rules)
    if not rules.quirks.counter_sets_stand_alone or not rules.gates.enabled(gates.PARTITIONABLE_DEVICES):
        return
    if all(isinstance(_at(sent_spec, name), list) for name in ("devices", "sharedCounters")):
        spec.setdefault("devices", [])
        spec.setdefault("sharedCounters", [])


def _restore_in_device(device: Object, sent: Any, rules: ReleaseRules) -> None:
    _restore_binding(device, sent)
    if gates.LIST_TYPE_ATTRIBUTES not in rules.gates:
        return
    for name, attribute in (device.get("attributes") or {}).items():
        for values in LISTS:
            if _at(sent, "attributes", name, values) == []:
                attribute.setdefault(values, [])


def _restore_binding(holder: Object, sent: Any) -> None:
    for name, other in zip(_BINDING, reversed(_BINDING), strict=True):
        if holder.get(other) and _at(sent, name) == []:
            holder[name] = []


def _at(sent: Any, *path: str) -> Any:
    """Returns the value at a path of a decoded body; None if the body does not have this path."""
    for name in path:
        sent = sent.get(name) if isinstance(sent, dict) else None
    return sent
