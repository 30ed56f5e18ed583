"""The audit log of a server: selects requests by a policy, builds audit events, and writes them to a file.

Follows k8s.io/apiserver `pkg/audit`. `fakeapi.http.auditing` observes the requests.
"""
