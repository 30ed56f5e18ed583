"""The group policy: budgets that evictions respect."""

from fakeapi.registry.groups.policy.poddisruptionbudget import POD_DISRUPTION_BUDGET

KINDS = (POD_DISRUPTION_BUDGET,)
