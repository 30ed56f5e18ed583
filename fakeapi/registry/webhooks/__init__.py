"""Webhooks: HTTP servers of somebody else that admission and conversion ask.

Follows k8s.io/apiserver `pkg/util/webhook` and `pkg/admission/plugin/webhook`, and
k8s.io/apiextensions-apiserver `pkg/apiserver/conversion`. `clients` finds where a webhook is and calls it,
`answers` reads what it answers, `admission_review` and `conversion` are the two questions. How bytes reach a
server is not known here: `transport` is the interface, which `fakeapi.outbound` implements.
"""
