// A stand-in for the container runtimes of the nodes: it answers pods/exec and pods/portforward itself, and
// passes every other request on to the server.
//
// No container runs. What the suite's DRA driver has its proxy pods do is done in the directories of the nodes,
// and `env` answers with the environment that a runtime would make of the CDI devices of a container's claims.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubelet/pkg/cri/streaming"
)

var streamed = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)/(exec|portforward)$`)

type front struct {
	server    http.Handler
	streaming streaming.Server
	pods      *pods
	real      bool // other containers than those of the proxies are processes of the server
}

func main() {
	address := flag.String("listen", "127.0.0.1:0", "listen on this address")
	server := flag.String("server", "", "URL of the API server")
	directory := flag.String("directory", "", "the server's --kubelet-directory")
	real := flag.Bool("real", false, "leave all containers but those of the DRA driver's proxies to the server")
	flag.Parse()
	target, err := url.Parse(*server)
	check(err)
	passing := httputil.NewSingleHostReverseProxy(target)
	passing.FlushInterval = -1
	passing.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	found := &pods{server: *server, directory: *directory}
	config := streaming.DefaultConfig
	config.BaseURL = &url.URL{Scheme: "http", Host: "runtime", Path: "/"}
	streams, err := streaming.NewServer(config, &runtime{pods: found, proxies: map[string]*proxied{}})
	check(err)
	listener, err := net.Listen("tcp", *address)
	check(err)
	fmt.Printf("http://%s\n", listener.Addr())
	check(http.Serve(listener, &front{passing, streams, found, *real}))
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found := streamed.FindStringSubmatch(r.URL.Path)
	if found == nil {
		f.server.ServeHTTP(w, r)
		return
	}
	pod, err := f.pods.get(found[1], found[2])
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if f.real && !pod.isProxy() {
		f.server.ServeHTTP(w, r)
		return
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		http.Error(w, "SPDY alone is spoken here", http.StatusBadRequest) // clients then try SPDY
		return
	}
	if r.URL.Path, err = f.token(pod, found[3], r.URL.Query()); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.streaming.ServeHTTP(w, r)
}

// token registers a request with the streaming server and returns the path at which it serves it.
func (f *front) token(pod *pod, kind string, query url.Values) (string, error) {
	given := ""
	if kind == "exec" {
		container := query.Get("container")
		if container == "" {
			container = pod.Spec.Containers[0].Name
		}
		answer, err := f.streaming.GetExec(&runtimeapi.ExecRequest{
			ContainerId: pod.key() + "/" + container,
			Cmd:         query["command"],
			Stdin:       query.Get("stdin") == "true",
			Stdout:      query.Get("stdout") == "true",
			Stderr:      query.Get("stderr") == "true",
			Tty:         query.Get("tty") == "true",
		})
		if err != nil {
			return "", err
		}
		given = answer.Url
	} else {
		answer, err := f.streaming.GetPortForward(&runtimeapi.PortForwardRequest{PodSandboxId: pod.key()})
		if err != nil {
			return "", err
		}
		given = answer.Url
	}
	parsed, err := url.Parse(given)
	if err != nil {
		return "", err
	}
	return parsed.Path, nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
