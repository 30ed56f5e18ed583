"""The group policy: budgets that evictions respect."""

from fakeapi.kinds.policy.poddisruptionbudget import POD_DISRUPTION_BUDGET

KINDS = (POD_DISRUPTION_BUDGET,)
