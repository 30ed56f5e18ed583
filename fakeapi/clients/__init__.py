"""Clients of Kubernetes API servers, and what they share.

| module | contents |
|---|---|
| `target`, `kubeconfig` | the server to send requests to: URL, TLS settings, credential; kubeconfig files |
| `errors` | StatusError, which every client raises for a refused request |
| `served_resource`, `discovery` | the paths of a resource, and the resources that a server serves |
| `verbs` | get, create, update, patch, delete: the same methods for each asynchronous client |
| `in_process` | InProcessClient: sends requests to an ASGI application in the same event loop |
| `http`, `remote` | HttpClient: HTTP/1.1 over asyncio; RemoteClient: verbs over HttpClient |
| `connections`, `control` | blocking connections for several threads; ControlClient of the control API |
| `lines` | splits a stream into lines of bounded length, for watches |
"""
