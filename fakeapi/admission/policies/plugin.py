"""PolicyPlugin: base class of the plugins ValidatingAdmissionPolicy and MutatingAdmissionPolicy."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from copy import deepcopy
from functools import partial
from typing import ClassVar

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.policies.authority import is_asked, prepare
from fakeapi.machinery.cel.allowance import AllowanceSpent
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.objects import reading_on

GROUP = "admissionregistration.k8s.io"
_REVIEWING = frozenset(("authentication.k8s.io", "authorization.k8s.io"))
"""API groups of reviews, such as TokenReview. In older releases, policies do not apply to reviews.

Follows k8s.io/kubernetes `pkg/kubeapiserver/admission/exclusion`.
"""


class PolicyPlugin(AdmissionPlugin, ABC):
    """Evaluates all policies of one kind for a write.

    `gate`: the feature gate of the policies. `policies`, `bindings`: the resource names of the policies and
    of their bindings.
    """

    gate: ClassVar[str]
    policies: ClassVar[str]
    bindings: ClassVar[str]

    def evaluate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Evaluates the policies for a write, if the feature gate of the policies is on.

        From 1.30 on, does not evaluate policies for authentication and authorization reviews. If an
        expression uses the CEL variable `authorizer`, waits until the authorizer is ready. Raises ApiError if
        a policy denies the write.
        """
        release, resource = attributes.resource.release, attributes.resource.kind
        if not release.gates.enabled(self.gate):
            return None
        is_review = resource.group in _REVIEWING and resource.resource.endswith("reviews")
        if is_review and not release.quirks.policies_judge_reviews:
            return None
        policies = list(self.objects.list(GROUP, self.policies))
        if is_asked((policy["spec"] for policy in policies), self.server):
            return self._evaluate_prepared(policies, attributes)
        return self._evaluated(policies, attributes)

    async def _evaluate_prepared(self, policies: list[Object], attributes: Attributes) -> None:
        await prepare(self.server)
        waiting = self._evaluated(policies, attributes)
        if waiting is not None:
            await waiting

    def _evaluated(self, policies: list[Object], attributes: Attributes) -> Awaitable[None] | None:
        """Evaluates the policies on the event loop. Returns None when the evaluation is complete.

        If the expressions need too many CEL cost units for the event loop, evaluates the policies again in a
        thread. The function then returns an awaitable that ends with the evaluation.
        """
        evaluate = partial(self.evaluate_all, policies, attributes)
        begun_with = attributes.obj, deepcopy(attributes.reinvocation)
        heavy = self.server.heavy
        try:
            heavy.on_event_loop(evaluate)
        except AllowanceSpent:
            attributes.obj, attributes.reinvocation = begun_with
            return heavy.in_thread(self._restarting(attributes, evaluate))
        return None

    @staticmethod
    def _restarting(attributes: Attributes, evaluate: Callable[[], None]) -> Callable[[], None]:
        """Returns a function that evaluates policies for a write. The caller runs the function in a thread.

        If the function uses up its CEL cost units, it undoes its changes to the write and raises
        AllowanceSpent. The caller can then call the function again.
        """
        loop = asyncio.get_running_loop()

        def step() -> None:
            begun_with = attributes.obj, deepcopy(attributes.reinvocation)
            try:
                reading_on(loop, evaluate)
            except AllowanceSpent:
                attributes.obj, attributes.reinvocation = begun_with
                raise

        return step

    @abstractmethod
    def evaluate_all(self, policies: list[Object], attributes: Attributes) -> None:
        """Evaluates policies, sorted by name, for a write. Raises ApiError if a policy denies the write."""

    def bindings_by_policy(self) -> dict[str, list[Object]]:
        """Returns all bindings by the name of their policy."""
        by_policy: dict[str, list[Object]] = {}
        for binding in self.objects.list(GROUP, self.bindings):
            by_policy.setdefault(binding["spec"].get("policyName", ""), []).append(binding)
        return by_policy
