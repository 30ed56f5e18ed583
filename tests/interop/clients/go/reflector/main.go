// Follows the config maps of a namespace with a reflector of client-go, and ends when a name is in its store.
// $TIMEOUT is the time that a request may take, as the option --request-timeout of kubectl.
package main

import (
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	if config.Timeout, err = time.ParseDuration(os.Getenv("TIMEOUT")); err != nil {
		panic(err)
	}
	client := kubernetes.NewForConfigOrDie(config).CoreV1().RESTClient()
	configMaps := cache.NewListWatchFromClient(client, "configmaps", "default", fields.Everything())
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	stop := make(chan struct{})
	go cache.NewReflector(configMaps, &corev1.ConfigMap{}, store, 0).Run(stop)
	for {
		if _, found, _ := store.GetByKey("default/" + os.Args[1]); found {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	close(stop)
	fmt.Println(len(store.List()))
}
