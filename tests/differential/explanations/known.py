"""Known differences between explain and kube-scheduler that no mistake causes, each with its reason."""

from tests.differential.exchanges.known import Known

KNOWN: tuple[Known, ...] = (
    Known(
        "scheduler-panics",
        r"kube-scheduler panics: runtime error: index out of range .*",
        "The allocator of 1.34 reads the capacity of another device of the slice, by its index. "
        "It panics if the slice has fewer devices (allocateDevice of k8s.io/dynamic-resource-allocation).",
    ),
)
