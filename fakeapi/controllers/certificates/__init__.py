"""The controller `cert-manager`: issues Certificates of cert-manager.io for the webhooks of Helm charts."""
