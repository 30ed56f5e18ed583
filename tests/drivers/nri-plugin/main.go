// An NRI plugin made with the published stub: it prints what the runtime tells it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
)

type plugin struct{}

func (plugin) Configure(_ context.Context, config, runtime, version string) (stub.EventMask, error) {
	fmt.Printf("configured %q by %s\n", config, runtime)
	return 0, nil
}

func (plugin) Synchronize(_ context.Context, pods []*api.PodSandbox, containers []*api.Container) ([]*api.ContainerUpdate, error) {
	fmt.Printf("synchronized %d pods, %d containers\n", len(pods), len(containers))
	return nil, nil
}

func (plugin) CreateContainer(context.Context, *api.PodSandbox, *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	return nil, nil, nil
}

func main() {
	closed := stub.WithOnClose(func() {}) // without it, the stub exits by itself
	made, err := stub.New(plugin{}, stub.WithPluginName("test"), stub.WithPluginIdx("10"), stub.WithSocketPath(os.Args[1]), closed)
	if err == nil {
		err = made.Start(context.Background())
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	failed, err := made.UpdateContainers([]*api.ContainerUpdate{{ContainerId: "c"}})
	fmt.Printf("updated, %d failed, error %v\n", len(failed), err)
	made.Wait()
	fmt.Println("disconnected")
}
