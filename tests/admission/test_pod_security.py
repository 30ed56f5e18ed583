"""PodSecurity: the labels of a namespace set the Pod Security Standard that its pods must meet."""

import json
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

import pytest

from fakeapi.admission.plugins.pod_security.checks import problems
from fakeapi.admission.plugins.pod_security.policy import (
    LevelVersion,
    label_errors,
    policy_of,
)
from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

ENFORCE, WARN = "pod-security.kubernetes.io/enforce", "pod-security.kubernetes.io/warn"
NEWEST = 36
SAFE = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True}
SECCOMP = {"seccompProfile": {"type": "RuntimeDefault"}}


def found(level: str, version: str = "latest", **spec: Any) -> str:
    spec.setdefault("containers", [{"name": "c"}])
    annotations = spec.pop("annotations", {})
    every = problems(LevelVersion(level, version), NEWEST, {"annotations": annotations}, spec)
    return ", ".join(f"{reason} ({details})" for reason, details in every)


def container(**context: Any) -> dict[str, Any]:
    return {"containers": [{"name": "c", "securityContext": context}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ""),
        ({"hostNetwork": True, "hostPID": True}, "host namespaces (hostNetwork=true, hostPID=true)"),
        ({"volumes": [{"name": "v", "hostPath": {}}]}, 'hostPath volumes (volume "v")'),
        (
            {"containers": [{"name": "c", "ports": [{"hostPort": 80}, {"hostPort": 8080}]}]},
            'hostPort (container "c" uses hostPorts 80, 8080)',
        ),
        (
            container(privileged=True),
            'privileged (container "c" must not set securityContext.privileged=true)',
        ),
        (
            container(capabilities={"add": ["SYS_ADMIN", "KILL"]}),
            (
                'non-default capabilities (container "c" must not include "SYS_ADMIN" in '
                "securityContext.capabilities.add)"
            ),
        ),
        (
            container(procMount="Unmasked"),
            'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
        ),
        (
            {"securityContext": {"sysctls": [{"name": "net.core.somaxconn"}, {"name": "net.ipv4.tcp_rmem"}]}},
            "forbidden sysctls (net.core.somaxconn)",
        ),
        (
            {"securityContext": {"seLinuxOptions": {"type": "spc_t", "user": "u"}}},
            (
                "seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: "
                'type "spc_t"; user may not be set)'
            ),
        ),
        (
            {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
            'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
        ),
        (
            container(appArmorProfile={"type": "Unconfined"}),
            'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
        ),
        (
            {"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}},
            (
                "forbidden AppArmor profile (annotation must not set AppArmor profile type to "
                '"container.apparmor.security.beta.kubernetes.io/c="unconfined"")'
            ),
        ),
        (
            container(windowsOptions={"hostProcess": True}),
            'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)',
        ),
        (
            {"containers": [{"name": "c", "livenessProbe": {"httpGet": {"host": "h"}}}]},
            'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
        ),
    ],
)
def test_the_baseline_forbids_what_reaches_the_host(spec: dict[str, Any], expected: str) -> None:
    assert found("baseline", **spec) == expected
    assert found("privileged", **spec) == ""


@pytest.mark.parametrize(
    ("context", "pod", "expected"),
    [
        ({**SAFE, **SECCOMP}, {}, ""),
        (SAFE, {"securityContext": SECCOMP}, ""),
        (
            {**SAFE, **SECCOMP, "runAsUser": 0},
            {},
            'runAsUser=0 (container "c" must not set runAsUser=0)',
        ),
        (
            {**SAFE, **SECCOMP, "runAsNonRoot": False},
            {},
            'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
        ),
        (
            {**SAFE, **SECCOMP},
            {"volumes": [{"name": "a", "nfs": {}}, {"name": "b", "hostPath": {}}]},
            'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
        ),
    ],
)
def test_the_restricted_level_asks_pods_to_give_up_their_rights(
    context: dict[str, Any], pod: dict[str, Any], expected: str
) -> None:
    assert found("restricted", **container(**context), **pod) == expected


def test_a_pod_that_says_nothing_lacks_four_things_of_the_restricted_level() -> None:
    assert [each.partition(" ")[0] for each in found("restricted").split("), ")] == [
        "allowPrivilegeEscalation",
        "unrestricted",
        "runAsNonRoot",
        "seccompProfile",
    ]


def test_a_version_has_the_checks_of_its_release() -> None:
    tcp = {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem"}]}}
    assert found("baseline", "v1.31", **tcp) == "forbidden sysctls (net.ipv4.tcp_rmem)"
    assert found("baseline", "v1.32", **tcp) == found("baseline", "v1.99", **tcp) == ""
    windows = {"os": {"name": "windows"}}
    assert found("restricted", "v1.24", **windows).startswith("allowPrivilegeEscalation")
    assert not found("restricted", "v1.25", **windows).startswith("allowPrivilegeEscalation")


def test_labels_that_name_no_policy_are_the_strictest_and_are_refused() -> None:
    assert str(policy_of({ENFORCE: "odd"}).enforce) == "restricted:latest"
    assert str(policy_of({WARN: "odd"}).warn) == "privileged:latest"
    assert [str(each) for each in label_errors({ENFORCE: "odd", f"{WARN}-version": "2"})] == [
        f'metadata.labels[{ENFORCE}]: Invalid value: "odd": must be one of privileged, baseline, restricted',
        f'metadata.labels[{WARN}-version]: Invalid value: "2": must be "latest" or "v1.x"',
    ]


def test_warnings_follow_the_enforced_level_unless_they_have_one() -> None:
    assert str(policy_of({ENFORCE: "baseline", f"{ENFORCE}-version": "v1.30"}).warn) == "baseline:v1.30"
    assert str(policy_of({ENFORCE: "baseline", WARN: "privileged"}).warn) == "privileged:latest"


def test_a_namespace_forbids_pods_and_warns_of_templates(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33")
    labels = {ENFORCE: "baseline"}
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x", "labels": labels}})
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"hostNetwork": True, "containers": [{"name": "c", "image": "x"}]},
    }
    with pytest.raises(StatusError) as refused:
        api.create(pod, namespace="x")
    assert refused.value.status["message"] == (
        'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'
    )
    api.create(pod)
    api.patch("Pod", "a", {"metadata": {"labels": {"still": "changed"}}})
    wrong = {"metadata": {"labels": {ENFORCE: "odd"}}}
    with pytest.raises(StatusError, match="must be one of privileged, baseline, restricted"):
        api.patch("Namespace", "default", wrong)


def test_a_stricter_policy_warns_of_the_pods_that_there_are(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33")
    for name, spec in (("a", {"hostNetwork": True}), ("b", {"hostNetwork": True}), ("c", {"hostPID": True})):
        containers = [{"name": "c", "image": "x"}]
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
        api.create({**body, "spec": {**spec, "containers": containers}})
    stricter = {"metadata": {"labels": {ENFORCE: "baseline"}}}
    connection = HTTPConnection(api.url.removeprefix("http://"))
    headers = {"Content-Type": "application/merge-patch+json"}
    connection.request("PATCH", "/api/v1/namespaces/default", json.dumps(stricter), headers)
    answer = connection.getresponse()
    assert answer.status == 200
    where = 'existing pods in namespace \\"default\\" violate the new PodSecurity enforce level'
    assert answer.headers.get_all("Warning") == [
        f'299 - "{where} \\"baseline:latest\\""',
        '299 - "a (and 2 other pods): host namespaces"',
    ]
    connection.close()


def test_of_many_pods_the_first_are_checked_and_a_warning_says_so(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.admission.plugins.pod_security.plugin.PODS_MAX", 2)
    api = fakeapi_factory(release="1.33")
    for name in ("a", "b", "c"):
        spec = {"hostNetwork": True, "containers": [{"name": "c", "image": "x"}]}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    connection = HTTPConnection(api.url.removeprefix("http://"))
    headers = {"Content-Type": "application/merge-patch+json"}
    stricter = {"metadata": {"labels": {ENFORCE: "baseline"}}}
    connection.request("PATCH", "/api/v1/namespaces/default", json.dumps(stricter), headers)
    answer = connection.getresponse()
    assert answer.status == 200
    warnings = answer.headers.get_all("Warning") or []
    assert any("only checked against the first 2 of 3 existing pods" in each for each in warnings)
    assert any("a (and 1 other pod)" in each for each in warnings)
    connection.close()
