"""Admission plugins that are off by default refuse writes with Kubernetes' messages."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.admission.chain import Admission
from fakeapi.admission.selection import selected
from fakeapi.testing.server import FakeAPI
from tests.admission.bodies import annotate_namespace, body, pod, refusal
from tests.http.asking import ask
from tests.registry.world import World, in_world
from tests.registry.world import refusal as refused

Object = dict[str, Any]


@pytest.fixture
def served(fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], FakeAPI]:
    return lambda names: fakeapi_factory(release="1.36", enable_admission_plugins=names)


def container(name: str = "c", **more: Any) -> Object:
    return {"name": name, "image": "x", **more}


# ServiceAccount


def test_a_pod_runs_as_the_default_account_and_mounts_its_token(served: Callable[[str], FakeAPI]) -> None:
    api = served("ServiceAccount")
    spec = api.create(pod(initContainers=[container("i")]))["spec"]
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")
    (volume,) = spec["volumes"]
    assert volume["name"].startswith("kube-api-access-")
    assert len(volume["name"]) == len("kube-api-access-") + 5
    assert volume["projected"] == {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "namespace",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                        }
                    ]
                }
            },
        ],
        "defaultMode": 420,
    }
    mount = {
        "name": volume["name"],
        "readOnly": True,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    }
    assert [each["volumeMounts"] for each in (*spec["initContainers"], *spec["containers"])] == [[mount]] * 2
    assert list(spec["containers"][0])[:3] == ["name", "image", "resources"]
    assert list(spec)[:3] == ["volumes", "initContainers", "containers"]


def test_the_default_account_is_made_once_and_not_in_a_dry_run(served: Callable[[str], FakeAPI]) -> None:
    api = served("ServiceAccount")
    assert api.create(pod(), dryRun="All")["spec"]["serviceAccountName"] == "default"
    assert api.list("ServiceAccount") == []
    api.create(pod("a"))
    api.create(pod("b"))
    assert [each["metadata"]["name"] for each in api.list("ServiceAccount")] == ["default"]


def test_another_account_has_to_be_there(served: Callable[[str], FakeAPI]) -> None:
    api = served("ServiceAccount")
    assert refusal(lambda: api.create(pod(serviceAccountName="robot"))).message == (
        'pods "a" is forbidden: error looking up service account default/robot: '
        'serviceaccount "robot" not found'
    )


@pytest.mark.parametrize(
    ("account", "spec", "mounted"),
    [
        ({"automountServiceAccountToken": False}, {}, False),
        ({"automountServiceAccountToken": False}, {"automountServiceAccountToken": True}, True),
        ({}, {"automountServiceAccountToken": False}, False),
    ],
)
def test_the_pod_then_the_account_say_whether_a_token_is_mounted(
    served: Callable[[str], FakeAPI],
    account: Object,
    spec: Object,
    mounted: bool,  # noqa: FBT001 - a parameter
) -> None:
    api = served("ServiceAccount")
    api.create(body("ServiceAccount", "robot", **account))
    created = api.create(pod(serviceAccountName="robot", **spec))
    assert ("volumes" in created["spec"]) is mounted


def test_what_is_mounted_in_its_place_keeps_the_token_out(served: Callable[[str], FakeAPI]) -> None:
    api = served("ServiceAccount")
    path = "/var/run/secrets/kubernetes.io/serviceaccount"
    mounts = [{"name": "own", "mountPath": path}]
    volumes = [{"name": "own", "emptyDir": {}}]
    created = api.create(pod(containers=[container(volumeMounts=mounts)], volumes=volumes))
    assert [each["name"] for each in created["spec"]["volumes"]] == ["own"]


def test_a_pod_without_pull_secrets_has_those_of_its_account(served: Callable[[str], FakeAPI]) -> None:
    api = served("ServiceAccount")
    api.create(body("ServiceAccount", "robot", imagePullSecrets=[{"name": "pull"}]))
    created = api.create(pod(serviceAccountName="robot"))
    assert created["spec"]["imagePullSecrets"] == [{"name": "pull"}]
    own = api.create(pod("b", serviceAccountName="robot", imagePullSecrets=[{"name": "own"}]))
    assert own["spec"]["imagePullSecrets"] == [{"name": "own"}]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (
            {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
            'volume with secret.secretName="s" is not allowed',
        ),
        (
            {
                "containers": [
                    container(env=[{"name": "E", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])
                ]
            },
            'container c with envVar E referencing secret.secretName="s" is not allowed',
        ),
        (
            {"initContainers": [container("i", envFrom=[{"secretRef": {"name": "s"}}])]},
            'init container i with envFrom referencing secret.secretName="s" is not allowed',
        ),
    ],
)
def test_an_account_that_limits_its_secrets_is_held_to_it(
    served: Callable[[str], FakeAPI], spec: Object, problem: str
) -> None:
    api = served("ServiceAccount")
    account = body("ServiceAccount", "robot", secrets=[{"name": "known"}])
    account["metadata"]["annotations"] = {"kubernetes.io/enforce-mountable-secrets": "true"}
    api.create(account)
    assert refusal(lambda: api.create(pod(serviceAccountName="robot", **spec))).message == (
        f'pods "a" is forbidden: {problem} because service account robot does not reference that secret'
    )


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"serviceAccountName": "robot"}, "a mirror pod may not reference service accounts"),
        ({"imagePullSecrets": [{"name": "s"}]}, "a mirror pod may not reference secrets"),
        (
            {
                "volumes": [
                    {
                        "name": "v",
                        "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]},
                    }
                ]
            },
            "a mirror pod may not use ServiceAccountToken volume projections",
        ),
    ],
)
def test_a_mirror_of_a_nodes_own_pod_refers_to_nothing(
    served: Callable[[str], FakeAPI], spec: Object, problem: str
) -> None:
    api = served("ServiceAccount")
    mirror = {"kubernetes.io/config.mirror": "x"}
    obj = pod(annotations=mirror, nodeName="n", **spec)
    assert refusal(lambda: api.create(obj)).message == f'pods "a" is forbidden: {problem}'


# other plugins


def test_images_are_always_pulled_and_old_ones_left_as_they_are(served: Callable[[str], FakeAPI]) -> None:
    api = served("AlwaysPullImages")
    created = api.create(pod(containers=[container(imagePullPolicy="Never")]))
    assert created["spec"]["containers"][0]["imagePullPolicy"] == "Always"
    changed = api.patch("Pod", "a", {"metadata": {"labels": {"x": "y"}}})
    assert changed["spec"] == created["spec"]


def test_a_pod_tolerates_the_taints_of_its_extended_resources(served: Callable[[str], FakeAPI]) -> None:
    api = served("ExtendedResourceToleration")
    amounts = {"example.com/gpu": "1", "a.example.com/nic": "1", "cpu": "1"}
    sized = container(resources={"requests": amounts, "limits": amounts})
    limited = {"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    created = api.create(pod(containers=[sized], tolerations=[{**limited, "tolerationSeconds": 5}]))
    assert [each for each in created["spec"]["tolerations"] if each["effect"] == "NoSchedule"] == [
        limited,
        {"key": "a.example.com/nic", "operator": "Exists", "effect": "NoSchedule"},
    ]


def test_required_anti_affinity_reaches_no_further_than_a_node(served: Callable[[str], FakeAPI]) -> None:
    api = served("LimitPodHardAntiAffinityTopology")

    def apart(key: str) -> Object:
        term = {"topologyKey": key, "labelSelector": {"matchLabels": {"a": "b"}}}
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}

    api.create(pod(affinity=apart("kubernetes.io/hostname")))
    assert refusal(lambda: api.create(pod("b", affinity=apart("zone")))).message == (
        'pods "b" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but '
        "only key kubernetes.io/hostname is allowed"
    )


def test_a_namespace_selects_the_nodes_of_its_pods(served: Callable[[str], FakeAPI]) -> None:
    api = served("PodNodeSelector")
    key = "scheduler.alpha.kubernetes.io/node-selector"
    annotate_namespace(api, {key: "zone=a, kind = gpu"})
    created = api.create(pod(nodeSelector={"own": "1"}))
    assert created["spec"]["nodeSelector"] == {"kind": "gpu", "own": "1", "zone": "a"}
    assert refusal(lambda: api.create(pod("b", nodeSelector={"zone": "b"}))).message == (
        'pods "b" is forbidden: pod node label selector conflicts with its namespace node label selector'
    )
    annotate_namespace(api, {key: "zone"})
    error = refusal(lambda: api.create(pod("c")))
    assert (error.code, error.message) == (500, "invalid selector: [zone]")


def test_a_namespace_says_what_its_pods_tolerate(served: Callable[[str], FakeAPI]) -> None:
    api = served("PodTolerationRestriction")
    prefix = "scheduler.alpha.kubernetes.io"
    gpu = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
    annotate_namespace(api, {f"{prefix}/defaultTolerations": json.dumps([gpu])})
    narrow = {"key": "gpu", "operator": "Equal", "value": "a", "effect": "NoSchedule"}
    created = api.create(pod(tolerations=[narrow]))
    assert [each for each in created["spec"]["tolerations"] if each["effect"] == "NoSchedule"] == [gpu]
    amounts = {"cpu": "1"}
    created = api.create(pod("b", containers=[container(resources={"requests": amounts})]))
    assert {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"} in (
        created["spec"]["tolerations"]
    )
    allowed = [{"operator": "Exists", "effect": "NoExecute"}, gpu]
    annotate_namespace(api, {f"{prefix}/tolerationsWhitelist": json.dumps(allowed)})
    api.create(pod("c", tolerations=[narrow]))
    error = refusal(lambda: api.create(pod("d", tolerations=[{"key": "x", "operator": "Exists"}])))
    assert error.code == 500
    assert error.message == (
        "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace "
        "whitelist"
    )


def test_who_sets_an_owner_may_delete_what_it_owns_and_hold_the_owner(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    names = "OwnerReferencesPermissionEnforcement"
    api = fakeapi_factory(release="1.36", enable_admission_plugins=names, authorization="rbac")
    rbac = "rbac.authorization.k8s.io/v1"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "update"]}
    api.create(body("ClusterRole", "writer", rbac, rules=[rule]))
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "writer"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "bob"}
    api.create(body("ClusterRoleBinding", "writer", rbac, roleRef=reference, subjects=[subject]))
    path = "/api/v1/namespaces/default/configmaps"

    def write(method: str, name: str, *owners: Object) -> str:
        where = path if method == "POST" else f"{path}/{name}"
        sent = {"metadata": {"name": name, "ownerReferences": list(owners)}}
        answer = ask(api, where, method, sent, impersonate_user="bob")
        return "" if answer.code < 300 else answer.json()["message"].partition(" is forbidden: ")[2]

    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    assert write("POST", "a", owner) == ""
    assert write("PUT", "a", owner) == ""
    assert write("PUT", "a") == "cannot set an ownerRef on a resource you can't delete: , <nil>"
    blocking = {**owner, "blockOwnerDeletion": True}
    assert write("POST", "b", blocking) == (
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers "
        "on: , <nil>"
    )
    assert write("POST", "c", {**blocking, "kind": "Widget"}) == (
        "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind "
        'Widget: no matches for kind "Widget" in version "v1"'
    )


def test_external_ips_are_denied_to_services_that_did_not_have_them(
    served: Callable[[str], FakeAPI], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = served("DenyServiceExternalIPs")
    service = body("Service", "s", spec={"ports": [{"port": 80}]})
    api.create(service)
    wanted = {"spec": {"externalIPs": ["1.2.3.4"]}}
    assert refusal(lambda: api.patch("Service", "s", wanted)).message == (
        'services "s" is forbidden: Use of external IPs is denied by admission control'
    )


def test_a_namespace_is_made_for_what_is_created_in_it(served: Callable[[str], FakeAPI]) -> None:
    api = served("NamespaceAutoProvision")
    api.create(body("ConfigMap", "a"), namespace="new")
    assert api.get("Namespace", "new")["status"] == {"phase": "Active"}
    assert refusal(lambda: api.create(body("ConfigMap", "a"), namespace="other", dryRun="All")).code == 404


def test_nothing_is_changed_in_a_namespace_that_is_gone(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(
        enable_admission_plugins="NamespaceExists", disable_admission_plugins="NamespaceLifecycle"
    )
    error = refusal(lambda: api.create(body("ConfigMap", "a"), namespace="nowhere"))
    assert (error.code, error.message) == (404, 'namespaces "nowhere" not found')


def test_admission_may_deny_everything() -> None:
    async def scenario(world: World) -> None:
        world.server.admission = Admission(selected("AlwaysDeny").entries, world.server)
        error = await refused(world.create(world.claim("a")))
        assert error.message == (
            'resourceclaims.resource.k8s.io "a" is forbidden: admission control is denying all modifications'
        )

    in_world(scenario)
