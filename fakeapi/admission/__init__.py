"""Admission plugins, policies in CEL and webhooks: rules about kinds that stand above the kinds."""
