"""Admission plugins, CEL policies and webhooks: rules for objects of many kinds."""
