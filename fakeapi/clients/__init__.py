"""Clients of Kubernetes API servers, and their common parts.

| module | contents |
|---|---|
| `target` | Target: the URL, TLS settings and credential of a server |
| `kubeconfig_reader`, `kubeconfig_writer` | read the Target from a kubeconfig file, and write such files |
| `errors` | StatusError, which every client of the API raises for a refused request |
| `messages`, `shapes` | the types of responses, and checks of their JSON |
| `served_resource`, `discovery` | the paths of a resource, and the resources that a server serves |
| `verbs` | the methods of asynchronous clients: get, create, update, patch, delete |
| `in_process` | InProcessClient: sends requests to an ASGI application in the same event loop |
| `http` | HttpClient: HTTP/1.1 over asyncio |
| `remote` | ReadOnlyClient and RemoteClient: send requests through an HttpClient |
| `connections` | blocking HTTP connections for several threads |
| `control` | ControlClient: a blocking client for the control API of a fakeapi server |
| `lines` | splits a stream into lines of bounded length, for watches |
"""
