"""The audit log of a server: which requests it has, what an event contains, and the file.

Follows k8s.io/apiserver `pkg/audit`. `fakeapi.http.auditing` observes the requests.
"""
