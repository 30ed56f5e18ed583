"""Builds the HTTP requests of the benchmarks, about ResourceClaims of 1.5 KB."""

import json
from collections.abc import Callable
from typing import Any

from benchmarks.load import request

GROUP = "/apis/resource.k8s.io/v1alpha3"
CLAIMS = f"{GROUP}/namespaces/default/resourceclaims"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

Make = Callable[[int], bytes]


def claim(name: str, **labels: str) -> dict[str, Any]:
    """Returns a ResourceClaim that takes about 1.5 KB in the storage."""
    parameters = {"apiVersion": "gpu.example.com/v1", "kind": "GpuConfig", "sharing": {"note": "x" * 480}}
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "labels": {"app": "bench", **labels}},
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": f"gpu-{number}",
                        "deviceClassName": "gpu.example.com",
                        "selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}],
                    }
                    for number in range(2)
                ],
                "config": [{"opaque": {"driver": "gpu.example.com", "parameters": parameters}}],
            }
        },
    }


def allocated(name: str, number: int) -> dict[str, Any]:
    result = {"request": "gpu-0", "driver": "gpu.example.com", "pool": "pool-1", "device": "gpu-0"}
    consumer = {"resource": "pods", "name": f"pod-{number}", "uid": f"uid-{number}"}
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}
    return {**claim(name), "status": status}


def named_only(name: str) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceClaim", "metadata": {"name": name}}


def encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def named_creates(prefix: str, claims: str = CLAIMS) -> Make:
    return lambda number: request("POST", claims, encoded(claim(f"{prefix}{number}")))


def merge_patch(target: str, number: int) -> bytes:
    return request("PATCH", target, encoded({"metadata": {"labels": {"patched": str(number)}}}), MERGE)


def one_object(count: int, claims: str = CLAIMS) -> dict[str, Make]:
    """Returns functions that build requests about one claim, by the name of the table row.

    Each function takes the number of the request. Run the rows in this order, because later rows use the
    claims that earlier rows created.
    """
    return {
        "get": lambda n: request("GET", f"{claims}/s{n % count}"),
        "create": named_creates("c", claims),
        "update": lambda n: request("PUT", f"{claims}/s{n}", encoded(claim(f"s{n}", turn=str(n)))),
        "status update": lambda n: request("PUT", f"{claims}/s{n}/status", encoded(allocated(f"s{n}", n))),
        "merge patch": lambda n: merge_patch(f"{claims}/s{n}", n),
        "apply": lambda n: request(
            "PATCH",
            f"{claims}/s{n}?fieldManager=bench",
            encoded({**named_only(f"s{n}"), "metadata": {"name": f"s{n}", "labels": {"applied": str(n)}}}),
            APPLY,
        ),
        "delete": lambda n: request("DELETE", f"{claims}/s{n}"),
    }
