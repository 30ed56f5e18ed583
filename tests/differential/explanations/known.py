"""Known differences between explain and kube-scheduler that no mistake causes, each with its reason."""

from tests.differential.exchanges.known import Known

KNOWN: tuple[Known, ...] = (
    Known(
        "unclear-pools",
        r"node \S+ is (not )?feasible here, .* \(its slices disagree on resourceSliceCount\)",
        "kube-scheduler compares the number of slices with the count of the first slice (GatherPools). It "
        "lists slices from a Go map, in any order (ListPatchedResourceSlices).",
    ),
    Known(
        "scheduler-panics",
        r"kube-scheduler panics: runtime error: index out of range .*",
        "The allocator of 1.34 reads the capacity of another device of the slice, by its index. "
        "It panics if the slice has fewer devices (allocateDevice of k8s.io/dynamic-resource-allocation).",
    ),
)
