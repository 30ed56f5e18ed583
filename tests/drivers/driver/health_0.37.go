package main

import (
	"context"
	"fmt"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// WatchHealthStatus reports that the first device is well and all others are not.
func (p *plugin) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	var devices []kubeletplugin.DeviceHealth
	for i := range p.devices {
		one := kubeletplugin.DeviceHealth{PoolName: p.node, DeviceName: fmt.Sprintf("gpu-%d", i), Health: kubeletplugin.HealthStatusHealthy}
		if i > 0 {
			one.Health, one.Message = kubeletplugin.HealthStatusUnhealthy, "too hot"
		}
		devices = append(devices, one)
	}
	select {
	case reports <- kubeletplugin.DeviceHealthReport{Devices: devices}:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}
