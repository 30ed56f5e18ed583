"""Admission plugins, CEL policies and webhooks, which check and change objects before they are stored."""
