"""CertificateController: issues Certificates of cert-manager.io with a CA of the server.

Helm charts of DRA drivers get the certificates of their webhooks from cert-manager. This controller replaces
cert-manager: it creates the CustomResourceDefinitions, writes the Secret of each Certificate, and injects CA
certificates into webhooks. All issuers use the same CA. The controller ignores renewal, certificate requests
and the fields of the issuer.
"""

from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.certificates.definitions import GROUP, KINDS, definition
from fakeapi.controllers.certificates.injection import INJECTED, certificate_of, with_authority
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.machinery.json_types import Object

if TYPE_CHECKING:
    import trustme

NAMES_ANNOTATION = "cert-manager.io/alt-names"
_READY = {"type": "Ready", "status": "True"}


class Key(NamedTuple):
    """An object to reconcile: its resource, and its key in the cache."""

    group: str
    plural: str
    name: str


class CertificateController(Controller):
    name = "cert-manager"

    async def start(self) -> None:
        context = self.context
        self._api = context.api("cert-manager")
        self._authority: trustme.CA | None = None
        self._informers: dict[tuple[str, str], Informer] = {}
        definitions = context.served("apiextensions.k8s.io", "customresourcedefinitions")
        for plural in KINDS:
            try:
                await self._api.create(definitions.path(), definition(plural))
            except StatusError as problem:
                if not problem.is_already_exists:
                    raise
            self._follow(GROUP, plural)
        for group, plural in INJECTED:
            self._follow(group, plural)

    def _follow(self, group: str, plural: str) -> None:
        informer = self.context.informer(self.context.served(group, plural))
        informer.on_change(partial(self._changed, group, plural))
        self._informers[group, plural] = informer

    def _changed(self, group: str, plural: str, old: Object | None, new: Object | None) -> None:
        if new is not None and (group == GROUP or certificate_of(new)):
            self.context.add(Key(group, plural, key_of(new)))

    async def reconcile(self, key: Key) -> None:
        obj = self._informers[key.group, key.plural].objects.get(key.name)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return
        if key.group != GROUP:
            await self._inject(key, obj)
        elif key.plural == "certificates":
            await self._issue(obj)
        else:
            await self._set_ready(key.plural, obj, "IsReady", "")

    async def _issue(self, certificate: Object) -> None:
        """Writes the Secret of a Certificate, and queues the objects whose annotation names the Certificate.

        Does nothing without names or a secretName. Keeps a Secret that has the same names.
        """
        namespace, spec = certificate["metadata"]["namespace"], certificate.get("spec") or {}
        names = [*(spec.get("dnsNames") or ()), *(spec.get("ipAddresses") or ())]
        if not names and spec.get("commonName"):
            names = [spec["commonName"]]
        if not names or not spec.get("secretName"):
            return
        secret = await self._secret(namespace, spec["secretName"])
        listed = ",".join(names)
        if ((secret or {}).get("metadata", {}).get("annotations") or {}).get(NAMES_ANNOTATION) != listed:
            await self._write_secret(namespace, spec["secretName"], names)
        message = "Certificate is up to date and has not expired"
        await self._set_ready("certificates", certificate, "Ready", message)
        for group, plural in INJECTED:
            for name, obj in self._informers[group, plural].objects.items():
                if certificate_of(obj) == key_of(certificate):
                    self.context.add(Key(group, plural, name))

    async def _write_secret(self, namespace: str, name: str, names: list[str]) -> None:
        import trustme  # noqa: PLC0415 - imports cryptography, which only certificates need

        if self._authority is None:
            self._authority = trustme.CA(organization_name="fakeapi")
        issued = self._authority.issue_cert(*names)
        chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
        data = {
            "ca.crt": self._authority.cert_pem.bytes(),
            "tls.crt": chain,
            "tls.key": issued.private_key_pem.bytes(),
        }
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/tls",
            "metadata": {"name": name, "annotations": {NAMES_ANNOTATION: ",".join(names)}},
            "data": {file: b64encode(content).decode() for file, content in data.items()},
        }
        path = self.context.served("", "secrets").path(namespace, name)
        await self._api.patch(path, secret, "apply", fieldManager="cert-manager", force="true")

    async def _inject(self, key: Key, obj: Object) -> None:
        """Sets the caBundle of an object's webhooks, if the Secret of its Certificate exists."""
        certificate = self._informers[GROUP, "certificates"].objects.get(certificate_of(obj))
        if certificate is None:
            return
        name = (certificate.get("spec") or {}).get("secretName", "")
        secret = await self._secret(certificate["metadata"]["namespace"], name) if name else None
        authority = ((secret or {}).get("data") or {}).get("ca.crt")
        patch = with_authority(obj, authority) if authority else None
        if patch is not None:
            await self._api.patch(self.context.served(key.group, key.plural).path_of(obj), patch)

    async def _secret(self, namespace: str, name: str) -> Object | None:
        try:
            return await self._api.get(self.context.served("", "secrets").path(namespace, name))
        except StatusError as problem:
            if problem.is_not_found:
                return None
            raise

    async def _set_ready(self, plural: str, obj: Object, reason: str, message: str) -> None:
        """Sets the condition Ready in the status of an object, unless the first condition is True."""
        known = ((obj.get("status") or {}).get("conditions") or [{}])[0]
        if known.get("status") == "True":
            return
        condition = {**_READY, "reason": reason, "message": message, "lastTransitionTime": self.context.now()}
        path = self.context.served(GROUP, plural).path_of(obj, "status")
        await self._api.patch(path, {"status": {"conditions": [condition]}})
