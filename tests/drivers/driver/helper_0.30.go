package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	core "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1alpha2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/controller"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/kubelet/pkg/apis/dra/v1alpha3"
)

type server struct {
	v1alpha3.UnimplementedNodeServer // it publishes nothing through the kubelet
	*driver
}

// start runs both halves of a classic driver: the controller that allocates, and the plugin that prepares.
func start(ctx context.Context, d *driver, client kubernetes.Interface) (func(), error) {
	socket := filepath.Join(d.data, "dra.sock")
	plugin, err := kubeletplugin.Start(&server{driver: d},
		kubeletplugin.DriverName(d.name),
		kubeletplugin.PluginSocketPath(socket),
		kubeletplugin.KubeletPluginSocketPath(socket),
		kubeletplugin.RegistrarSocketPath(filepath.Join(d.registry, d.name+"-reg.sock")),
	)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	allocating := controller.New(ctx, d.name, &allocator{driver: d, taken: map[types.UID]string{}}, client, factory)
	factory.Start(ctx.Done())
	go allocating.Run(2)
	return plugin.Stop, nil
}

// allocator gives each claim one of the devices that every node has.
type allocator struct {
	*driver
	mutex sync.Mutex
	taken map[types.UID]string // node by claim
}

func (a *allocator) GetClassParameters(context.Context, *resource.ResourceClass) (any, error) {
	return nil, nil
}

func (a *allocator) GetClaimParameters(context.Context, *resource.ResourceClaim, *resource.ResourceClass, any) (any, error) {
	return nil, nil
}

func (a *allocator) free(node string) int {
	free := a.devices
	for _, other := range a.taken {
		if other == node {
			free--
		}
	}
	return free
}

func (a *allocator) Allocate(ctx context.Context, claims []*controller.ClaimAllocation, node string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, each := range claims {
		if a.free(node) <= 0 {
			each.Error = fmt.Errorf("no device is left on %s", node)
			continue
		}
		a.taken[each.Claim.UID] = node
		requirement := core.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: core.NodeSelectorOpIn, Values: []string{node}}
		term := core.NodeSelectorTerm{MatchExpressions: []core.NodeSelectorRequirement{requirement}}
		each.Allocation = &resource.AllocationResult{
			ResourceHandles:  []resource.ResourceHandle{{DriverName: a.name, Data: "of " + node}},
			AvailableOnNodes: &core.NodeSelector{NodeSelectorTerms: []core.NodeSelectorTerm{term}},
		}
		say("allocated", each.Claim.Name)
	}
}

func (a *allocator) Deallocate(ctx context.Context, claim *resource.ResourceClaim) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, found := a.taken[claim.UID]; found {
		delete(a.taken, claim.UID)
		say("deallocated", claim.Name)
	}
	return nil
}

func (a *allocator) UnsuitableNodes(ctx context.Context, pod *core.Pod, claims []*controller.ClaimAllocation, nodes []string) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	full := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return a.free(node) >= len(claims) })
	for _, each := range claims {
		each.UnsuitableNodes = full
	}
	return nil
}

func (s *server) NodePrepareResources(ctx context.Context, request *v1alpha3.NodePrepareResourcesRequest) (*v1alpha3.NodePrepareResourcesResponse, error) {
	answer := &v1alpha3.NodePrepareResourcesResponse{Claims: map[string]*v1alpha3.NodePrepareResourceResponse{}}
	for _, asked := range request.Claims {
		one := &v1alpha3.NodePrepareResourceResponse{CDIDevices: []string{result{device: "gpu-0"}.cdi(s.name)}}
		if asked.ResourceHandle != "of "+s.node {
			one.Error = fmt.Sprintf("a handle %q", asked.ResourceHandle)
		} else if err := s.prepare(asked.Uid, asked.Name); err != nil {
			one.Error = err.Error()
		}
		answer.Claims[asked.Uid] = one
	}
	return answer, nil
}

func (s *server) NodeUnprepareResources(ctx context.Context, request *v1alpha3.NodeUnprepareResourcesRequest) (*v1alpha3.NodeUnprepareResourcesResponse, error) {
	answer := &v1alpha3.NodeUnprepareResourcesResponse{Claims: map[string]*v1alpha3.NodeUnprepareResourceResponse{}}
	for _, asked := range request.Claims {
		one := &v1alpha3.NodeUnprepareResourceResponse{}
		if err := s.unprepare(asked.Uid, asked.Name); err != nil {
			one.Error = err.Error()
		}
		answer.Claims[asked.Uid] = one
	}
	return answer, nil
}
