package main

import (
	"context"
	"fmt"
	"path/filepath"

	resource "k8s.io/api/resource/v1beta1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/kubelet/pkg/apis/dra/v1beta1"
)

type server struct {
	*driver
	client kubernetes.Interface
}

func start(ctx context.Context, d *driver, client kubernetes.Interface) (func(), error) {
	socket := filepath.Join(d.data, "dra.sock")
	helper, err := kubeletplugin.Start(ctx, []any{&server{d, client}},
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
	err = helper.PublishResources(ctx, kubeletplugin.Resources{Devices: devices})
	return helper.Stop, err
}

func (s *server) NodePrepareResources(ctx context.Context, request *v1beta1.NodePrepareResourcesRequest) (*v1beta1.NodePrepareResourcesResponse, error) {
	answer := &v1beta1.NodePrepareResourcesResponse{Claims: map[string]*v1beta1.NodePrepareResourceResponse{}}
	for _, asked := range request.Claims {
		found, err := s.client.ResourceV1beta1().ResourceClaims(asked.Namespace).Get(ctx, asked.Name, meta.GetOptions{})
		if err != nil {
			return nil, err
		}
		one := &v1beta1.NodePrepareResourceResponse{}
		if err := s.prepare(asked.UID, asked.Name); err != nil {
			one.Error = err.Error()
		}
		for _, each := range found.Status.Allocation.Devices.Results {
			of := result{each.Request, each.Pool, each.Device}
			one.Devices = append(one.Devices, &v1beta1.Device{
				RequestNames: []string{of.request}, PoolName: of.pool, DeviceName: of.device, CDIDeviceIDs: []string{of.cdi(s.name)},
			})
		}
		answer.Claims[asked.UID] = one
	}
	return answer, nil
}

func (s *server) NodeUnprepareResources(ctx context.Context, request *v1beta1.NodeUnprepareResourcesRequest) (*v1beta1.NodeUnprepareResourcesResponse, error) {
	answer := &v1beta1.NodeUnprepareResourcesResponse{Claims: map[string]*v1beta1.NodeUnprepareResourceResponse{}}
	for _, asked := range request.Claims {
		one := &v1beta1.NodeUnprepareResourceResponse{}
		if err := s.unprepare(asked.UID, asked.Name); err != nil {
			one.Error = err.Error()
		}
		answer.Claims[asked.UID] = one
	}
	return answer, nil
}
