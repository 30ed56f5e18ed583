"""Claims: calls DRA drivers to prepare and unprepare the ResourceClaims of a node's pods.

The pod worker retries after a failure.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/manager.go`.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.driver import Claim, Driver, DriverError
from fakeapi.controllers.kubelet.prepared import (
    PREPARE,
    UNPREPARE,
    Prepared,
    PreparedClaim,
    drivers_of,
    skipped_operations,
)
from fakeapi.controllers.kubelet.registrations import Registrations
from fakeapi.controllers.pod_claims import (
    ClaimNameUnknown,
    claim_of_pod,
    claim_source,
    is_for_pod,
    reserved_for,
)
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf_encoding
from fakeapi.registry.model.resource import Resource
from fakeapi.releases.kubelet_quirks import kubelet_quirks_of

GROUP = "resource.k8s.io"
OPTIONAL_OPERATIONS_GATE = "DRAOptionalNodeOperations"


class PrepareError(Exception):
    """Raised if claims cannot be prepared or unprepared now. A real kubelet has the same message."""


class Claims:
    """Prepares and unprepares the ResourceClaims of the pods of one node."""

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        registrations: Registrations,
        prepared: Prepared,
        keep: Callable[[], None],
    ) -> None:
        """Starts with the claims in `prepared`.

        `keep`: a function that writes `prepared` to the checkpoint file, and may raise OSError. The function
        is called after every change of `prepared`.
        """
        self._context = context
        self._api = api
        self._registrations = registrations
        self._prepared = prepared
        self._keep = keep
        self._unpreparing: dict[str, asyncio.Future[None]] = {}
        self._quirks = kubelet_quirks_of(context.cluster.catalogue.primary.minor)
        self._by_pod = not context.has_field("", "pods", "status", "resourceClaimStatuses")

    async def prepare(self, pod: Object) -> None:
        """Calls the DRA drivers to prepare all unprepared claims of a pod.

        Raises PrepareError if a claim is not ready, if a request or a driver fails, or if the checkpoint
        cannot be written.
        """
        try:
            await self._prepare(pod)
        except PrepareError as error:
            raise PrepareError(self._quirks.prepare_failed.format(problem=error)) from None

    async def _prepare(self, pod: Object) -> None:
        when = self._quirks.notes_claims
        entries = []
        for name in self._names(pod):
            entry = await self._entry(pod, name)
            entries.append(entry)
            if when == "at once" or (when == "when prepared" and entry in self._prepared):
                self._note(pod, entry)
        if when == "when drivers are there":
            for driver in _drivers(entries, PREPARE):
                self._driver(driver, self._quirks.no_driver_to_prepare)
            self._note(pod, *entries)
        for driver in _drivers(entries, PREPARE):
            left = [
                entry for entry in entries if entry.calls(driver, PREPARE) and driver not in entry.devices
            ]
            if not left:
                continue
            registered = self._driver(driver, self._quirks.no_driver_to_prepare)
            try:
                devices = await registered.prepare([entry.for_driver(driver) for entry in left])
            except DriverError as error:
                raise self._problem(error) from None
            for entry in left:
                entry.devices[driver] = devices[entry.claim.uid]
            self._note(pod, *left)

    def _note(self, pod: Object, *entries: PreparedClaim) -> None:
        """Adds the pod to the users of each claim, and saves the checkpoint.

        The pod's deletion then waits until the claims are unprepared. Raises PrepareError if the checkpoint
        cannot be written.
        """
        for entry in entries:
            self._prepared.add(entry)
            entry.pods.add(pod["metadata"]["uid"])
        if entries:
            self._checkpoint()

    async def unprepare(self, pod: str) -> None:
        """Calls the DRA drivers to unprepare the claims that only this pod uses. `pod`: the uid of the pod.

        Concurrent calls for the same pod wait for the same driver calls. Raises PrepareError if a driver is
        missing or fails, or if the checkpoint cannot be written.
        """
        running = self._unpreparing.get(pod)
        if running is None:
            running = self._unpreparing[pod] = asyncio.ensure_future(self._unprepare(pod))
            running.add_done_callback(lambda _: self._unpreparing.pop(pod, None))
        await running

    async def _unprepare(self, pod: str) -> None:
        last = []
        for entry in self._prepared.of_pod(pod):
            if len(entry.pods) > 1:
                entry.pods.discard(pod)
            else:
                last.append(entry)
        for driver in _drivers(last, UNPREPARE):
            claims = [entry.for_driver(driver) for entry in last if entry.calls(driver, UNPREPARE)]
            registered = self._driver(driver, self._quirks.no_driver_to_unprepare)
            try:
                await registered.unprepare(claims)
            except DriverError as error:
                raise self._problem(error) from None
        for entry in last:
            self._prepared.remove(entry)
        self._checkpoint()

    def _checkpoint(self) -> None:
        try:
            self._keep()
        except OSError as problem:
            raise PrepareError(self._quirks.checkpoint_failed.format(problem=problem)) from None

    def _problem(self, error: DriverError) -> PrepareError:
        template: str = getattr(self._quirks, error.reason)
        return PrepareError(template.format(**error.details))

    def _names(self, pod: Object) -> list[tuple[str, bool]]:
        """Returns (claim name, whether the claim is from a template) for each ResourceClaim of a pod.

        Skips claims that no container uses, in releases with the quirk `skips_unused_claims`. Raises
        PrepareError if the claim of a template has not been created yet.
        """
        names = []
        used = _used_names(pod) if self._quirks.skips_unused_claims else None
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            if used is not None and pod_claim["name"] not in used:
                continue
            try:
                name = claim_of_pod(pod, pod_claim, by_pod=self._by_pod)
            except ClaimNameUnknown:
                metadata = pod["metadata"]
                whose = f'pod "{metadata["namespace"]}/{metadata["name"]}"'
                problem = f"{whose}: ResourceClaim not created yet"
                raise PrepareError(self._quirks.name_unknown.format(problem=problem)) from None
            if name is not None:
                names.append((name, bool(claim_source(pod_claim).get("resourceClaimTemplateName"))))
        extended = pod["status"].get("extendedResourceClaimStatus")
        if extended:
            names.append((extended["resourceClaimName"], False))
        return names

    async def _entry(self, pod: Object, named: tuple[str, bool]) -> PreparedClaim:
        name, is_own = named
        metadata = pod["metadata"]
        resource = find_resource(self._context.cluster.catalogue, GROUP, "resourceclaims")
        if resource is None:
            raise PrepareError(f"fetch ResourceClaim {name}: not served")
        try:
            claim = await self._api.get(served_as(resource).path(metadata["namespace"], name))
        except StatusError as problem:
            text = self._quirks.claim_not_found.format(
                claim=name, pod=metadata["name"], problem=problem.message
            )
            raise PrepareError(text) from None
        uid = claim["metadata"]["uid"]
        if is_own and not is_for_pod(pod, claim):
            own = f"{metadata['namespace']}/{name} (uid {uid})"
            raise PrepareError(f"resourceclaim {own} is not owned by the pod")
        if not reserved_for(pod, claim):
            text = self._quirks.claim_not_reserved.format(
                pod=metadata["name"], uid=metadata["uid"], claim=name, claim_uid=uid
            )
            raise PrepareError(text)
        known = self._prepared.get(metadata["namespace"], name)
        if known is None:
            if "allocation" not in claim["status"]:
                raise PrepareError(f"ResourceClaim {name}: not allocated")
            return PreparedClaim(
                _claim(claim),
                drivers_of(claim),
                told=self._claims_by_driver(claim, resource),
                skipped=self._skipped(claim),
            )
        if known.claim.uid != uid:
            old = f"old ResourceClaim with same name {name} and different UID {known.claim.uid} still exists"
            raise PrepareError(f"{old} (previous pod force-deleted?!)")
        return known

    def _skipped(self, claim: Object) -> dict[str, list[str]]:
        """Returns the node operations that this kubelet skips for each driver of an allocated claim.

        Raises PrepareError if a driver skips operations while the feature gate is off.
        """
        skipped = skipped_operations(claim)
        if skipped and not self._context.cluster.catalogue.primary.gates.enabled(OPTIONAL_OPERATIONS_GATE):
            problem = f"{OPTIONAL_OPERATIONS_GATE} feature gate is disabled on kubelet"
            raise PrepareError(f"ResourceClaim {claim['metadata']['name']}: {problem}")
        return skipped

    def _claims_by_driver(self, claim: Object, resource: Resource) -> dict[str, Claim]:
        """Returns a Claim for the first resource handle of each DRA driver (up to 1.30), by the name of the
        driver.
        """
        allocation = claim["status"]["allocation"]
        claims: dict[str, Claim] = {}
        for handle in allocation.get("resourceHandles") or ():
            driver = handle.get("driverName") or claim["status"].get("driverName", "")
            structured = handle.get("structuredData")
            encoded = () if structured is None else (_encoded(structured, resource),)
            claims.setdefault(
                driver, replace(_claim(claim), handle=handle.get("data", ""), structured=encoded)
            )
        return claims

    def _driver(self, name: str, missing: str) -> Driver:
        """Returns the registered DRA driver with this name.

        Raises PrepareError if no such driver is registered. `missing`: the template of the error message.
        """
        driver = self._registrations.drivers.get(name)
        if driver is None:
            raise PrepareError(missing.format(driver=name))
        return driver


def _drivers(entries: Iterable[PreparedClaim], operation: str) -> list[str]:
    """Returns the drivers that the kubelet calls for an operation on these claims, without duplicates."""
    names = (name for entry in entries for name in entry.drivers if entry.calls(name, operation))
    return list(dict.fromkeys(names))


def _used_names(pod: Object) -> set[str]:
    """Returns the names in `spec.resourceClaims` of the claims that any container uses."""
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *spec["containers"]]
    resources = [container.get("resources") or {} for container in containers]
    return {claim["name"] for requirements in resources for claim in requirements.get("claims") or ()}


def _claim(claim: Object) -> Claim:
    metadata = claim["metadata"]
    return Claim(metadata["namespace"], metadata["uid"], metadata["name"])


def _encoded(structured: Object, resource: Resource) -> bytes:
    """Returns the structured data of a resource handle as protobuf bytes, as DRA drivers expect it."""
    node: Any = resource.schema
    for name in ("status", "allocation", "resourceHandles"):
        node = node.fields[name].node
    return protobuf_encoding.encode(structured, node.items.fields["structuredData"].node)
