"""Builds clusters in which a pod waits for devices: classes, selectors, use, constraints, pools and new
features.
"""

from fakeapi import FakeAPI
from tests.explaining.manifests import (
    DRIVER,
    claim,
    device,
    device_class,
    node,
    pod,
    request,
    resource_slice,
    selector,
)
from tests.explaining.situations import cluster, situation, train, use

# devices and classes ------------------------------------------------------------------------------


@situation("NoDevices", "request gpu: no driver has published a ResourceSlice, so the cluster has no devices")
def no_slice(api: FakeAPI) -> None:
    cluster(api)
    train(api)


@situation("NoDevices", "request gpu: node a has no devices; slices are for node b")
def slices_only_for_another_node(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "b", [device("gpu-0")])
    train(api)


@situation("NoDevices", "request gpu: node a has no devices; slices are for nodes with rack In (1)")
def slice_for_other_labels(api: FakeAPI) -> None:
    cluster(api)
    term = {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1"]}]}
    resource_slice(api, "net", [device("gpu-0")], nodeSelector={"nodeSelectorTerms": [term]})
    train(api)


@situation(
    "ClassSelectorDoesNotMatch",
    "class gpu.example.com: driver gpu.example.com publishes no devices",
)
def class_of_another_driver(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("gpu-0")], driver="gpu.nvidia.com")
    train(api)


@situation(
    "SelectorFails",
    "selectors[0] of request gpu reads model in example.com; devices have it in gpu.example.com",
)
def attribute_under_the_wrong_domain(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", 'device.attributes["example.com"].model == "a100"'))


@situation("SelectorFails", "selectors[0] of request gpu reads memory as an attribute; it is a capacity")
def capacity_read_as_attribute(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].memory == "16Gi"'))


@situation(
    "RequestSelectorDoesNotMatch",
    'request gpu wants model "A100", 1 device has "a100": only the letter case differs',
)
def model_in_another_letter_case(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].model == "A100"'))


@situation(
    "SelectorFails", "selectors[0] of class strict fails on gpu-0 of node a: attribute healthy is missing"
)
def missing_attribute_in_a_class(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "strict", f'device.attributes["{DRIVER}"].healthy')
    train(api, request(class_name="strict"))


@situation("SelectorFails", "selectors[0] of request gpu fails on gpu-0 of node a: attribute mig is missing")
def selector_that_needs_has(api: FakeAPI) -> None:
    new = device("gpu-1", attributes={"model": {"string": "b"}, "mig": {"bool": True}})
    cluster(api, device("gpu-0"), new)
    train(api, request("gpu", f'device.attributes["{DRIVER}"].mig'))


@situation("RequestSelectorDoesNotMatch", "request gpu matches none of 1 device: attribute modle is missing")
def optional_attribute_misspelled(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].?modle.orValue("") == "a100"'))


@situation(
    "RequestSelectorDoesNotMatch",
    "request gpu matches none of 2 devices: capacity memory is 16Gi, wanted >= 40Gi",
)
def too_little_memory(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    expression = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    train(api, request("gpu", f'device.driver == "{DRIVER}" && {expression}'))


@situation(
    "RequestSelectorDoesNotMatch",
    'request gpu matches none of 1 device: attribute model is "a100", wanted == "h100"',
)
def another_model(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].model == "h100"'))


@situation(
    "RequestSelectorDoesNotMatch",
    'request gpu matches none of 1 device: attribute model is "a100", wanted in ["h100", "h200"]',
)
def model_not_in_the_list(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].model in ["h100", "h200"]'))


@situation(
    "RequestSelectorDoesNotMatch",
    'request gpu matches none of 1 device: attribute driverVersion is "1.2.3", wanted > 2.0.0',
)
def old_driver_version(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", attributes={"driverVersion": {"version": "1.2.3"}}))
    expression = f'device.attributes["{DRIVER}"].driverVersion.isGreaterThan(semver("2.0.0"))'
    train(api, request("gpu", expression))


@situation("RequestSelectorDoesNotMatch", 'request gpu matches none of 1 device: attribute model is "a100"')
def selector_with_bind(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'cel.bind(gpu, device.attributes["{DRIVER}"], gpu.model == "h100")'))


@situation("SelectorFails", "selectors[0] of class new compares driverVersion, a version, with a string")
def version_compared_with_a_string(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", attributes={"driverVersion": {"version": "1.2.3"}}))
    device_class(api, "new", f'device.attributes["{DRIVER}"].driverVersion >= "1.2"')
    train(api, request(class_name="new"))


@situation("TooFewDevices", "request gpu needs 4 devices on one node; no node has more than 2 (2 free on a)")
def too_few_devices_on_one_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0")])
    train(api, request(count=4))


@situation("TooFewDevices", "request gpu needs 3 devices on one node; no node has more than 1 (1 free on a)")
def few_match_the_selector(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", numa=1), device("gpu-1"), device("gpu-2"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].numa == 1', count=3))


@situation("ClassMissing", "request gpu names class gpu.exmaple.com, which does not exist")
def class_name_misspelled(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request(class_name="gpu.exmaple.com"))


@situation("ClassMissing", "request gpu names class gpu.example.com, which does not exist")
def no_class_at_all(api: FakeAPI) -> None:
    node(api, "a")
    train(api)


# devices in use -----------------------------------------------------------------------------------


@situation("DevicesInUse", "request gpu needs 1 device; node a has 0 free of 2: 2 in use")
def all_devices_used_by_one_claim(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    use(api, "other", 2)
    train(api)


@situation("DevicesInUse", "request gpu needs 2 devices; node a has 1 free of 3: 2 in use")
def devices_used_by_two_claims(api: FakeAPI) -> None:
    cluster(api, *(device(f"gpu-{number}") for number in range(3)))
    use(api, "one")
    use(api, "two")
    train(api, request(count=2))


@situation("DevicesInUse", "request gpu needs 1 device; node a has 0 free of 1: 1 in use")
def the_only_match_is_inuse(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", numa=1), device("gpu-1"))
    use(api, "other")
    train(api, request("gpu", f'device.attributes["{DRIVER}"].numa == 1'))


@situation("DevicesInUse", "request gpu needs all devices; node a has 1 free of 2: 1 in use")
def all_devices_wanted_and_one_inuse(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    use(api, "other")
    train(api, request(allocationMode="All"))


@situation(
    "ClaimElsewhere",
    "nodeSelector allows only b; claim default/gpu is allocated to devices of node a",
)
def shared_claim_allocated_on_another_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    claim(api, "gpu")
    pod(api, "first", "gpu")
    api.settle()
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "c"}})
    pod(api, "train", "gpu", nodeSelector={"kubernetes.io/hostname": "b"})


@situation("RequestsCompete", "requests gpu, big want the same devices of node a")
def two_requests_want_the_same_device(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", "80Gi"), device("gpu-1"))
    big = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    train(api, request("gpu", big), request("big", big))


@situation("ClaimsCompete", "claims one, two want the same devices of node a")
def two_claims_want_the_same_device(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "one")
    claim(api, "two")
    pod(api, "train", "one", "two")


@situation("NoNodeForAllRequests", "no node can serve all 2 requests; each is possible on some node")
def requests_possible_on_different_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    device_class(api, "nic", 'device.driver == "nic.example.com"')
    resource_slice(api, "b", [device("nic-0")], driver="nic.example.com")
    train(api, request(), request("nic", class_name="nic"))


# constraints --------------------------------------------------------------------------------------


@situation(
    "ConstraintNotMet", "matchAttribute gpu.example.com/numa: no set of devices on node a satisfies it"
)
def devices_of_different_numa_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", numa=0), device("gpu-1", numa=1))
    train(api, request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/numa"}])


@situation(
    "ConstraintNotMet", "distinctAttribute gpu.example.com/numa: no set of devices on node a satisfies it"
)
def devices_of_the_same_numa_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    both = [request("one"), request("two")]
    train(api, *both, constraints=[{"distinctAttribute": f"{DRIVER}/numa", "requests": ["one", "two"]}])


@situation(
    "AttributeMissingForConstraint",
    "request gpu needs 1 device; node a has 0 free of 1: 1 without a constraint's attribute",
)
def attribute_of_a_constraint_missing(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, constraints=[{"matchAttribute": f"{DRIVER}/rack"}])


@situation("ConstraintsNotMet", "the 2 constraints cannot all hold on node a")
def two_constraints_that_exclude_each_other(api: FakeAPI) -> None:
    cluster(
        api,
        device("gpu-0", numa=0),
        device("gpu-1", numa=1, attributes={"numa": {"int": 1}, "model": {"string": "b"}}),
    )
    same = [{"matchAttribute": f"{DRIVER}/numa"}, {"matchAttribute": f"{DRIVER}/model"}]
    train(api, request(count=2), constraints=same)


# features of newer releases -----------------------------------------------------------------------


@situation(
    "FirstAvailableImpossible",
    "request gpu: no subrequest fits: big matches none of 1 device; two needs 2, a has 1 free",
)
def no_alternative_is_possible(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    model = f'device.attributes["{DRIVER}"].model'
    big = {"name": "big", "deviceClassName": DRIVER, "selectors": [selector(f'{model} == "h100"')]}
    two = {"name": "two", "deviceClassName": DRIVER, "count": 2}
    train(api, {"name": "gpu", "firstAvailable": [big, two]})


@situation("DeviceTainted", "request gpu needs 1 device; node a has 0 free of 1: 1 tainted")
def device_with_a_taint(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", taints=[{"key": "hot", "value": "yes", "effect": "NoSchedule"}]))
    train(api)


@situation("DeviceTainted", "request gpu needs 1 device; node a has 0 free of 1: 1 tainted")
def device_tainted_by_a_rule(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.create({
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "broken"},
        "spec": {
            "deviceSelector": {"driver": DRIVER},
            "taint": {"key": "broken", "effect": "NoExecute"},
        },
    })  # fmt: skip
    train(api)


def partitions(api: FakeAPI) -> None:
    """Creates a node with two partitions that each consume more than half of one counter."""
    counters = {"memory": {"value": "10Gi"}}
    use = [{"counterSet": "gpu-0", "counters": {"memory": {"value": "6Gi"}}}]
    node(api, "a")
    device_class(api)
    pool = {"resourceSliceCount": 2}
    shared = [{"name": "gpu-0", "counters": counters}]
    resource_slice(api, "a", None, name="counters", pool=pool, sharedCounters=shared)
    parts = [device("part-0", consumesCounters=use), device("part-1", consumesCounters=use)]
    resource_slice(api, "a", parts, name="parts", pool=pool)


@situation(
    "NotEnoughDevices",
    "request gpu needs 1 device; node a has 0 free of 2: 1 in use; 1 blocked by other partitions",
)
def counters_consumed_by_another_partition(api: FakeAPI) -> None:
    partitions(api)
    use(api, "other")
    train(api)


@situation("CountersTogether", "request gpu needs 2 devices; only 1 fit together on node a")
def counters_too_small_for_two_partitions(api: FakeAPI) -> None:
    partitions(api)
    train(api, request(count=2))


def _shareable(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", allowMultipleAllocations=True))


@situation(
    "CapacityConsumed", "request gpu needs 1 device; node a has 0 free of 1: 1 without enough capacity"
)
def capacity_consumed_by_another_claim(api: FakeAPI) -> None:
    _shareable(api)
    claim(api, "other", request(capacity={"requests": {"memory": "10Gi"}}))
    pod(api, "other-user", "other")
    api.settle()
    train(api, request(capacity={"requests": {"memory": "8Gi"}}))


@situation(
    "CapacityConsumed", "request gpu needs 1 device; node a has 0 free of 1: 1 without enough capacity"
)
def capacity_of_an_unknown_name(api: FakeAPI) -> None:
    _shareable(api)
    train(api, request(capacity={"requests": {"vram": "8Gi"}}))


@situation(
    "PoolIncomplete", "request gpu: pool gpu.example.com/a is incomplete: 1 of 2 slices of generation 1"
)
def pool_incomplete(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("gpu-0")], pool={"resourceSliceCount": 2})
    train(api)


@situation("PoolIncomplete", "request gpu asks for all devices, and pool gpu.example.com/a is incomplete")
def all_devices_of_an_incomplete_pool(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("gpu-0")], pool={"resourceSliceCount": 2})
    train(api, request(allocationMode="All"))


@situation("PoolInvalid", "request gpu: pool gpu.example.com/a is invalid: duplicate device name gpu-0")
def pool_with_the_same_device_twice(api: FakeAPI) -> None:
    cluster(api)
    for name in ("one", "two"):
        resource_slice(api, "a", [device("gpu-0")], name=name, pool={"resourceSliceCount": 2})
    train(api)


@situation(
    "RequestSelectorDoesNotMatch",
    "request gpu matches none of 1 device: capacity memory is 16Gi, wanted >= 40Gi",
)
def slice_of_an_older_generation(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("gpu-0", "80Gi")], name="old")
    resource_slice(api, "a", [device("gpu-0")], name="new", pool={"generation": 2})
    big = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    train(api, request("gpu", big))


@situation(
    "ClassSelectorDoesNotMatch",
    "class gpu.example.com: driver gpu.example.com publishes no devices",
)
def extended_resource_of_a_class_without_devices(api: FakeAPI) -> None:
    node(api, "a")
    device_class(api, DRIVER, extendedResourceName="example.com/gpu")
    resource_slice(api, "a", [device("gpu-0")], driver="other.example.com")
    resources = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    pod(api, "train", containers=[{"name": "main", "image": "i", "resources": resources}])


@situation(
    "TooManyDevices",
    "claim default/gpu: number of requested devices 40 exceeds the claim limit of 32",
    release="1.34",
    gates=False,
)
def more_than_32_devices(api: FakeAPI) -> None:
    cluster(api, *(device(f"gpu-{number}") for number in range(40)))
    train(api, request("one", count=20), request("two", count=20))
