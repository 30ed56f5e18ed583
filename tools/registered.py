"""Reads all kinds that kube-apiserver registers in a release, even kinds that the server does not serve."""

import re
from pathlib import Path

_INSTALLED = re.compile(r'_ "k8s\.io/kubernetes/pkg/apis/(\w+)/install"')
_GROUP = re.compile(r'^const GroupName = "(.*)"|^\s+GroupName = "(.*)"', re.MULTILINE)
_KNOWN = re.compile(r"AddKnownTypes\(\s*SchemeGroupVersion,(.*?)\)", re.DOTALL)
_TYPE = re.compile(r"&(?:\w+\.)?(\w+)\{\}")


class RegistrationError(Exception):
    """Raised if the Go source that registers kinds has an unknown form."""


def registered_kinds(kubernetes: Path, api: Path) -> dict[str, list[str]]:
    """Returns the kinds in the API server's scheme by apiVersion.

    Leaves out kinds that every group version has, such as ListOptions. `kubernetes`, `api`: the folders of
    these modules. Raises RegistrationError if the Go source has an unknown form.
    """
    imports = (kubernetes / "pkg/controlplane/import_known_versions.go").read_text()
    by_version: dict[str, list[str]] = {}
    for group in sorted(_INSTALLED.findall(imports)):
        install = (kubernetes / f"pkg/apis/{group}/install/install.go").read_text()
        for version in re.findall(rf'"k8s\.io/kubernetes/pkg/apis/{group}/(v\w+)"', install):
            source = (api / group / version / "register.go").read_text()
            name = _GROUP.search(source)
            kinds = sorted({kind for block in _KNOWN.findall(source) for kind in _TYPE.findall(block)})
            if name is None or not kinds:
                raise RegistrationError(f"{group}/{version} registers nothing that can be read")
            stated = name[1] or name[2] or ""
            by_version[f"{stated}/{version}" if stated else version] = kinds
    return dict(sorted(by_version.items()))
