package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Where drivers put the specifications of their CDI devices.
const cdiDirectory = "/var/run/cdi"

// prepared is what the server's kubelet keeps of a claim (`dra_manager_state`).
type prepared struct {
	Claim struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"claim"`
	Devices map[string][]struct {
		CDI      []string `json:"cdi_devices"`
		Requests []string `json:"requests"`
	} `json:"devices"`
}

// wanted is a claim that a container uses; an empty request stands for all of them.
type wanted struct{ claim, request string }

// specification is a CDI file, as far as drivers of the suite use it.
type specification struct {
	Kind    string `json:"kind"`
	Edits   edits  `json:"containerEdits"`
	Devices []struct {
		Name  string `json:"name"`
		Edits edits  `json:"containerEdits"`
	} `json:"devices"`
}

type edits struct {
	Env []string `json:"env"`
}

// env writes the environment of a container, a line for each variable.
func (r *runtime) env(pod *pod, container *v1.Container, out io.Writer) error {
	devices, err := cdiDevices(pod, container)
	if err != nil {
		return err
	}
	found, err := environment(onNode(pod.node, cdiDirectory), devices)
	if err != nil {
		return err
	}
	own := []string{"PATH=/bin", "HOSTNAME=" + pod.Name}
	for _, each := range container.Env {
		own = append(own, each.Name+"="+each.Value)
	}
	own = append(append(own, found...), "HOME=/root")
	_, err = fmt.Fprintln(out, strings.Join(lastOfEach(own), "\n"))
	return err
}

// lastOfEach is each variable once, with the value that was given last.
func lastOfEach(given []string) []string {
	var found []string
	for i, each := range given {
		name, _, _ := strings.Cut(each, "=")
		again := slices.ContainsFunc(given[i+1:], func(later string) bool { return strings.HasPrefix(later, name+"=") })
		if !again {
			found = append(found, each)
		}
	}
	return found
}

// cdiDevices are those that the drivers returned for the claims that a container names.
func cdiDevices(pod *pod, container *v1.Container) ([]string, error) {
	content, err := os.ReadFile(filepath.Join(pod.node, "dra_manager_state"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	var kept []prepared
	if err == nil {
		err = json.Unmarshal(content, &kept)
	}
	var found []string
	for _, use := range claimsOf(pod, container) {
		for _, each := range kept {
			if each.Claim.Namespace != pod.Namespace || each.Claim.Name != use.claim {
				continue
			}
			for _, devices := range each.Devices {
				for _, device := range devices {
					if asked(device.Requests, use.request) {
						found = append(found, device.CDI...)
					}
				}
			}
		}
	}
	return found, err
}

func claimsOf(pod *pod, container *v1.Container) []wanted {
	var found []wanted
	for _, use := range container.Resources.Claims {
		for _, claim := range pod.Spec.ResourceClaims {
			if claim.Name != use.Name {
				continue
			}
			if claim.ResourceClaimName != nil {
				found = append(found, wanted{*claim.ResourceClaimName, use.Request})
			}
			for _, made := range pod.Status.ResourceClaimStatuses {
				if made.Name == claim.Name && made.ResourceClaimName != nil {
					found = append(found, wanted{*made.ResourceClaimName, use.Request})
				}
			}
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		for _, each := range extended.RequestMappings {
			if each.ContainerName == container.Name {
				found = append(found, wanted{extended.ResourceClaimName, each.RequestName})
			}
		}
	}
	return found
}

// asked tells whether a device is for a request; one of a subrequest (`a/b`) is for its request (`a`) too.
func asked(requests []string, request string) bool {
	return request == "" || len(requests) == 0 || slices.ContainsFunc(requests, func(each string) bool {
		return each == request || strings.HasPrefix(each, request+"/")
	})
}

// environment is what the CDI files of a node say of these devices.
func environment(directory string, devices []string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	var found []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // removed meanwhile
		}
		var spec specification
		if err := json.Unmarshal(content, &spec); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		used := false
		for _, device := range spec.Devices {
			if slices.Contains(devices, spec.Kind+"="+device.Name) {
				found, used = append(found, device.Edits.Env...), true
			}
		}
		if used {
			found = append(found, spec.Edits.Env...)
		}
	}
	return found, err
}
