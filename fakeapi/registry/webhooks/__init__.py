"""Webhooks: external HTTP servers that admission and the conversion of custom objects call.

Follows k8s.io/apiserver `pkg/util/webhook` and `pkg/admission/plugin/webhook`, and
k8s.io/apiextensions-apiserver `pkg/apiserver/conversion`. `clients` finds the address of a webhook and calls
the webhook, `answers` decodes responses, and `conversion` converts custom objects. `transport` is the
interface for HTTP, which `fakeapi.outbound` implements.
"""
