"""Known differences between fakeapi and kube-apiserver, each with its reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.differential.exchanges.comparing import ORDER


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that is not a bug of fakeapi.

    - `pattern`: matches the whole description of the difference.
    - `reason`: why the two servers may differ.
    """

    name: str
    pattern: str
    reason: str


def _order(field: str, *kinds: str) -> str:
    """Returns the pattern of an error with the same causes in another order.

    - `field`: matches the fields of these causes, without indexes.
    - `kinds`: the rejected kinds.
    """
    return rf"{re.escape(ORDER)}: recorded '(?:{'|'.join(kinds)})(?: {field})+', got .*"


KNOWN: tuple[Known, ...] = (
    Known(
        "first-undeclared-field",
        r"\.body\.message: recorded (.*: \S*)\.\w+: field not declared in schema', "
        r"got \1\.\w+: field not declared in schema'",
        "An apply names only the first undeclared field of an object. structured-merge-diff walks the "
        "Go map of these fields, in any order.",
    ),
    Known(
        "order-of-apply-errors",
        rf"{re.escape(ORDER)}: recorded 'failed to [^']*', got .*",
        "The errors of an apply configuration that does not fit the schema come from walks of Go maps.",
    ),
    Known(
        "order-of-metric-sources",
        _order(r"spec\.metrics[.\w]*", "HorizontalPodAutoscaler"),
        "The rule about several metric sources of a HorizontalPodAutoscaler walks a Go map, in any order.",
    ),
    Known(
        "order-of-container-resources",
        _order(
            r"[.\w]*\.resources[.\w]*",
            "Pod",
            "Deployment",
            "DaemonSet",
            "ReplicaSet",
            "StatefulSet",
            "Job",
            "CronJob",
            "PodTemplate",
            "ReplicationController",
        ),
        "The rules about resources of containers (ValidateResourceRequirements) walk Go maps, in any order.",
    ),
    Known(
        "order-of-scheduling-gates",
        _order(r"spec\.schedulingGates\.name", "Pod"),
        "The rule about added gates (validateOnlyDeletedSchedulingGates) walks a Go map, in any order.",
    ),
    Known(
        "order-of-schema-errors",
        _order(r"spec\.[-.\w]*", "CustomResourceDefinition"),
        "The rules about the schema of a CustomResourceDefinition walk its properties, which are a Go map.",
    ),
    Known(
        "order-of-schema-violations",
        _order(r"[-.\w]*", "Thing"),
        "The check of a custom object against its schema walks the properties, which are a Go map.",
    ),
    Known(
        "name-of-the-type-of-self",
        r"[^:]*message: recorded (.*)\(selfType\d+\)(.*), got \1\(selfType\d+\)\2",
        "The name of the CEL type of `self` ends with the nanoseconds of the clock "
        "(generateUniqueSelfTypeName of apiextensions-apiserver).",
    ),
    Known(
        "file-of-the-scheme",
        r"\.body\.message: recorded '(no kind is registered [^']* in scheme )\"pkg/runtime/scheme\.go:\d+\"'"
        r", got '\1\"[^\"]+\"'",
        "A kube-apiserver that Go builds from modules names a file of apimachinery, because the path of a "
        "module contains its version (GetNameFromCallsite). A released kube-apiserver names the caller.",
    ),
    Known(
        "order-of-exceeded-limits",
        rf"{re.escape(ORDER)}: recorded '\w+ \"[^\"]*\" is forbidden: \[?(?:\w+imum|\w+ max limit) .*",
        "The admission plugin LimitRanger walks Go maps of resources, in any order.",
    ),
    Known(
        "order-of-selected-labels",
        _order(r"[.\w]*\.labelSelector\.matchLabels", "PodTemplate", "Pod", "\\w+"),
        "The rules about a label selector walk its matchLabels, which are a Go map.",
    ),
    Known(
        "order-of-annotations",
        _order(r"[.\w]*metadata\.annotations", "\\w+"),
        "The rules about AppArmor and seccomp annotations walk the annotations of a pod, which are a Go map.",
    ),
    Known(
        "order-of-volume-options",
        _order(r"[.\w]*\.flexVolume\.options", "\\w+"),
        "The rule about the options of a flexVolume walks a Go map, in any order.",
    ),
    Known(
        "order-of-user-annotations",
        _order(r"[.\w]*\.podCertificate\.userAnnotations", "\\w+"),
        "The rule about the user annotations of a pod certificate walks a Go map, in any order.",
    ),
    Known(
        "panic-of-kube-apiserver",
        r"\.status: recorded 0, got .*|\.body: recorded None, got .*",
        "kube-apiserver panics, and closes the connection: the annotation preferAvoidPods of a Node whose "
        "podController has no `controller` leads to a nil pointer.",
    ),
    Known(
        "literal-resource-version",
        r"\.body\.status\.resourceVersion: recorded 'recorded \d+', got '\d+'",
        "A StorageVersionMigration has a resourceVersion that the client chose. The comparison takes it for "
        "one of the server.",
    ),
    Known(
        "order-of-limits",
        _order(r"spec\.limits[.\w]*", "LimitRange"),
        "The rules of a LimitRange walk Go maps of resources, in any order.",
    ),
)


def named(lines: Iterable[str], known: Iterable[Known] = KNOWN) -> list[str]:
    """Returns the names of the known differences that explain all lines; [] if a line has no explanation."""
    names = []
    for line in lines:
        entry = next((each for each in known if re.fullmatch(each.pattern, line, re.DOTALL)), None)
        if entry is None:
            return []
        names.append(entry.name)
    return names
