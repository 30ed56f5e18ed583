"""The group policy: PodDisruptionBudgets, which limit the eviction of pods."""

from fakeapi.kinds.policy.poddisruptionbudget import POD_DISRUPTION_BUDGET

KINDS = (POD_DISRUPTION_BUDGET,)
