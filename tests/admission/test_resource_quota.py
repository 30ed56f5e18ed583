"""ResourceQuota adds each write to the quotas' `status.used` and refuses writes that exceed a quota."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fakeapi.admission.plugins.resource_quota.evaluators import Evaluator, evaluator_of
from fakeapi.admission.plugins.resource_quota.plugin import ATTEMPTS, ResourceQuota
from fakeapi.clients.errors import StatusError
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.objects import ClusterObjects
from fakeapi.testing.server import FakeAPI
from tests.registry.world import World, in_world

Object = dict[str, Any]
DEVICES = ".deviceclass.resource.k8s.io/devices"


def quota(api: FakeAPI, name: str = "q", used: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """Creates a ResourceQuota, sets its status as Kubernetes' quota controller does, and returns it.

    `used`: the current usage by resource name; None means zero for every resource. `spec`: the fields of the
    quota's spec.
    """
    body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": spec}
    created = api.create(body)
    status = {"hard": spec["hard"], "used": dict.fromkeys(spec["hard"], "0") if used is None else dict(used)}
    return api.update_status({**created, "status": status})


def used(api: FakeAPI, name: str = "q") -> Object:
    amounts: Object = api.get("ResourceQuota", name)["status"]["used"]
    return amounts


def pod(name: str = "a", requests: Object | None = None, limits: Object | None = None, **spec: Any) -> Object:
    resources = {"requests": requests or {}, "limits": limits or {}}
    containers = [{"name": "c", "image": "x", "resources": resources}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": containers, **spec},
    }


def config_map(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def claim(name: str, *requests: Object) -> Object:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": list(requests)}},
    }


def refusal(write: Callable[[], Any]) -> StatusError:
    with pytest.raises(StatusError) as caught:
        write()
    return caught.value


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.36")


def test_a_quota_without_a_status_lets_everything_pass(api: FakeAPI) -> None:
    hard = {"count/configmaps": "0"}
    api.create(
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    )
    api.create(config_map("a"))
    assert api.get("ResourceQuota", "q")["status"] == {}


def test_objects_are_counted_by_both_names_until_there_are_enough(api: FakeAPI) -> None:
    quota(api, hard={"count/configmaps": "5", "configmaps": "1", "pods": "3"})
    api.create(config_map("a"))
    assert used(api) == {"configmaps": "1", "count/configmaps": "1", "pods": "0"}
    error = refusal(lambda: api.create(config_map("b")))
    assert (error.code, error.reason) == (403, "Forbidden")
    assert error.message == (
        'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, '
        "limited: configmaps=1"
    )
    assert error.status["details"] == {"name": "b", "kind": "configmaps"}
    assert used(api)["count/configmaps"] == "1"


def test_the_server_itself_manages_what_it_charges(api: FakeAPI) -> None:
    quota(api, hard={"configmaps": "1"})
    api.create(config_map("a"))
    managed = api.get("ResourceQuota", "q")["metadata"]["managedFields"]
    mine = next(each for each in managed if each["manager"] == "kube-apiserver")
    assert (mine["operation"], mine["subresource"]) == ("Update", "status")
    assert mine["fieldsV1"] == {"f:status": {"f:used": {"f:configmaps": {}}}}


def test_a_dry_run_is_refused_as_the_write_would_be_and_charges_nothing(api: FakeAPI) -> None:
    quota(api, hard={"configmaps": "1"})
    api.create(config_map("a"), dryRun="All")
    assert used(api) == {"configmaps": "0"}
    api.create(config_map("a"))
    assert "exceeded quota" in refusal(lambda: api.create(config_map("b"), dryRun="All")).message


def test_no_more_are_made_at_once_than_a_quota_allows(api: FakeAPI) -> None:
    quota(api, hard={"configmaps": "5"})

    def made(index: int) -> bool:
        try:
            api.request("POST", "/api/v1/namespaces/default/configmaps", config_map(f"a{index}"))
        except StatusError as error:
            assert "exceeded quota: q" in error.message  # noqa: PT017 - in a thread
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(made, range(20))) == 5
    assert used(api) == {"configmaps": "5"}
    assert len([each for each in api.list("ConfigMap") if each["metadata"]["name"].startswith("a")]) == 5


def test_a_quota_of_an_amount_asks_each_container_to_say_it(api: FakeAPI) -> None:
    quota(api, hard={"requests.cpu": "1", "limits.memory": "1Gi", "pods": "3"})
    error = refusal(lambda: api.create(pod()))
    assert error.message == (
        'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c'
    )


def test_limit_ranges_say_it_for_containers_before_the_quota_is_charged(api: FakeAPI) -> None:
    limit = {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "250m"}}
    api.create(
        {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": {"name": "l"},
            "spec": {"limits": [limit]},
        }
    )
    quota(api, hard={"requests.cpu": "300m", "limits.cpu": "1"})
    api.create(pod())
    assert used(api) == {"limits.cpu": "500m", "requests.cpu": "250m"}
    assert refusal(lambda: api.create(pod("b"))).message == (
        'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=250m, used: requests.cpu=250m, '
        "limited: requests.cpu=300m"
    )


def test_a_quota_whose_usage_is_not_known_refuses(api: FakeAPI) -> None:
    quota(api, hard={"pods": "3", "count/pods": "3"}, used={"pods": "0"})
    assert refusal(lambda: api.create(pod())).message == (
        'pods "a" is forbidden: status unknown for quota: q, resources: count/pods,pods'
    )
    api.create(config_map("a"))


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        ({"scopes": ["BestEffort"]}, pod(), pod(requests={"cpu": "1"})),
        ({"scopes": ["NotBestEffort"]}, pod(requests={"cpu": "1"}), pod()),
        ({"scopes": ["Terminating"]}, pod(activeDeadlineSeconds=9), pod()),
        ({"scopes": ["NotTerminating"]}, pod(), pod(activeDeadlineSeconds=9)),
        (
            {
                "scopeSelector": {
                    "matchExpressions": [
                        {
                            "scopeName": "PriorityClass",
                            "operator": "NotIn",
                            "values": ["system-node-critical"],
                        }
                    ]
                }
            },
            pod(),
            pod(priorityClassName="system-node-critical"),
        ),
        (
            {"scopes": ["CrossNamespacePodAffinity"]},
            pod(
                affinity={
                    "podAntiAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                            {"weight": 1, "podAffinityTerm": {"topologyKey": "t", "namespaceSelector": {}}}
                        ]
                    }
                }
            ),
            pod(),
        ),
    ],
)
def test_a_quota_is_about_the_pods_in_its_scopes(
    api: FakeAPI, scope: Object, inside: Object, outside: Object
) -> None:
    quota(api, hard={"pods": "1"}, **scope)
    api.create({**outside, "metadata": {"name": "outside"}})
    assert used(api) == {"pods": "0"}
    api.create({**inside, "metadata": {"name": "inside"}})
    assert used(api) == {"pods": "1"}


def test_a_pod_that_comes_into_a_scope_by_an_update_is_charged_then(api: FakeAPI) -> None:
    quota(api, hard={"pods": "1"}, scopes=["Terminating"])
    api.create(pod())
    api.patch("Pod", "a", {"spec": {"activeDeadlineSeconds": 5}})
    assert used(api) == {"pods": "1"}


def test_a_resize_is_charged_for_what_it_adds(api: FakeAPI) -> None:
    quota(api, hard={"requests.cpu": "1"})
    api.create(pod(requests={"cpu": "400m"}))

    def resize(cpu: str) -> None:
        containers = [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]
        api.patch("Pod", "a", {"spec": {"containers": containers}}, type="strategic", subresource="resize")

    resize("900m")
    assert used(api) == {"requests.cpu": "900m"}
    assert refusal(lambda: resize("1100m")).message == (
        'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=200m, used: requests.cpu=900m, '
        "limited: requests.cpu=1"
    )


def test_a_quota_that_counts_an_object_already_is_charged_for_the_difference_alone(api: FakeAPI) -> None:
    quota(api, hard={"services.nodeports": "2", "services": "2", "services.loadbalancers": "0"})
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": ports}}
    api.create(service)
    assert used(api)["services.nodeports"] == "0"
    api.patch("Service", "s", {"spec": {"type": "NodePort"}})
    assert used(api) == {"services": "1", "services.loadbalancers": "0", "services.nodeports": "2"}
    assert refusal(lambda: api.patch("Service", "s", {"spec": {"type": "LoadBalancer"}})).message == (
        'services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, '
        "used: services.loadbalancers=0, limited: services.loadbalancers=0"
    )


def test_storage_is_counted_in_whole_bytes_in_all_and_by_class(api: FakeAPI) -> None:
    fast = "fast.storageclass.storage.k8s.io/"
    hard = {
        "requests.storage": "10Gi",
        f"{fast}requests.storage": "1Gi",
        f"{fast}persistentvolumeclaims": "2",
    }
    quota(api, hard=hard)
    body = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "v"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "1500m"}},
        },
    }
    api.create(body)
    assert used(api) == {
        f"{fast}persistentvolumeclaims": "1",
        f"{fast}requests.storage": "2",
        "requests.storage": "2",
    }


def test_devices_are_counted_by_class_as_many_as_a_claim_can_be_given(api: FakeAPI) -> None:
    quota(
        api, hard={f"gpu{DEVICES}": "40", f"nic{DEVICES}": "4", "count/resourceclaims.resource.k8s.io": "9"}
    )
    several = [
        {"name": "x", "deviceClassName": "gpu", "count": 3},
        {"name": "y", "deviceClassName": "gpu", "count": 2},
        {"name": "z", "deviceClassName": "nic"},
    ]
    api.create(
        claim(
            "a",
            {"name": "two", "exactly": {"deviceClassName": "gpu", "count": 2}},
            {"name": "best", "firstAvailable": several},
        )
    )
    assert used(api) == {
        "count/resourceclaims.resource.k8s.io": "1",
        f"gpu{DEVICES}": "5",
        f"nic{DEVICES}": "1",
    }
    every = {"name": "all", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}}
    api.create(claim("b", every))
    assert used(api)[f"gpu{DEVICES}"] == "37"
    assert refusal(lambda: api.create(claim("c", every))).message == (
        'resourceclaims.resource.k8s.io "c" is forbidden: exceeded quota: q, '
        f"requested: gpu{DEVICES}=32, used: gpu{DEVICES}=37, limited: gpu{DEVICES}=40"
    )


def test_before_1_31_claims_are_counted_and_their_devices_are_not(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.30")
    quota(api, hard={"count/resourceclaims.resource.k8s.io": "1", f"gpu{DEVICES}": "0"})
    body = {
        "apiVersion": "resource.k8s.io/v1alpha2",
        "kind": "ResourceClaim",
        "metadata": {"name": "a"},
        "spec": {"resourceClassName": "gpu"},
    }
    api.create(body)
    assert used(api) == {"count/resourceclaims.resource.k8s.io": "1", f"gpu{DEVICES}": "0"}


def test_a_class_is_counted_by_its_extended_resource_too(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.36", feature_gates={"DRAExtendedResource": True})
    spec = {"extendedResourceName": "example.com/gpu"}
    api.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "gpu"},
            "spec": spec,
        }
    )
    implicit = "requests.deviceclass.resource.kubernetes.io/gpu"
    quota(api, hard={"requests.example.com/gpu": "5", implicit: "5", "requests.example.com/nic": "5"})
    api.create(claim("a", {"name": "r", "exactly": {"deviceClassName": "gpu", "count": 2}}))
    assert used(api) == {implicit: "2", "requests.example.com/gpu": "2", "requests.example.com/nic": "0"}
    api.create(pod(requests={"example.com/gpu": "1"}, limits={"example.com/gpu": "1"}))
    assert used(api)["requests.example.com/gpu"] == "3"


def test_events_are_never_counted(api: FakeAPI) -> None:
    quota(api, hard={"count/events": "0", "count/events.events.k8s.io": "0"})
    event = {"involvedObject": {"namespace": "default"}, "metadata": {"name": "e"}}
    api.create({"apiVersion": "v1", "kind": "Event", **event})


def test_a_database_that_has_quotas_holds_to_them_when_it_is_opened_again(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Any
) -> None:
    with FakeAPI(release="1.36", database=tmp_path / "db") as api:
        quota(api, hard={"configmaps": "0"})
    with FakeAPI(release="1.36", database=tmp_path / "db") as api:
        assert "exceeded quota: q" in refusal(lambda: api.create(config_map("a"))).message


def evaluator(world: World, name: str) -> Evaluator:
    return evaluator_of(world.resource(name), ClusterObjects(world.store, world.catalogue.find))


def sized(requests: Object | None = None, limits: Object | None = None, **more: Any) -> Object:
    return {"name": "c", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"containers": [sized()]}, {}, {"pods": "1"}),
        ({"containers": [sized()]}, {"phase": "Failed"}, {}),
        (
            {"containers": [sized({"cpu": "1m"}, {"cpu": "2m"})]},
            {},
            {"pods": "1", "cpu": "1m", "requests.cpu": "1m", "limits.cpu": "2m"},
        ),
        (
            {"containers": [sized({"memory": "1Gi"})], "initContainers": [sized({"memory": "3Gi"})]},
            {},
            {"pods": "1", "memory": "3Gi", "requests.memory": "3Gi"},
        ),
        (
            {"containers": [sized({"hugepages-2Mi": "4Mi", "example.com/gpu": "1"})]},
            {},
            {
                "pods": "1",
                "hugepages-2Mi": "4Mi",
                "requests.hugepages-2Mi": "4Mi",
                "requests.example.com/gpu": "1",
            },
        ),
        (
            {"containers": [sized({"cpu": "1"}, {"memory": "1Gi"})], "overhead": {"cpu": "1", "memory": "1"}},
            {},
            {
                "pods": "1",
                "cpu": "2",
                "requests.cpu": "2",
                "memory": "1",
                "requests.memory": "1",
                "limits.memory": "1073741825",
            },
        ),
        (
            {"containers": [sized({"cpu": "1"})], "resources": {"requests": {"cpu": "5"}}},
            {},
            {"pods": "1", "cpu": "5", "requests.cpu": "5"},
        ),
        (
            {"containers": [sized({"cpu": "1"})]},
            {"containerStatuses": [{**sized({"cpu": "3"}), "allocatedResources": {"cpu": "2"}}]},
            {"pods": "1", "cpu": "3", "requests.cpu": "3"},
        ),
        (
            {"containers": [sized({"cpu": "9"})]},
            {
                "containerStatuses": [sized({"cpu": "3"})],
                "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}],
            },
            {"pods": "1", "cpu": "3", "requests.cpu": "3"},
        ),
    ],
)
def test_a_pod_uses_what_its_containers_ask_for_while_it_is_not_over(
    spec: Object, status: Object, expected: Object
) -> None:
    async def scenario(world: World) -> None:
        usage = evaluator(world, "pods").usage({"metadata": {}, "spec": spec, "status": status})
        assert usage == {"count/pods": "1", **expected}

    in_world(scenario, release="1.33", PodLevelResources=True)


def test_a_quota_that_changes_all_the_time_is_given_up(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[str] = []

    async def conflict(*_: object) -> None:
        attempts.append("write")
        raise ApiError(409, "Conflict", "somebody else was faster")

    monkeypatch.setattr(ResourceQuota, "_write", conflict)
    quota(api, hard={"configmaps": "9"})
    assert refusal(lambda: api.create(config_map("a"))).code == 409
    assert len(attempts) == ATTEMPTS
