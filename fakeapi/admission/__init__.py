"""Admission: plugins, CEL policies and webhooks that check and change objects before they are stored."""
