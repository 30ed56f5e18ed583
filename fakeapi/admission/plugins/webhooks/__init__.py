"""MutatingAdmissionWebhook and ValidatingAdmissionWebhook: ask the webhooks of configurations about writes.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook`. Annotations for the audit log, which nobody keeps
here, are read and dropped.
"""
