"""APIs of other servers, to which an APIService with a Service delegates a group version.

Follows k8s.io/kube-aggregator. A fake cluster has no network of Services, so the server reaches a Service
only if `ServiceUrls` has a URL for the Service.

- `delegated`: finds the APIServices that delegate, and their endpoints.
- `availability`: the condition Available of an APIService.
- `checker`: checks all APIServices that delegate, and writes their status.
- `aggregator`: runs the checks while such APIServices exist.
- `discovered`: the delegated groups and resources, as the discovery documents of this server list them.
"""
