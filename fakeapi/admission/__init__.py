"""Admission plugins, CEL policies and webhooks: rules across the kinds."""
