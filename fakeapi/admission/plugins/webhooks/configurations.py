"""Configurations: the webhooks in the stored webhook configurations, in the order of their calls.

Follows k8s.io/apiserver `pkg/admission/configuration`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fakeapi.kinds.common.label_matching import compiled
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry

GROUP = "admissionregistration.k8s.io"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook in a webhook configuration.

    - `uid`: an identifier that differs even for webhooks with the same name.
    - `settings`: the webhook as decoded JSON.
    - `namespaces`, `objects`: the namespaceSelector and objectSelector; None selects nothing.
    """

    uid: str
    name: str
    settings: Mapping[str, Any]
    namespaces: Selector | None
    objects: Selector | None

    @property
    def ignores_failures(self) -> bool:
        return self.settings.get("failurePolicy") == "Ignore"

    @property
    def accepts_equivalents(self) -> bool:
        return self.settings.get("matchPolicy") == "Equivalent"

    @property
    def can_be_asked_again(self) -> bool:
        return self.settings.get("reinvocationPolicy") == "IfNeeded"


class Configurations:
    """The webhooks in all configurations of one resource, such as validatingwebhookconfigurations.

    Decodes each configuration once after each change.
    """

    def __init__(self, objects: ClusterObjects, resource: str) -> None:
        self._objects = objects
        self._resource = resource
        self._read: dict[bytes, tuple[Webhook, ...]] = {}

    def webhooks(self) -> list[Webhook]:
        """Returns the webhooks of all configurations, sorted by the name of the configuration."""
        entries = self._objects.entries(GROUP, self._resource)
        if not entries:
            return []
        self._read = {entry.value: self._read.get(entry.value) or _webhooks_of(entry) for entry in entries}
        return [webhook for webhooks in self._read.values() for webhook in webhooks]


def _webhooks_of(entry: Entry) -> tuple[Webhook, ...]:
    configuration = stored_form.decode(entry)
    name = configuration["metadata"]["name"]
    seen: dict[str, int] = {}
    webhooks = []
    for settings in configuration.get("webhooks") or ():
        number = seen[settings["name"]] = seen.get(settings["name"], -1) + 1
        webhooks.append(
            Webhook(
                uid=f"{name}/{settings['name']}/{number}",
                name=settings["name"],
                settings=settings,
                namespaces=compiled(settings.get("namespaceSelector")),
                objects=compiled(settings.get("objectSelector")),
            )
        )
    return tuple(webhooks)
