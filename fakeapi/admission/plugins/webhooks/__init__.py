"""The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook, which call webhooks for writes.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook`. The plugins ignore the audit annotations in
responses, because the audit log of fakeapi does not contain them.
"""
