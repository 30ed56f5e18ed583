"""Admission plugins, CEL policies and webhooks: they check and change written objects of many kinds."""
