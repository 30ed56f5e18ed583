"""Admission: plugins, CEL policies and webhooks.

They check and change objects before the server stores them.
"""
