"""Defines the parts of an Explanation, and their JSON form.

docs/explain.md documents the JSON. A change that breaks readers increases VERSION.
"""

from collections.abc import Sequence

import msgspec

from fakeapi.machinery.printable import counted

VERSION = 1
"""The version of the JSON form."""

NAMES_SHOWN = 10
"""Maximum number of node names, devices or objects that one list of an explanation names."""


def devices_text(count: int) -> str:
    """Returns a count of devices as text, such as "1 device" or "2 devices"."""
    return counted(count, "device")


def listed(names: Sequence[object], shown: int, total: int = 0) -> str:
    """Returns the first names and the number of the other names, such as "a, b and 3 more"; "" without names.

    - `shown`: the maximum number of names.
    - `total`: the number of all names, if `names` has only some of them.
    """
    first = [str(name) for name in names[:shown]]
    more = max(total, len(names)) - len(first)
    return f"{', '.join(first)} and {more} more" if more else ", ".join(first)


class Reference(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """An object named in an explanation.

    - `kind`: the kind, such as "Pod" or "ResourceClaim".
    - `namespace`: "" for an object without a namespace.
    """

    kind: str
    name: str
    namespace: str = ""

    @property
    def key(self) -> str:
        """NAMESPACE/NAME, or NAME for an object without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{_WORDS.get(self.kind, self.kind)} {self.key}"


_WORDS = {
    "DeviceClass": "class",
    "Namespace": "namespace",
    "Node": "node",
    "PersistentVolumeClaim": "volume claim",
    "Pod": "pod",
    "ResourceClaim": "claim",
    "ResourceClaimTemplate": "template",
    "ResourceSlice": "slice",
}


class Seen(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """A value of a device that a CEL expression read.

    - `path`: the part of the expression, such as `device.attributes["gpu.example.com"].memory`.
    - `value`: the value as in a manifest; "" if `missing`.
    - `missing`: whether the device has no such value.
    - `devices`: the number of devices with this value.
    """

    path: str
    value: str = ""
    missing: bool = False
    devices: int = 1


class Change(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """A change of the cluster that could remove a reason.

    - `text`: the change, as a text for the user.
    - `action`: "add", "create", "delete", "edit" or "wait"; "all" if all `steps` are needed together.
    - `objects`: all objects to change; [] for a change without objects.
    - `path`: the field to change; "" for the whole object.
    - `value`: the new value of this field; "" if the change does not name a value.
    - `count`: the new number of devices of a request; for "add", the number of new devices.
    - `node`: the node that the change affects; "" for all nodes.
    - `sufficient`: whether the allocator or scheduler succeeds after only this change; None if it was not
      tried.
    - `needs`: further changes that are needed if this change is not sufficient; "" if unknown.
    - `harm`: the harm of the change, such as a running pod that it ends; "" without harm.
    - `steps`: for "all", the changes that are needed together.
    - `driver`: the driver of new devices, or a simulated driver whose behaviour to change; otherwise "".
    - `like`: for "add", the ID of an existing device to copy.
    - `relaxes`: whether the pod asks for fewer or other devices after the change.
    """

    text: str
    action: str
    objects: list[Reference] = []
    path: str = ""
    count: int = 0
    node: str = ""
    sufficient: bool | None = None
    steps: "list[Change]" = []
    needs: str = ""
    value: str = ""
    harm: str = ""
    driver: str = ""
    like: str = ""
    relaxes: bool = False

    @property
    def rank(self) -> tuple[bool, int]:
        """The sort key of changes: sufficient changes come first.

        Among them, changes that keep the request come before changes that relax it. Changes without harm come
        before changes with harm. New devices come after them, because they are hardware. Another hostname of
        a node comes last, because the kubelet sets this label.
        """
        order = 3 if self.action == "add" else 2 if self.relaxes else 1 if self.harm else 0
        order = 4 if self.sets_hostname else order
        return not self.sufficient, order

    @property
    def sets_hostname(self) -> bool:
        """Whether the change gives the label kubernetes.io/hostname of a node another value."""
        return self.path == "metadata.labels" and self.value.startswith("kubernetes.io/hostname=")


def distinct(changes: Sequence[Change]) -> list[Change]:
    """Removes changes with the text of an earlier change. Also removes changes that do not suffice.

    Changes that were not tried stay. If no change would be left, the changes that do not suffice stay too.
    """
    by_text = {change.text: change for change in reversed(changes)}
    chosen = [by_text[text] for text in dict.fromkeys(change.text for change in changes)]
    sufficient = [change for change in chosen if change.sufficient is not False]
    return sufficient or chosen


class Reason(msgspec.Struct, rename="camel", omit_defaults=True):
    """A reason why an object waits.

    - `code`: a stable name of the reason, such as "DevicesInUse".
    - `text`: the reason in one sentence.
    - `details`: further facts, one line each.
    - `object` and `path`: the object and the field to look at.
    - `expression`: the CEL expression, as written.
    - `claim` and `request`: the claim and the name of its request; a subrequest is `request/subrequest`.
    - `nodes`: at most NAMES_SHOWN nodes that the reason concerns. `node_count` is the number of all such
      nodes.
    - `seen`: the values that the expression read.
    - `blame`: the objects that cause the reason, such as the pods that use the devices.
    """

    code: str
    text: str
    details: list[str] = []
    object: Reference | None = None
    path: str = ""
    expression: str = ""
    claim: Reference | None = None
    request: str = ""
    nodes: list[str] = []
    node_count: int = 0
    seen: list[Seen] = []
    blame: list[Reference] = []
    changes: list[Change] = []


class Dropped(msgspec.Struct, rename="camel", omit_defaults=True):
    """A group of devices of one node that a request cannot use for the same reason.

    - `code`: a stable name of the reason, such as "DevicesInUse".
    - `devices`: the number of devices; `names` has at most NAMES_SHOWN of them.
    """

    code: str
    text: str
    devices: int
    names: list[str] = []
    seen: list[Seen] = []
    blame: list[Reference] = []

    @property
    def is_by_driver(self) -> bool:
        """Whether a class refuses the devices only because they are of another driver."""
        return self.code == "ClassSelectorDoesNotMatch" and {one.path for one in self.seen} == {
            "device.driver"
        }


class RequestOnNode(msgspec.Struct, rename="camel", omit_defaults=True):
    """The numbers of devices that one node offers to one request.

    - `needed`: the number of devices that the request needs; 0 for allocationMode All without devices.
    - `published`: the number of devices in the pools that this node can use, only of the `drivers`.
    - `in_class`: the number of devices that match the DeviceClass.
    - `selected`: the number of devices that also match the request's own selectors.
    - `usable`: the number of devices that the request could get if it were the only request.
    - `drivers`: the drivers that the DeviceClass names; [] if the class selects devices of all drivers.
    """

    claim: Reference
    request: str
    device_class: str
    needed: int
    published: int
    in_class: int
    selected: int
    usable: int
    dropped: list[Dropped] = []
    drivers: list[str] = []


class NodeResult(msgspec.Struct, rename="camel", omit_defaults=True):
    """The scheduler's result for a pod on one node.

    - `message`: the scheduler's reason, as in the pod's condition; "" for a feasible node.
    - `score`: the total score of a feasible node; 0 if only one node is feasible.
    - `scores`: the weighted score of each scheduler plugin; {} if only one node is feasible.
    - `reason`: the reason, as a text for the user.
    """

    name: str
    feasible: bool
    message: str = ""
    score: int = 0
    chosen: bool = False
    reason: str = ""
    requests: list[RequestOnNode] = []
    scores: dict[str, int] = {}


class ExplanationFields(msgspec.Struct, rename="camel"):
    """The reasons why an object waits, or why it has its node or state.

    - `release`: the Kubernetes release whose rules were applied.
    - `verdict`: one of the words that docs/explain.md lists, such as "pending" or "placed".
    - `summary`: the shortest true answer, in one line.
    - `details`: facts about an object that is placed, allocated or present, one line each.
    - `reasons`: the most important reason first.
    - `nodes`: the nodes, feasible nodes first.
    - `notes`: further sentences, such as which information could not be read.
    """

    version: int
    release: str
    object: Reference
    verdict: str
    summary: str
    reasons: list[Reason] = []
    nodes: list[NodeResult] = []
    notes: list[str] = []
    details: list[str] = []

    @property
    def headline(self) -> str:
        """The first line of the text: the object, its verdict and its summary."""
        return f"{self.object} {self.verdict}: {self.summary}"
