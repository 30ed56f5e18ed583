"""ResourceQuota: holds the objects of a namespace to its quotas.

Follows k8s.io/apiserver `pkg/admission/plugin/resourcequota` and `pkg/quota/v1`, and `pkg/quota/v1` of
k8s.io/kubernetes. `plugin` charges the quotas for a write, `charges` computes what it costs each of them, and
an evaluator says what objects of one resource use: `pods`, `volume_claims`, `device_claims`, and `evaluators`
for services and all others, which are counted.
"""
