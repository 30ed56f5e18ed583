package main

import (
	"context"
	"fmt"

	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

type plugin struct{ *driver }

func start(ctx context.Context, d *driver, client kubernetes.Interface) (func(), error) {
	helper, err := kubeletplugin.Start(ctx, &plugin{d},
		kubeletplugin.DriverName(d.name),
		kubeletplugin.NodeName(d.node),
		kubeletplugin.KubeClient(client),
		kubeletplugin.PluginDataDirectoryPath(d.data),
		kubeletplugin.RegistrarDirectoryPath(d.registry),
	)
	if err != nil {
		return nil, err
	}
	var devices []resource.Device
	for i := range d.devices {
		devices = append(devices, resource.Device{Name: fmt.Sprintf("gpu-%d", i)})
	}
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{{Devices: devices}}}
	err = helper.PublishResources(ctx, resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{d.node: pool}})
	return helper.Stop, err
}

func (p *plugin) PrepareResourceClaims(ctx context.Context, claims []*resource.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	answer := map[types.UID]kubeletplugin.PrepareResult{}
	for _, asked := range claims {
		one := kubeletplugin.PrepareResult{}
		one.Err = p.prepare(string(asked.UID), asked.Name)
		for _, each := range asked.Status.Allocation.Devices.Results {
			of := result{each.Request, each.Pool, each.Device}
			one.Devices = append(one.Devices, kubeletplugin.Device{
				Requests: []string{of.request}, PoolName: of.pool, DeviceName: of.device, CDIDeviceIDs: []string{of.cdi(p.name)},
			})
		}
		answer[asked.UID] = one
	}
	return answer, nil
}

func (p *plugin) UnprepareResourceClaims(ctx context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	answer := map[types.UID]error{}
	for _, asked := range claims {
		answer[asked.UID] = p.unprepare(string(asked.UID), asked.Name)
	}
	return answer, nil
}

func (p *plugin) HandleError(ctx context.Context, err error, message string) {
	say("error", message+": "+err.Error())
}
