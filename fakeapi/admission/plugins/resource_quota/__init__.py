"""ResourceQuota: limits the number and the resources of the objects in a namespace.

Follows k8s.io/apiserver `pkg/admission/plugin/resourcequota` and `pkg/quota/v1`, and k8s.io/kubernetes
`pkg/quota/v1`.

- `plugin`: charges the quotas for a write
- `charges`: calculates the charge for each quota
- `pods`, `volume_claims`, `device_claims`: the usage of these objects
- `evaluators`: the usage of services, and the number of all other objects
"""
