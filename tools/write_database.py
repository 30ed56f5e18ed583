"""Writes a small database with a fakeapi server, and records the server's responses.

    write_database.py FAKEAPI DIRECTORY [RELEASE]

FAKEAPI is the command of an old fakeapi version. The tool writes NAME.db.gz and NAME.json to DIRECTORY; NAME
is RELEASE or `default`. These files are for fixtures/databases: tests open the old database with the current
version. The recorded responses are the objects by the path of a GET, the resourceVersion of each list, and
the watch events of ResourceClaims.
"""

import gzip
import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PORT = 18_907
GROUP = "/apis/resource.k8s.io"
START_SECONDS = 20

OPAQUE = (
    '{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/%s","metadata":{"name":"opaque"},"spec":{"devices":'
    '{"requests":[%s],"config":[{"requests":["gpu"],"opaque":{"driver":"gpu.example.com","parameters":'
    '{ "apiVersion" : "gpu.example.com/v1",\t"kind":"Sharing", "share": 1.50, "text":"<é>" }}}]}}}'
)


def ask(method: str, path: str, body: Any = None, media_type: str = "application/json") -> tuple[int, Any]:
    data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORT}{path}", data, {"Content-Type": media_type}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def must(method: str, path: str, body: Any = None, media_type: str = "application/json") -> Any:
    code, answer = ask(method, path, body, media_type)
    if code >= 300:
        raise SystemExit(f"{method} {path}: {code} {answer.get('message')}")
    return answer


def metadata(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "labels": {"made-by": "write_database"}, **more}


def write_namespaces() -> None:
    must("POST", "/api/v1/namespaces", {"metadata": metadata("team-a")})
    must("POST", "/api/v1/namespaces", {"metadata": metadata("gone")})
    must("DELETE", "/api/v1/namespaces/gone")


def write_claims(base: str, spec: Any, api_version: str) -> None:
    """Creates ResourceClaims, and then updates, applies or deletes them.

    One deleted claim stays, because it has a finalizer.

    - `base`: the URL path of the API version of resource.k8s.io.
    - `spec`: the spec of the claims, which depends on the API version.
    """
    claims = f"{base}/namespaces/team-a/resourceclaims"
    claim = must("POST", claims, {"metadata": metadata("changed"), "spec": spec})
    claim["metadata"]["annotations"] = {"n": "1"}
    must("PUT", f"{claims}/changed", claim)
    must(
        "PATCH",
        f"{claims}/changed",
        {"metadata": {"annotations": {"n": "2"}}},
        "application/merge-patch+json",
    )
    applied = {
        "apiVersion": api_version,
        "kind": "ResourceClaim",
        "metadata": metadata("applied"),
        "spec": spec,
    }
    for manager in ("first", "second"):
        applied["metadata"]["labels"] = {"by": "both", manager: "yes"}
        applied = {key: value for key, value in applied.items() if key != "spec" or manager == "first"}
        must("PATCH", f"{claims}/applied?fieldManager={manager}", applied, "application/apply-patch+yaml")
    waiting = metadata("held", finalizers=["example.com/hold"])
    must("POST", claims, {"metadata": waiting, "spec": spec})
    must("DELETE", f"{claims}/held")
    for _ in range(2):
        must("POST", claims, {"metadata": metadata("gone"), "spec": spec})
        must("DELETE", f"{claims}/gone")
    must("POST", f"{base}/namespaces/default/resourceclaims", {"metadata": metadata("changed"), "spec": spec})


def write_v1alpha2(base: str) -> None:
    must("POST", f"{base}/resourceclasses", {"metadata": metadata("gpu"), "driverName": "gpu.example.com"})
    spec = {"resourceClassName": "gpu"}
    write_claims(base, spec, "resource.k8s.io/v1alpha2")
    must(
        "POST",
        f"{base}/namespaces/team-a/resourceclaimtemplates",
        {"metadata": metadata("template"), "spec": {"spec": spec}},
    )
    must(
        "POST",
        f"{base}/namespaces/team-a/podschedulingcontexts",
        {"metadata": metadata("pod"), "spec": {"selectedNode": "n1", "potentialNodes": ["n1", "n2"]}},
    )


def write_devices(version: str) -> None:
    base = f"{GROUP}/{version}"
    exact = {"deviceClassName": "gpu.example.com"}
    request = {"name": "gpu", "exactly": exact} if version == "v1beta2" else {"name": "gpu", **exact}
    write_claims(base, {"devices": {"requests": [request]}}, f"resource.k8s.io/{version}")
    claims = f"{base}/namespaces/team-a/resourceclaims"
    must("POST", claims, OPAQUE % (version, json.dumps(request)))
    claim = must("GET", f"{claims}/opaque")
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}
    claim["status"] = {
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "11111111-2222-3333-4444-555555555555"}],
    }
    must("PUT", f"{claims}/opaque/status", claim)
    expression = 'device.driver == "gpu.example.com"'
    selectors = [{"cel": {"expression": expression}}]
    must(
        "POST",
        f"{base}/deviceclasses",
        {"metadata": metadata("gpu.example.com"), "spec": {"selectors": selectors}},
    )
    must(
        "POST",
        f"{base}/namespaces/team-a/resourceclaimtemplates",
        {"metadata": metadata("template"), "spec": {"spec": {"devices": {"requests": [request]}}}},
    )
    attributes = {"attributes": {"model": {"string": "a"}, "index": {"int": 0}}}
    device = attributes if version == "v1beta2" else {"basic": attributes}
    slice_spec = {
        "driver": "gpu.example.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0", **device}],
    }
    must("POST", f"{base}/resourceslices", {"metadata": metadata("n1"), "spec": slice_spec})


def collections() -> Iterator[str]:
    """Yields the collection URL paths of Namespaces and of every listable resource outside the core group.

    A resource has one path for each API version in which the server serves the resource.
    """
    yield "/api/v1/namespaces"
    for group in must("GET", "/apis")["groups"]:
        for version in group["versions"]:
            path = f"/apis/{version['groupVersion']}"
            for resource in must("GET", path)["resources"]:
                if "list" in resource["verbs"]:
                    yield f"{path}/{resource['name']}"


def answers() -> dict[str, Any]:
    """Returns the server's responses: resourceVersions of lists, objects by path, watch events of claims."""
    lists = {path: must("GET", path) for path in collections()}
    objects = {}
    for path, listing in lists.items():
        base, _, resource = path.rpartition("/")
        for item in listing["items"]:
            namespace = item["metadata"].get("namespace")
            scope = f"{base}/namespaces/{namespace}/{resource}" if namespace else path
            url = f"{scope}/{item['metadata']['name']}"
            objects[url] = must("GET", url)
    versions = {path: listing["metadata"]["resourceVersion"] for path, listing in lists.items()}
    claims = {path: events(path) for path in lists if path.endswith("/resourceclaims")}
    return {"versions": versions, "objects": objects, "events": claims}


def events(path: str) -> list[Any]:
    """Watches a collection from resourceVersion 1 for one second; returns the watch events.

    `path`: the URL path of the collection.
    """
    url = f"http://127.0.0.1:{PORT}{path}?watch=1&resourceVersion=1&timeoutSeconds=1"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return [json.loads(line) for line in answer]


def write(release: str | None) -> dict[str, Any]:
    versions = [version["version"] for version in must("GET", GROUP)["versions"]]
    write_namespaces()
    if "v1alpha2" in versions:
        write_v1alpha2(f"{GROUP}/v1alpha2")
    newer = [version for version in versions if version != "v1alpha2"]
    if newer:
        write_devices(newer[0])
    return {"release": release, **answers()}


def _lines(part: Any) -> str:
    """Renders a dict as JSON with one line for each key, which makes diffs short."""
    if not isinstance(part, dict):
        return json.dumps(part)
    members = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in part.items()
    )
    return f"{{\n{members}\n}}"


def main() -> None:
    command, directory, *rest = sys.argv[1:]
    release = rest[0] if rest else None
    with tempfile.TemporaryDirectory() as place:
        database = Path(place) / "cluster.db"
        arguments = [command, "serve", "--port", str(PORT), "--db", str(database)]
        with subprocess.Popen([*arguments, *(["--release", release] if release else [])]) as server:
            try:
                deadline = time.monotonic() + START_SECONDS
                while True:
                    try:
                        must("GET", "/version")
                        break
                    except OSError:
                        if time.monotonic() > deadline:
                            raise
                        time.sleep(0.1)
                content = write(release)
            finally:
                server.send_signal(signal.SIGTERM)
        name = release or "default"
        data = gzip.compress(database.read_bytes(), 9, mtime=0)
    (Path(directory) / f"{name}.db.gz").write_bytes(data)
    text = ",\n".join(f"{json.dumps(name)}: {_lines(part)}" for name, part in content.items())
    (Path(directory) / f"{name}.json").write_text(f"{{{text}}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
