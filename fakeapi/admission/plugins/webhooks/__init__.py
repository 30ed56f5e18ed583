"""The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook: they call webhooks for writes.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook`. fakeapi has no audit log, so it ignores the audit
annotations in responses.
"""
