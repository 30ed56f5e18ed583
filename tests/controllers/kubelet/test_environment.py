"""The environment of a container comes from pod fields, ConfigMaps, Secrets, Services and CDI devices."""

import asyncio
import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fakeapi.controllers.kubelet.containers import cdi
from fakeapi.controllers.kubelet.containers.environment import environment
from fakeapi.controllers.kubelet.containers.expansion import expand
from fakeapi.controllers.kubelet.containers.runtime import (
    ContainerRun,
    ContainerStartError,
    DeviceNode,
    Mount,
)
from fakeapi.machinery.json_types import Object


class Objects:
    """A ConfigMap `settings`, a Secret `secret` and three Services."""

    async def config_map(self, namespace: str, name: str) -> Object | None:
        return {"data": {"colour": "red", "size": "1"}} if name == "settings" else None

    async def secret(self, namespace: str, name: str) -> Object | None:
        value = base64.b64encode(b"s3cret").decode()
        return {"data": {"password": value}} if name == "secret" else None

    def services(self) -> Iterable[Object]:
        for namespace, name, address in (
            ("default", "kubernetes", "10.96.0.1"),
            ("team", "my-db", "10.96.0.2"),
            ("team", "headless", "None"),
            ("other", "db", "10.96.0.3"),
        ):
            spec = {"clusterIP": address, "ports": [{"port": 443, "name": "https", "protocol": "TCP"}]}
            yield {"metadata": {"namespace": namespace, "name": name}, "spec": spec}

    def node(self, name: str) -> Object | None:
        return {"status": {"allocatable": {"cpu": "8", "memory": "32Gi"}}}


def resolve(*env: dict[str, Any], spec: dict[str, Any] | None = None, **container: Any) -> dict[str, str]:
    metadata = {"name": "pod", "namespace": "team", "uid": "u", "labels": {"b": '"', "a": "1"}}
    pod = {"metadata": metadata, "spec": {"enableServiceLinks": False, **(spec or {})}, "status": {}}
    values = {"name": "main", "image": "image", "env": list(env), **container}
    run = ContainerRun("node", Path(), pod, values, "main", 0, "id", "10.1.0.2", "10.0.0.1")
    return asyncio.run(environment(run, Objects()))


def test_a_variable_can_have_the_value_of_a_field() -> None:
    paths = ("metadata.name", "spec.nodeName", "status.podIP", "status.hostIP", "metadata.labels['a']")
    fields = [{"name": path, "valueFrom": {"fieldRef": {"fieldPath": path}}} for path in paths]
    values = resolve(*fields)
    assert [values[path] for path in paths] == ["pod", "node", "10.1.0.2", "10.0.0.1", "1"]
    labels = {"name": "L", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}
    assert resolve(labels)["L"] == 'a="1"\nb="\\""'


@pytest.mark.parametrize(
    ("resource", "divisor", "value"),
    [
        ("requests.cpu", None, "1"),
        ("requests.cpu", "1m", "250"),
        ("limits.cpu", "1", "8"),
        ("limits.memory", "1Mi", "64"),
        ("requests.memory", "1Mi", "0"),
    ],
)
def test_a_variable_can_have_the_value_of_a_resource(resource: str, divisor: str | None, value: str) -> None:
    reference = {"resource": resource, **({"divisor": divisor} if divisor else {})}
    resources = {"requests": {"cpu": "250m"}, "limits": {"memory": "64Mi"}}
    assert (
        resolve({"name": "R", "valueFrom": {"resourceFieldRef": reference}}, resources=resources)["R"]
        == value
    )


def test_variables_come_from_config_maps_and_secrets() -> None:
    sources = [{"prefix": "P_", "configMapRef": {"name": "settings"}}, {"secretRef": {"name": "secret"}}]
    key = {"name": "K", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "password"}}}
    values = resolve(key, {"name": "P_size", "value": "2"}, envFrom=sources)
    assert [values[name] for name in ("P_colour", "P_size", "password", "K")] == [
        "red",
        "2",
        "s3cret",
        "s3cret",
    ]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"configMapKeyRef": {"name": "none", "key": "a"}}, 'configmap "none" not found'),
        ({"secretKeyRef": {"name": "none", "key": "a"}}, 'secret "none" not found'),
        (
            {"configMapKeyRef": {"name": "settings", "key": "a"}},
            "couldn't find key a in ConfigMap team/settings",
        ),
    ],
)
def test_a_missing_key_is_an_error_unless_it_is_optional(reference: dict[str, Any], message: str) -> None:
    with pytest.raises(ContainerStartError) as error:
        resolve({"name": "A", "valueFrom": reference})
    assert (error.value.reason, str(error.value)) == ("CreateContainerConfigError", message)
    optional = {kind: {**value, "optional": True} for kind, value in reference.items()}
    assert "A" not in resolve({"name": "A", "valueFrom": optional})


def test_services_have_variables() -> None:
    values = resolve()
    assert values["KUBERNETES_SERVICE_HOST"] == "10.96.0.1"
    assert not any(name.startswith("MY_DB") for name in values)
    values = resolve({"name": "URL", "value": "$(MY_DB_PORT)/x"}, spec={"enableServiceLinks": True})
    assert values["URL"] == "tcp://10.96.0.2:443/x"
    assert values["MY_DB_SERVICE_PORT_HTTPS"] == values["MY_DB_PORT_443_TCP_PORT"] == "443"
    assert not any(name.startswith(("DB_", "HEADLESS_")) for name in values)


def test_references_are_expanded_as_kubernetes_expands_them() -> None:
    variables = {"A": "1", "B": "2"}
    for text, expanded in (
        ("$(A)$(B)", "12"),
        ("$$(A)", "$(A)"),
        ("$(C)", "$(C)"),
        ("$A $", "$A $"),
        ("$(A", "$(A"),
        ("$$$(A)", "$1"),
    ):
        assert expand(text, variables) == expanded


def write(directory: Path, name: str, spec: Any) -> None:
    directory.mkdir(exist_ok=True)
    (directory / name).write_text(spec if isinstance(spec, str) else json.dumps(spec), encoding="utf-8")


def gpu_spec(value: str) -> dict[str, Any]:
    edits = {
        "env": [f"GPU={value}"],
        "deviceNodes": [{"path": "/dev/gpu0", "hostPath": "/dev/null"}],
        "mounts": [{"hostPath": "/lib/gpu", "containerPath": "/gpu", "options": ["ro"]}],
    }
    devices = [{"name": "0", "containerEdits": edits}]
    return {
        "cdiVersion": "0.6.0",
        "kind": "v.com/gpu",
        "devices": devices,
        "containerEdits": {"env": ["ALL=1"]},
    }


def test_cdi_devices_edit_the_container(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    write(first, "gpu.json", gpu_spec("old"))
    write(second, "gpu.json", gpu_spec("new"))
    edits = cdi.edits_of(["v.com/gpu=0", "v.com/gpu=1", "unknown"], (first, second, tmp_path / "none"))
    assert edits.env == {"ALL": "1", "GPU": "new"}
    assert edits.devices == (DeviceNode("/dev/gpu0", "/dev/null"),)
    assert edits.mounts == (Mount("/gpu", source="/lib/gpu", read_only=True),)


def test_bad_cdi_files_are_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "good.json", gpu_spec("1"))
    wrong = {"kind": "v.com/gpu", "devices": [3, {"name": "0", "containerEdits": {"env": [1], "mounts": 2}}]}
    write(tmp_path, "list.json", [1])
    write(tmp_path, "broken.yaml", "{")
    write(tmp_path, "long.yaml", " " * (cdi.FILE_BYTES_MAX + 1))
    assert cdi.edits_of(["v.com/gpu=0"], [tmp_path]).env["GPU"] == "1"
    assert sum("is ignored" in record.message for record in caplog.records) == 2
    write(tmp_path, "wrong.json", wrong)
    assert cdi.edits_of(["v.com/gpu=0"], [tmp_path]) == cdi.Edits()


def test_members_of_a_cdi_device_with_a_wrong_type_are_ignored(tmp_path: Path) -> None:
    edits = {"env": 3, "deviceNodes": {}, "mounts": [{"containerPath": "/gpu", "options": 5}]}
    write(tmp_path, "odd.json", {"kind": "v.com/gpu", "devices": [{"name": "0", "containerEdits": edits}]})
    assert cdi.edits_of(["v.com/gpu=0"], [tmp_path]) == cdi.Edits(mounts=(Mount("/gpu", source=""),))


def test_a_cdi_file_whose_yaml_aliases_multiply_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    (tmp_path / "bomb.yaml").write_text(f"kind: v.com/gpu\na0: &a0 [x]\n{levels}", encoding="utf-8")
    assert cdi.edits_of(["v.com/gpu=0"], [tmp_path]) == cdi.Edits()
    assert ["bomb.yaml is ignored" in record.message for record in caplog.records] == [True]


def test_no_more_than_the_named_number_of_cdi_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cdi, "FILES_MAX", 1)
    write(tmp_path, "a.json", {"kind": "v.com/nic"})
    write(tmp_path, "b.json", gpu_spec("1"))
    assert cdi.edits_of(["v.com/gpu=0"], [tmp_path]) == cdi.Edits()
