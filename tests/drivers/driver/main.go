// A DRA driver made with upstream's helper, one of the files helper_*.go beside it: its devices are files of
// its own making. Each thing it does is a line of JSON on stdout.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type settings struct {
	name, node, registry, data string
	devices                    int
}

type result struct{ request, pool, device string }

func (r result) cdi(driver string) string { return fmt.Sprintf("%s/gpu=%s", driver, r.device) }

// driver keeps a file for each prepared claim, so that a new process knows those of the one before.
type driver struct {
	settings
	crash string
	mutex sync.Mutex
}

func (d *driver) file(uid string) string { return filepath.Join(d.data, uid+".prepared") }

func (d *driver) prepare(uid, name string) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := os.Remove(d.crash); err == nil {
		os.WriteFile(d.file(uid), nil, 0o600)
		say("crashed", name)
		os.Exit(3) // half done, and never answered
	}
	if _, err := os.Stat(d.file(uid)); err == nil {
		say("found", name)
	}
	if err := os.WriteFile(d.file(uid), []byte(name), 0o600); err != nil {
		return err
	}
	say("prepared", name)
	return nil
}

func (d *driver) unprepare(uid, name string) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := os.Remove(d.file(uid)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	say("unprepared", name)
	return nil
}

func say(what, about string) {
	line, _ := json.Marshal(map[string]string{"what": what, "about": about})
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	var d driver
	kubeconfig := flag.String("kubeconfig", "", "the server")
	flag.StringVar(&d.name, "name", "gpu.example.com", "of the driver")
	flag.StringVar(&d.node, "node", "node", "where it runs")
	flag.StringVar(&d.registry, "registry", "", "directory for the registration socket")
	flag.StringVar(&d.data, "data", "", "directory for the driver's socket and files")
	flag.IntVar(&d.devices, "devices", 2, "how many to publish")
	flag.StringVar(&d.crash, "crash", "", "a file; the next prepare removes it and exits")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	client, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	stop, err := start(ctx, &d, client)
	check(err)
	say("started", d.name)
	<-ctx.Done()
	stop()
	say("stopped", d.name)
}
