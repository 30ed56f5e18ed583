package main

import (
	"context"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

func (p *plugin) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
