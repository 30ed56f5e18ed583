"""kube-apiserver and etcd as commands, for test suites that start these programs, such as envtest suites."""
