"""Compiles strategies.go, a Go program that runs the registry strategies of a Kubernetes release."""

import json
import os
import re
import subprocess
from pathlib import Path

from tools.modules import LAST_PATCHES

RESOURCES = {
    "resource.k8s.io": {
        "deviceclasses": "resource/deviceclass",
        "devicetaintrules": "resource/devicetaintrule",
        "resourceclaims": "resource/resourceclaim",
        "resourceclaimtemplates": "resource/resourceclaimtemplate",
        "resourcepoolstatusrequests": "resource/resourcepoolstatusrequest",
        "resourceslices": "resource/resourceslice",
    },
    "": {
        "configmaps": "core/configmap",
        "endpoints": "core/endpoint",
        "limitranges": "core/limitrange",
        "namespaces": "core/namespace",
        "nodes": "core/node",
        "persistentvolumeclaims": "core/persistentvolumeclaim",
        "persistentvolumes": "core/persistentvolume",
        "podtemplates": "core/podtemplate",
        "replicationcontrollers": "core/replicationcontroller",
        "resourcequotas": "core/resourcequota",
        "secrets": "core/secret",
        "serviceaccounts": "core/serviceaccount",
        "services": "core/service",
    },
    "apps": {
        "controllerrevisions": "apps/controllerrevision",
        "daemonsets": "apps/daemonset",
        "deployments": "apps/deployment",
        "replicasets": "apps/replicaset",
        "statefulsets": "apps/statefulset",
    },
    "autoscaling": {"horizontalpodautoscalers": "autoscaling/horizontalpodautoscaler"},
    "batch": {"cronjobs": "batch/cronjob", "jobs": "batch/job"},
    "certificates.k8s.io": {"certificatesigningrequests": "certificates/certificates"},
    "coordination.k8s.io": {"leases": "coordination/lease"},
    "discovery.k8s.io": {"endpointslices": "discovery/endpointslice"},
    "flowcontrol.apiserver.k8s.io": {
        "flowschemas": "flowcontrol/flowschema",
        "prioritylevelconfigurations": "flowcontrol/prioritylevelconfiguration",
    },
    "lifecycle.k8s.io": {
        "evictionrequests": "lifecycle/evictionrequest",
        "evictions": "lifecycle/eviction",
    },
    "networking.k8s.io": {
        "ingressclasses": "networking/ingressclass",
        "ingresses": "networking/ingress",
        "ipaddresses": "networking/ipaddress",
        "networkpolicies": "networking/networkpolicy",
        "servicecidrs": "networking/servicecidr",
    },
    "node.k8s.io": {"runtimeclasses": "node/runtimeclass"},
    "policy": {"poddisruptionbudgets": "policy/poddisruptionbudget"},
    "rbac.authorization.k8s.io": {
        "clusterrolebindings": "rbac/clusterrolebinding",
        "clusterroles": "rbac/clusterrole",
        "rolebindings": "rbac/rolebinding",
        "roles": "rbac/role",
    },
    "scheduling.k8s.io": {"priorityclasses": "scheduling/priorityclass"},
    "storage.k8s.io": {
        "csidrivers": "storage/csidriver",
        "csinodes": "storage/csinode",
        "csistoragecapacities": "storage/csistoragecapacity",
        "storageclasses": "storage/storageclass",
        "volumeattachments": "storage/volumeattachment",
        "volumeattributesclasses": "storage/volumeattributesclass",
    },
    "admissionregistration.k8s.io": {
        "mutatingwebhookconfigurations": "admissionregistration/mutatingwebhookconfiguration",
        "validatingwebhookconfigurations": "admissionregistration/validatingwebhookconfiguration",
    },
}
"""The folder of each resource's strategy below `pkg/registry` in k8s.io/kubernetes, by API group."""

_BY_NAMESPACES = {"resource/resourceclaim", "resource/resourceclaimtemplate"}
"""Folders below `pkg/registry` whose strategies read the labels of a namespace."""

_MADE = {
    "lifecycle/eviction": "NewStrategy(clocktesting.NewFakePassiveClock(time.Unix(1735689600, 0)))",
    "lifecycle/evictionrequest": "NewStrategy()",
}
"""Go expressions by folder, for strategies that a Go function creates.

A clock in these expressions always shows the start of 2025.
"""

_STATUS = re.compile(r"^\s*(?:var )?StatusStrategy\s*=", re.MULTILINE)
_ALLOW = """
type allowAll struct{ authorizer.Authorizer }

func (allowAll) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
"""


def built(release: str, groups: list[str], folder: Path) -> Path:
    """Compiles the Go program of a release in `folder`, with the strategies of these API groups.

    Returns the path of the program. Raises CalledProcessError if Go fails.
    """
    minor, patch = release.partition(".")[2], LAST_PATCHES[release]
    environment = os.environ | {
        "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GONOSUMDB": "k8s.io/*,sigs.k8s.io/*",
    }  # fmt: skip
    listed = ["go", "mod", "download", "-json", f"k8s.io/kubernetes@v{release}.{patch}"]
    download = json.loads(subprocess.run(listed, env=environment, capture_output=True, check=True).stdout)
    text = Path(download["GoMod"]).read_text(encoding="utf-8")
    staging = sorted(set(re.findall(r"^\s*(k8s\.io/\S+) => \./staging", text, re.MULTILINE)))
    version = re.search(r"^go (\S+)", text, re.MULTILINE)
    assert version is not None
    replaced = "".join(f"\t{module} => {module} v0.{minor}.{patch}\n" for module in staging)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(
        f"module strategies\n\ngo {version[1]}\n\nrequire k8s.io/kubernetes v{release}.{patch}\n\n"
        f"replace (\n{replaced})\n",
        encoding="utf-8",
    )
    main = Path(__file__).with_name("strategies.go").read_text(encoding="utf-8")
    (folder / "main.go").write_text(main, encoding="utf-8")
    (folder / "made.go").write_text(_program(Path(download["Dir"]), groups), encoding="utf-8")
    subprocess.run(["go", "mod", "tidy", "-e"], cwd=folder, env=environment, check=True)
    subprocess.run(["go", "build", "-o", "strategies", "."], cwd=folder, env=environment, check=True)
    return folder / "strategies"


def _program(kubernetes: Path, groups: list[str]) -> str:
    imports, cases, more = list[str](), list[str](), ""
    for group in groups:
        for resource, package in RESOURCES[group].items():
            source = kubernetes / "pkg/registry" / package / "strategy.go"
            if not source.exists():
                continue
            text = source.read_text(encoding="utf-8")
            alias = f"of{resource}"
            imports.append(f'{alias} "k8s.io/kubernetes/pkg/registry/{package}"')
            own, status = f"{alias}.Strategy", f"{alias}.StatusStrategy"
            if package in _BY_NAMESPACES:
                authorizes = "authorizer authorizer." in text
                own = f"{alias}.NewStrategy(namespaces{{}}{', allowAll{}' if authorizes else ''})"
                status = f"{alias}.NewStatusStrategy({own})"
                more = more or (_ALLOW if authorizes else "")
            if package in _MADE:
                own = f"{alias}.{_MADE[package]}"
                status = f"{alias}.NewStatusStrategy({own})"
                if "clocktesting" in own:
                    imports += ['clocktesting "k8s.io/utils/clock/testing"', '"time"']
            cases.append(f'case "{group}/{resource}/":\n\t\treturn {own}')
            if _STATUS.search(text) or "NewStatusStrategy" in text:
                cases.append(f'case "{group}/{resource}/status":\n\t\treturn {status}')
        name = RESOURCES[group][next(iter(RESOURCES[group]))].partition("/")[0]
        imports.append(f'_ "k8s.io/kubernetes/pkg/apis/{name}/install"')
    if more:
        imports += ['"context"', '"k8s.io/apiserver/pkg/authorization/authorizer"']
    listed, branches = "\n\t".join(imports), "\n\t".join(cases)
    return (
        f"package main\n\nimport (\n\t{listed}\n)\n\n"
        f"func strategyOf(name string) any {{\n\tswitch name {{\n\t"
        f'{branches}\n\t}}\n\tpanic("no strategy " + name)\n}}\n{more}'
    )
