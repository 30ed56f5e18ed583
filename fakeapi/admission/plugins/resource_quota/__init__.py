"""ResourceQuota: limits the number of objects in a namespace and the resources that they use.

Follows k8s.io/apiserver `pkg/admission/plugin/resourcequota` and `pkg/quota/v1`, and k8s.io/kubernetes
`pkg/quota/v1`.

- `plugin`: adds the usage of a write to the quotas of its namespace.
- `charges`: calculates the new usage for each quota.
- `pods`, `volume_claims`, `device_claims`: the usage of pods, PersistentVolumeClaims and ResourceClaims.
- `evaluators`: the usage of Services, and the number of all other objects.
"""
