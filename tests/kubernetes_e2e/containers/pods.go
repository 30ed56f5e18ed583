package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
)

const kubeletRoot = "/var/lib/kubelet"

// pods reads pods from the API server.
type pods struct{ server, directory string }

type pod struct {
	v1.Pod
	node string // the directory of its node
}

func (p *pods) get(namespace, name string) (*pod, error) {
	found := &pod{}
	if err := p.read(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s", namespace, name), &found.Pod); err != nil {
		return nil, err
	}
	if found.Spec.NodeName == "" {
		return nil, fmt.Errorf("pod %s is on no node", name)
	}
	found.node = filepath.Join(p.directory, found.Spec.NodeName)
	return found, nil
}

func (p *pods) read(path string, into any) error {
	answer, err := http.Get(p.server + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// token asks for a token as kubelets do: of the pod's service account, bound to the pod.
func (p *pods) token(pod *pod) (string, error) {
	asked := authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		BoundObjectRef: &authenticationv1.BoundObjectReference{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID,
		},
	}}
	body, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", pod.Namespace, pod.Spec.ServiceAccountName)
	answer, err := http.Post(p.server+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("%s: %s", path, answer.Status)
	}
	var given authenticationv1.TokenRequest
	err = json.NewDecoder(answer.Body).Decode(&given)
	return given.Status.Token, err
}

func (p *pod) key() string { return p.Namespace + "/" + p.Name }

// isProxy tells whether the suite's DRA driver uses this pod as its proxy on a node.
func (p *pod) isProxy() bool {
	for _, each := range p.Spec.Containers {
		if strings.Contains(each.Image, "hostpathplugin") {
			return true
		}
	}
	return false
}

func (p *pod) container(name string) (*v1.Container, error) {
	for i := range p.Spec.Containers {
		if p.Spec.Containers[i].Name == name {
			return &p.Spec.Containers[i], nil
		}
	}
	return nil, fmt.Errorf("container %s not found in pod %s", name, p.Name)
}

// onHost is where a path in a container lies in the directory of its node. Only what is mounted from the host is
// there: a node's directory stands for /var/lib/kubelet, its folder `host` for all else.
func (p *pod) onHost(container *v1.Container, inside string) (string, error) {
	inside = path.Clean(inside)
	for _, mount := range container.VolumeMounts {
		rest, found := strings.CutPrefix(inside, path.Clean(mount.MountPath))
		if !found || rest != "" && rest[0] != '/' {
			continue
		}
		for _, volume := range p.Spec.Volumes {
			if volume.Name == mount.Name && volume.HostPath != nil {
				return onNode(p.node, path.Join(volume.HostPath.Path, rest)), nil
			}
		}
	}
	return "", fmt.Errorf("%s: nothing of the host is mounted there", inside)
}

func onNode(node, host string) string {
	host = path.Clean("/" + host)
	if rest, found := strings.CutPrefix(host, kubeletRoot); found && (rest == "" || rest[0] == '/') {
		return filepath.Join(node, rest)
	}
	return filepath.Join(node, "host", host)
}
