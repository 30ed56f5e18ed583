"""The controller `cert-manager`: Certificates of cert-manager.io, as far as webhooks of charts need them."""
