"""WebhookActivation: has webhooks asked once there is a configuration of some."""

from fakeapi.admission.plugins import MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.admission.plugin import AdmissionPlugin


class WebhookActivation(AdmissionPlugin):
    """Until there is a configuration, no write pays for webhooks."""

    def mutate(self, attributes: Attributes) -> None:
        self.objects.store.admission.extend(MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS)
