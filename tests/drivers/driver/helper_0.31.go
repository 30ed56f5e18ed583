package main

import (
	"context"
	"fmt"
	"path/filepath"

	resource "k8s.io/api/resource/v1alpha3"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/kubelet/pkg/apis/dra/v1alpha4"
)

type server struct {
	*driver
	client kubernetes.Interface
}

func start(ctx context.Context, d *driver, client kubernetes.Interface) (func(), error) {
	socket := filepath.Join(d.data, "dra.sock")
	helper, err := kubeletplugin.Start(ctx, &server{d, client},
		kubeletplugin.DriverName(d.name),
		kubeletplugin.NodeName(d.node),
		kubeletplugin.KubeClient(client),
		kubeletplugin.PluginSocketPath(socket),
		kubeletplugin.KubeletPluginSocketPath(socket),
		kubeletplugin.RegistrarSocketPath(filepath.Join(d.registry, d.name+"-reg.sock")),
	)
	if err != nil {
		return nil, err
	}
	var devices []resource.Device
	for i := range d.devices {
		devices = append(devices, resource.Device{Name: fmt.Sprintf("gpu-%d", i), Basic: &resource.BasicDevice{}})
	}
	helper.PublishResources(ctx, kubeletplugin.Resources{Devices: devices})
	return helper.Stop, nil
}

func (s *server) NodePrepareResources(ctx context.Context, request *v1alpha4.NodePrepareResourcesRequest) (*v1alpha4.NodePrepareResourcesResponse, error) {
	answer := &v1alpha4.NodePrepareResourcesResponse{Claims: map[string]*v1alpha4.NodePrepareResourceResponse{}}
	for _, asked := range request.Claims {
		found, err := s.client.ResourceV1alpha3().ResourceClaims(asked.Namespace).Get(ctx, asked.Name, meta.GetOptions{})
		if err != nil {
			return nil, err
		}
		one := &v1alpha4.NodePrepareResourceResponse{}
		if err := s.prepare(asked.UID, asked.Name); err != nil {
			one.Error = err.Error()
		}
		for _, each := range found.Status.Allocation.Devices.Results {
			of := result{each.Request, each.Pool, each.Device}
			one.Devices = append(one.Devices, &v1alpha4.Device{
				RequestNames: []string{of.request}, PoolName: of.pool, DeviceName: of.device, CDIDeviceIDs: []string{of.cdi(s.name)},
			})
		}
		answer.Claims[asked.UID] = one
	}
	return answer, nil
}

func (s *server) NodeUnprepareResources(ctx context.Context, request *v1alpha4.NodeUnprepareResourcesRequest) (*v1alpha4.NodeUnprepareResourcesResponse, error) {
	answer := &v1alpha4.NodeUnprepareResourcesResponse{Claims: map[string]*v1alpha4.NodeUnprepareResourceResponse{}}
	for _, asked := range request.Claims {
		one := &v1alpha4.NodeUnprepareResourceResponse{}
		if err := s.unprepare(asked.UID, asked.Name); err != nil {
			one.Error = err.Error()
		}
		answer.Claims[asked.UID] = one
	}
	return answer, nil
}
