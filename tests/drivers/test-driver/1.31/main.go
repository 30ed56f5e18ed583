// Kubernetes' own test driver of 1.31, whose command has no option for the number of devices.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/test/e2e/dra/test-driver/app"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the server")
	name := flag.String("drivername", "", "of the driver")
	node := flag.String("node-name", "", "where it runs")
	data := flag.String("datadir", "", "directory for its socket")
	registry := flag.String("plugin-registration-path", "", "directory for the registration socket")
	cdi := flag.String("cdi-dir", "", "directory for CDI files")
	devices := flag.Int("num-devices", 0, "how many to publish")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	socket := filepath.Join(*data, *name, "dra.sock")
	plugin, err := app.StartPlugin(ctx, *cdi, *name, kubernetes.NewForConfigOrDie(config), *node,
		app.FileOperations{NumDevices: *devices},
		kubeletplugin.PluginSocketPath(socket),
		kubeletplugin.KubeletPluginSocketPath(socket),
		kubeletplugin.RegistrarSocketPath(filepath.Join(*registry, *name+"-reg.sock")),
	)
	check(err)
	<-ctx.Done()
	plugin.Stop()
}

func check(err error) {
	if err != nil {
		klog.Fatal(err)
	}
}
