"""Warns about overlapping file paths in a volume.

Follows `warningsForOverlappingVirtualPaths` of k8s.io/kubernetes `pkg/api/pod/warnings.go`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

_CERTIFICATE = {
    "certificateChainPath": "PodCertificate chain",
    "keyPath": "PodCertificate key",
    "credentialBundlePath": "PodCertificate credential bundle",
}


class _File(NamedTuple):
    path: str
    source: str

    def __str__(self) -> str:
        return f"{quote(self.path)} ({self.source})" if self.source else quote(self.path)


def overlap_warnings(spec: Object) -> Iterator[str]:
    """Yields warnings about overlapping file paths in the volumes of a pod spec."""
    for volume in spec.get("volumes") or ():
        name = quote(volume.get("name", ""))
        for title, holder in _simple_volumes(volume):
            for text in _overlaps(_files(holder, ""), []):
                yield f"volume {name} ({title}): overlapping paths: {text}"
        taken: list[_File] = []
        for source in (volume.get("projected") or {}).get("sources") or ():
            if not source:
                yield f"volume {name} (Projected) has no sources provided"
            for text in _overlaps(_source_files(source), taken):
                yield f"volume {name} (Projected): overlapping paths: {text}"


def _simple_volumes(volume: Object) -> Iterator[tuple[str, Object]]:
    titles = {"configMap": ("ConfigMap", "name"), "secret": ("Secret", "secretName")}
    for kind, (title, key) in titles.items():
        if kind in volume:
            yield f"{title} {quote(volume[kind].get(key, ''))}", volume[kind]
    if "downwardAPI" in volume:
        yield "DownwardAPI", volume["downwardAPI"]


def _files(holder: Object, source: str) -> list[_File]:
    return [_File(item.get("path", ""), source) for item in holder.get("items") or ()]


def _source_files(source: Object) -> list[_File]:
    """Returns the files of a projected source. If several kinds of source are set, uses the first kind."""
    for kind, title in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if source.get(kind, {}).get("items"):
            return _files(source[kind], f"{title} {quote(source[kind].get('name', ''))}")
    if source.get("downwardAPI", {}).get("items"):
        return _files(source["downwardAPI"], "DownwardAPI")
    if "serviceAccountToken" in source:
        return [_File(source["serviceAccountToken"].get("path", ""), "ServiceAccountToken")]
    if "clusterTrustBundle" in source:
        bundle = source["clusterTrustBundle"]
        name = bundle.get("name", bundle.get("signerName", ""))
        return [_File(bundle.get("path", ""), f"ClusterTrustBundle {quote(name)}")]
    certificate = source.get("podCertificate") or {}
    return [_File(certificate[name], title) for name, title in _CERTIFICATE.items() if certificate.get(name)]


def _overlaps(files: Iterable[_File], taken: list[_File]) -> Iterator[str]:
    """Yields a text for each overlap of a path in `files` with a path in `taken`.

    Adds `files` to `taken`.
    """
    for entry in files:
        file = _File(entry.path.rstrip("/"), entry.source)
        if file.path:
            for other in taken:
                if other.path and (_leads_to(file, other) or _leads_to(other, file)):
                    yield f"{file} with {other}"
        taken.append(file)


def _leads_to(one: _File, other: _File) -> bool:
    return f"{other.path}/".startswith(f"{one.path}/")
