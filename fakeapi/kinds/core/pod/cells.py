"""Table cells and row conditions of pods, for `kubectl get pods`.

`summary` computes READY, STATUS and RESTARTS.
"""

from collections.abc import Mapping, Sequence

from fakeapi.kinds.core.pod.conditions import is_true
from fakeapi.kinds.core.pod.summary import PodSummary
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.releases import Quirks

NONE = "<none>"
_COMPLETED: Object = {"type": "Completed", "status": "True"}
_CONDITIONS: Mapping[str, Sequence[Object]] = {
    "Succeeded": [{**_COMPLETED, "reason": "Succeeded", "message": "The pod has completed successfully."}],
    "Failed": [{**_COMPLETED, "reason": "Failed", "message": "The pod failed."}],
}


def pod_cells(quirks: Quirks) -> Mapping[str, Cell]:
    """Returns the functions for the cells of a pod table, by column name."""
    return {
        "Ready": lambda pod, now: PodSummary(pod, quirks).ready,
        "Status": lambda pod, now: PodSummary(pod, quirks).status,
        "Restarts": lambda pod, now: PodSummary(pod, quirks).restarts(now),
        "IP": _address,
        "Node": _or_none(at("spec", "nodeName")),
        "Nominated Node": _or_none(at("status", "nominatedNodeName")),
        "Readiness Gates": _readiness_gates,
    }


def row_conditions(pod: Object) -> Sequence[Object]:
    """Returns the conditions in the table row of a pod. Only rows of finished pods have conditions."""
    return _CONDITIONS.get(pod["status"].get("phase", ""), ())


def _or_none(cell: Cell) -> Cell:
    return lambda pod, now: cell(pod, now) or NONE


def _address(pod: Object, now: float) -> str:
    addresses = pod["status"].get("podIPs") or [{}]
    return addresses[0].get("ip") or NONE


def _readiness_gates(pod: Object, now: float) -> str:
    """Returns the table cell for readiness gates: the numbers of true gates and all gates, such as `1/2`."""
    gates = pod["spec"].get("readinessGates")
    if not gates:
        return NONE
    met = sum(is_true(pod["status"], gate.get("conditionType", "")) for gate in gates)
    return f"{met}/{len(gates)}"
